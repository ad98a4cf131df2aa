"""Tasks of curators over HTTP: pause, release more of a budget, give shares, see spends, add users and tokens."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from dpselect.web.server import serializers
from dpselect.web.server.audit_log import changes
from dpselect.web.server.dependencies import Curator
from dpselect.web.server.errors import InvalidQueryError, NotFoundError
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.settings_parts import Name, Price
from dpselect.web.server.users import Role


class _CuratorBody(BaseModel):
    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


class NewAllowance(_CuratorBody):
    """The share of the budget that is released from now on."""

    epsilon: Price


class NewShare(_CuratorBody):
    """The limit of all spends of an analyst."""

    analyst: Name
    epsilon: Price


class NewUser(_CuratorBody):
    """A user and their role, which never changes."""

    name: Name
    role: Role


class TokenFor(_CuratorBody):
    """A new token of a user, and its days."""

    user: Name
    days: Annotated[float, Field(gt=0, le=3660)] = 90.0


def curator_routes(jobs: JobQueue) -> APIRouter:
    """Return the routes of curators; to anybody else there are none."""
    router = APIRouter()
    _dataset_routes(router, jobs)
    _people_routes(router, jobs)
    return router


def _dataset_routes(router: APIRouter, jobs: JobQueue) -> None:
    server_state = jobs.server_state

    @router.post("/datasets/{name}/pause", status_code=204)
    def pause(name: str, caller: Curator) -> Response:
        """Let nothing be spent from a dataset."""
        server_state.standings.pause(jobs.dataset(name, None).name, True, caller.name)
        return Response(status_code=204)

    @router.post("/datasets/{name}/resume", status_code=204)
    def resume(name: str, caller: Curator) -> Response:
        """Let a paused dataset be asked again."""
        server_state.standings.pause(jobs.dataset(name, None).name, False, caller.name)
        return Response(status_code=204)

    @router.post("/datasets/{name}/allowance", status_code=204)
    def allowance(name: str, body: NewAllowance, caller: Curator) -> Response:
        """Release another part of the budget: at most all of it, and never less than was spent."""
        jobs.dataset(name, None).account.allow(body.epsilon, caller.name)
        return Response(status_code=204)

    @router.post("/datasets/{name}/shares", status_code=204)
    def shares(name: str, body: NewShare, caller: Curator) -> Response:
        """Give an analyst a share of a dataset, or another one."""
        server_state.standings.share(jobs.dataset(name, None).name, body.analyst, body.epsilon, caller.name)
        return Response(status_code=204)

    @router.get("/datasets/{name}/spends")
    def spends(
        name: str,
        _: Curator,
        after: Annotated[int, Query(ge=0, le=2**53)] = 0,
        most: Annotated[int, Query(ge=1, le=1000)] = 100,
    ) -> dict[str, Any]:
        """Return rows of the ledger behind one, oldest first, and all changes of the dataset."""
        dataset = jobs.dataset(name, None)
        ledger = dataset.account.ledger
        last = min(after + most, ledger.totals.spends)
        events = ledger.latest(last - after, last) if last > after else []
        return {
            "spends": [serializers.spend(row, event) for row, event in enumerate(events, after + 1)],
            "changes": [
                {"when": serializers.moment(each["made"]), "who": each["who"], "what": each["what"]}
                for each in changes(server_state.database, dataset.name)
            ],
        }


def _people_routes(router: APIRouter, jobs: JobQueue) -> None:
    people = jobs.server_state.people

    @router.post("/users", status_code=204)
    def user(body: NewUser, caller: Curator) -> Response:
        """Add a user."""
        try:
            people.add(body.name, body.role, caller.name)
        except ValueError as error:
            raise InvalidQueryError(str(error)) from None
        return Response(status_code=204)

    @router.post("/tokens", status_code=201)
    def token(body: TokenFor, caller: Curator) -> dict[str, str]:
        """Make a token of a user; its secret is shown this once."""
        try:
            made = people.new_token(body.user, body.days, caller.name)
        except ValueError as error:
            raise InvalidQueryError(str(error)) from None
        return {"id": made.id, "token": made.secret, "expires": serializers.moment(made.expires)}

    @router.delete("/tokens/{number}", status_code=204)
    def revoked(number: str, caller: Curator) -> Response:
        """Let a token work no longer."""
        if not (number.isascii() and number.isprintable() and people.revoke(number, caller.name)):
            raise NotFoundError("This token does not exist, or was revoked before.")
        return Response(status_code=204)

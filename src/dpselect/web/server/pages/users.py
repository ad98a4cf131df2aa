"""Users and tokens, for curators: who may ask, and what lets them in."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from dpselect.web.server import overview, serializers, user_list
from dpselect.web.server.curator import NewUser, TokenFor
from dpselect.web.server.dependencies import Curator
from dpselect.web.server.error_pages import HOME
from dpselect.web.server.errors import InvalidQueryError, NotFoundError, RefusalError
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.pages.budgets import MOST, SkipCount
from dpselect.web.server.pages.confirm import asked_again
from dpselect.web.server.pages.form import Fields, read
from dpselect.web.server.pages.layout import page

_USERS = f"{HOME}/users"
_TOKENS = f"{HOME}/tokens"


_NO_TOKEN = "This token does not exist, or was revoked before."
_ROLES = {
    "analyst": "an analyst, who may ask about the datasets that you give a share of.",
    "curator": "a curator, who sees every spend and decides, as you do, what may be spent.",
}


def user_pages(jobs: JobQueue) -> APIRouter:
    """Return the addresses of users and tokens; to anybody but curators there are none."""
    router = APIRouter()
    _users(router, jobs)
    _tokens(router, jobs)
    return router


def _users(router: APIRouter, jobs: JobQueue) -> None:
    @router.get(_USERS)
    def users(request: Request, _: Curator, skip: SkipCount = 0, older: SkipCount = 0) -> Response:
        return _users_page(request, jobs, skip, older)

    @router.post(_USERS)
    def user(request: Request, caller: Curator, fields: Fields) -> Response:
        try:
            new = read(NewUser, fields)
            if any(each.name == new.name for each in user_list.users(jobs.server_state.database)):
                raise InvalidQueryError(f"There is a user {new.name} already: choose another name.")
            sentence = f"{new.name} becomes {_ROLES[new.role]} Neither the name nor the role can be changed or removed."
            again = asked_again(request, fields, f"Add {new.name}?", sentence, f"Add {new.name}", _USERS)
            if again is not None:
                return again
            jobs.server_state.people.add(new.name, new.role, caller.name)
        except (RefusalError, ValueError) as error:
            return _users_page(request, jobs, refusal=error)
        return RedirectResponse(_USERS, 303)


def _tokens(router: APIRouter, jobs: JobQueue) -> None:
    people = jobs.server_state.people

    @router.post(_TOKENS)
    def token(request: Request, caller: Curator, fields: Fields) -> Response:
        try:
            wanted = read(TokenFor, fields)
            made = people.new_token(wanted.user, wanted.days, caller.name)
        except (RefusalError, ValueError) as error:
            return _users_page(request, jobs, refusal=error)
        facts = {
            "user": wanted.user,
            "number": made.id,
            "secret": made.secret,
            "expires": serializers.moment(made.expires),
        }
        return page(request, "secret.html", f"A token of {wanted.user}", 201, **facts)

    @router.post(f"{_TOKENS}/{{number}}/revoke")
    def revoke(number: str, request: Request, caller: Curator, fields: Fields) -> Response:
        if not (number.isascii() and number.isprintable()):
            raise NotFoundError(_NO_TOKEN)
        sentence = (
            f"Token {number} works no longer, and neither do the pages that were opened with it. This cannot be "
            "undone: the user then needs a new token."
        )
        again = asked_again(request, fields, f"Revoke token {number}?", sentence, "Revoke it", _USERS)
        if again is not None:
            return again
        if not people.revoke(number, caller.name):
            raise NotFoundError(_NO_TOKEN)
        return RedirectResponse(_USERS, 303)


def _users_page(
    request: Request, jobs: JobQueue, skip: int = 0, older: int = 0, refusal: RefusalError | ValueError | None = None
) -> Response:
    """Return the page of users, tokens and changes, perhaps with what was refused."""
    database = jobs.server_state.database
    found = user_list.known_tokens(database, MOST + 1, skip)
    facts: dict[str, Any] = {
        "users": [(each.name, each.role, serializers.moment(each.created)) for each in user_list.users(database)],
        "tokens": [(each, serializers.moment(each.created), serializers.moment(each.expires)) for each in found[:MOST]],
        "older_tokens": skip + MOST if len(found) > MOST else None,
        "log": overview.list_changes(database, None, MOST, older),
        "problem": "" if refusal is None else str(refusal),
    }
    status = 200 if refusal is None else getattr(refusal, "status", InvalidQueryError.status)
    return page(request, "users.html", "Users", status, **facts)

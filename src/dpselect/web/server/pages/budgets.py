"""The budgets, for curators: what is spent and by whom, every row, every change, and what may be spent from now on."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from dpselect.kernel.format_exact import format_exact
from dpselect.web.server import overview
from dpselect.web.server.curator import NewAllowance, NewShare
from dpselect.web.server.dependencies import Curator
from dpselect.web.server.error_pages import HOME
from dpselect.web.server.errors import RefusalError
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.pages.budget_bar import BudgetBar
from dpselect.web.server.pages.confirm import asked_again
from dpselect.web.server.pages.form import Fields, read
from dpselect.web.server.pages.layout import page
from dpselect.web.server.user_list import users

_BUDGETS = f"{HOME}/budgets"
_ONE = f"{_BUDGETS}/{{name}}"
# Rows and changes on one page.
MOST = 50
Row = Annotated[int | None, Query(ge=1, le=2**53)]
SkipCount = Annotated[int, Query(ge=0, le=2**31)]


def budget_pages(jobs: JobQueue) -> APIRouter:
    """Return the addresses of budgets; to anybody but curators there are none."""
    router = APIRouter()
    server_state = jobs.server_state

    @router.get(_BUDGETS)
    def listed(request: Request, _: Curator) -> Response:
        return page(request, "budgets.html", "Budgets", budgets=overview.budgets(server_state))

    @router.get(_ONE)
    def one(name: str, request: Request, _: Curator, before: Row = None, skip: SkipCount = 0) -> Response:
        return _budget_page(request, jobs, name, before, skip)

    @router.post(f"{_ONE}/pause")
    def pause(name: str, user: Curator) -> Response:
        server_state.standings.pause(jobs.dataset(name, None).name, True, user.name)
        return _back(name)

    @router.post(f"{_ONE}/resume")
    def resume(name: str, user: Curator) -> Response:
        server_state.standings.pause(jobs.dataset(name, None).name, False, user.name)
        return _back(name)

    @router.post(f"{_ONE}/allowance")
    def allowance(name: str, request: Request, user: Curator, fields: Fields) -> Response:
        dataset = jobs.dataset(name, None)
        try:
            wanted = read(NewAllowance, fields).epsilon
            now = server_state.standings.of(name).allowance
            if (asked := _confirm_raise(request, fields, name, "The allowance", now, wanted)) is not None:
                return asked
            dataset.account.allow(wanted, user.name)
        except RefusalError as error:
            return _budget_page(request, jobs, name, refusal=error)
        return _back(name)

    @router.post(f"{_ONE}/shares")
    def share(name: str, request: Request, user: Curator, fields: Fields) -> Response:
        dataset = jobs.dataset(name, None)
        try:
            wanted = read(NewShare, fields)
            now = server_state.standings.of(name).shares.get(wanted.analyst, Fraction(0))
            what = f"The share of {wanted.analyst}"
            if (asked := _confirm_raise(request, fields, name, what, now, wanted.epsilon)) is not None:
                return asked
            server_state.standings.share(dataset.name, wanted.analyst, wanted.epsilon, user.name)
        except RefusalError as error:
            return _budget_page(request, jobs, name, refusal=error)
        return _back(name)

    return router


def _budget_page(
    request: Request,
    jobs: JobQueue,
    name: str,
    before: int | None = None,
    skip: int = 0,
    refusal: RefusalError | None = None,
) -> Response:
    """Return the page of a dataset, perhaps with what was refused."""
    server_state, dataset = jobs.server_state, jobs.dataset(name, None)
    facts: dict[str, Any] = {
        "budget": overview.budget(server_state, dataset),
        "ledger": overview.rows(dataset, before, MOST),
        "bar": [BudgetBar.of(dataset, "Allowance", dataset.account.totals(), dataset.account.remaining())],
        "log": overview.list_changes(server_state.database, dataset.name, MOST, skip),
        "users": [each.name for each in users(server_state.database) if each.role == "analyst"],
        "before": before,
        "problem": "" if refusal is None else str(refusal),
    }
    return page(request, "budget.html", dataset.name, 200 if refusal is None else refusal.status, **facts)


def _confirm_raise(
    request: Request, fields: Fields, name: str, what: str, now: Fraction, wanted: Fraction
) -> Response | None:
    """Return the page that asks again, if more may be spent from then on: what is spent cannot be taken back."""
    if wanted <= now:
        return None
    before, after = format_exact(now), format_exact(wanted)
    sentence = (
        f"{what} of {name} becomes {after}; it is {before} now. You may lower it again later, but whatever is spent in "
        "the meantime stays spent, and what it reveals stays known."
    )
    return asked_again(request, fields, f"{what} becomes {after}?", sentence, "Let it be spent", f"{_BUDGETS}/{name}")


def _back(name: str) -> Response:
    return RedirectResponse(f"{_BUDGETS}/{name}", 303)

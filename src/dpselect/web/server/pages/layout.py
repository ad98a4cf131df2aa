"""The common parts of all pages: their head, the list of places, and who is logged in."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse, Response

from dpselect._display.markup import render
from dpselect.web.server.cookies import session_of
from dpselect.web.server.sessions import form_token
from dpselect.web.server.users import User

# The list of places, by role: an address and its name.
PLACES = {
    "analyst": [("/pages", "Datasets"), ("/pages/history", "History")],
    "curator": [("/pages", "Datasets"), ("/pages/budgets", "Budgets"), ("/pages/users", "Users")],
}


def page(request: Request, template: str, title: str, status: int = 200, **values: Any) -> Response:
    """Return a page.

    Args:
        request: whose user has logged in, or none before a log in.
        template: which extends ``shell.html``.
        title: of the page, which is its heading too.
        status: of the reply.
        values: for the names in the template; forms also find ``form_token``.
    """
    user: User | None = getattr(request.state, "user", None)
    secret = None if user is None else session_of(request.scope)
    facts = {
        "title": title,
        "current_user": user,
        "here": request.url.path,
        "places": [] if user is None else PLACES[user.role],
        "form_token": "" if secret is None else form_token(secret),
    }
    return HTMLResponse(render(__package__, template, **facts, **values), status)


def moment(seconds: float) -> str:
    """Return a moment as people read it.

    >>> moment(0)
    '1970-01-01 00:00 UTC'
    """
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"

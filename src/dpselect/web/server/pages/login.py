"""Logging in with a token, and out."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from dpselect.web.server.cookies import clear_cookie, session_of, set_cookie
from dpselect.web.server.error_pages import HOME, LOGIN, OPENID, back
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.pages.form import Fields, own_form
from dpselect.web.server.pages.layout import page
from dpselect.web.server.rate_limit import RateLimit
from dpselect.web.server.sessions import LoginMethod, Sessions

# One sentence, whether there never was such a token or it is expired or revoked.
_WRONG = "This token does not work: it may be mistyped, expired or revoked. Ask the curator for a new one."
# Wrong tokens of one address in a minute.
_WRONG_PER_MINUTE = 20


def entering(jobs: JobQueue, now: Callable[[], float] = time.monotonic) -> APIRouter:
    """Return the addresses to log in and out."""
    router, rates = APIRouter(), RateLimit(_WRONG_PER_MINUTE, now)
    people, sessions = jobs.server_state.people, jobs.server_state.sessions
    openid = None if jobs.server_state.openid is None else f"{jobs.server_state.openid.registration.address}{OPENID}"

    def asked(request: Request, address: str, problem: str = "", status: int = 200) -> Response:
        facts: dict[str, Any] = {"next": back(address), "problem": problem, "openid": openid}
        return page(request, "login.html", "Log in", status, **facts)

    @router.get(LOGIN)
    def form(request: Request, next: str = HOME) -> Response:
        return asked(request, next)

    @router.post(LOGIN)
    def log_in(request: Request, fields: Fields) -> Response:
        address = fields.get("next", HOME)
        user = people.user_of(fields.get("token", "").strip())
        if user is None:
            # A right token always lets in, so nobody keeps others out by sending wrong ones; and nobody finds a right
            # one by trying, since tokens have 32 random bytes.
            wait = rates.wait("" if request.client is None else request.client.host)
            if wait:
                sentence = f"Too many wrong tokens came from your network: wait {int(wait) + 1} seconds."
                return asked(request, address, sentence, 429)
            return asked(request, address, _WRONG, 403)
        return let_in(request, sessions, sessions.open(user.name, LoginMethod(token=user.token)), back(address))

    @router.post("/logout", dependencies=[Depends(own_form)])
    def log_out(request: Request) -> Response:
        sessions.end(session_of(request.scope) or "")
        return RedirectResponse(LOGIN, 303, {"set-cookie": clear_cookie(request.scope)})

    return router


def let_in(
    request: Request, sessions: Sessions, secret: str, address: str, *, from_elsewhere: bool = False
) -> Response:
    """Return the reply that gives a browser its new session and leads it on; an older session of it ends.

    Args:
        request: which is answered.
        sessions: of this server.
        secret: of the new session.
        address: of a page of this server.
        from_elsewhere: whether another site led the browser here. A browser sends a strict cookie along only when it
            is led on by a page of this server, so it is shown one.
    """
    before = session_of(request.scope)
    if before is not None:
        sessions.end(before)
    reply = (
        page(request, "entered.html", "You are logged in", address=back(address))
        if from_elsewhere
        else RedirectResponse(back(address), 303)
    )
    reply.headers["set-cookie"] = set_cookie(request.scope, secret)
    return reply

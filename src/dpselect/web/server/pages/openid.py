"""Logging in through an OpenID provider: a browser is led there, and comes back."""

from __future__ import annotations

from urllib.parse import parse_qsl

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from dpselect.web.server.cookies import login_of, set_login
from dpselect.web.server.error_pages import HOME, OPENID, back, title_of
from dpselect.web.server.errors import RefusalError
from dpselect.web.server.openid.authenticator import AT_ONCE, Authenticator
from dpselect.web.server.openid.login import SECONDS
from dpselect.web.server.openid.registration import CALLBACK
from dpselect.web.server.pages.layout import page
from dpselect.web.server.pages.login import let_in
from dpselect.web.server.sessions import LoginMethod, Sessions
from dpselect.web.server.users import User


def openid_pages(authenticator: Authenticator, sessions: Sessions) -> APIRouter:
    """Return the addresses of a log in through a provider.

    Args:
        authenticator: of the provider.
        sessions: which begin with such a log in.
    """
    router, waiting = APIRouter(), CapacityLimiter(AT_ONCE)

    @router.get(OPENID)
    async def begin(request: Request, next: str = HOME) -> Response:
        # A cookie holds the way back.
        address = back(next) if len(next) <= 1000 else HOME
        begun = await to_thread.run_sync(authenticator.begin, address, limiter=waiting)
        return RedirectResponse(begun.address, 303, {"set-cookie": set_login(request.scope, begun.cookie, SECONDS)})

    @router.get(CALLBACK)
    async def finish(request: Request) -> Response:
        query = request.scope["query_string"].decode("latin-1")

        def entered() -> tuple[str, str]:
            user, address = authenticator.finish(_pairs(query), login_of(request.scope))
            return _open_session(sessions, user, authenticator), address

        try:
            secret, address = await to_thread.run_sync(entered, limiter=waiting)
            reply = let_in(request, sessions, secret, address, from_elsewhere=True)
        except RefusalError as error:
            reply = page(request, "refused.html", title_of(error.status), error.status, sentence=str(error))
        # It served once, whatever came of it.
        reply.headers.append("set-cookie", set_login(request.scope, "", 0))
        return reply

    return router


def _open_session(sessions: Sessions, user: User, authenticator: Authenticator) -> str:
    return sessions.open(user.name, LoginMethod(provider=authenticator.registration.issuer))


def _pairs(query: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query, keep_blank_values=True, max_num_fields=20)
    except ValueError:
        return []

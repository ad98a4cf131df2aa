"""Checks that every request must pass before anything else is done: this server's name, a token, a rate and a size."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from anyio import CapacityLimiter, to_thread
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from dpselect.web.headers import Application, Message, Receive, Scope, Send, header_values
from dpselect.web.server.cookies import is_own, session_of
from dpselect.web.server.error_pages import is_open, is_page, refuse_request
from dpselect.web.server.errors import RefusalError
from dpselect.web.server.openid.authenticator import AT_ONCE, Authenticator, looks_signed
from dpselect.web.server.problems import INSIDE
from dpselect.web.server.rate_limit import RateLimit
from dpselect.web.server.sessions import Sessions
from dpselect.web.server.settings import RequestLimits
from dpselect.web.server.users import User, Users

HEALTH = "/health"
_READ = ("GET", "HEAD")
_CHALLENGE = 'Bearer error="invalid_token"'
_access = logging.getLogger("dpselect.access")
_log = logging.getLogger("dpselect.server")


class AuthMiddleware:
    """An application that only users with a token reach.

    Attributes:
        hosts: what a request may call this server.
        counts: of replies, by their status.
    """

    def __init__(
        self,
        application: Application,
        people: Users,
        sessions: Sessions,
        limits: RequestLimits,
        hosts: frozenset[str],
        now: Callable[[], float] = time.monotonic,
        openid: Authenticator | None = None,
    ) -> None:
        self.application, self.hosts = application, hosts
        self.counts: Counter[int] = Counter()
        self._people, self._sessions, self._limits = people, sessions, limits
        self._rates = RateLimit(limits.requests_per_minute, now)
        # A provider that does not answer keeps those waiting who come by it, and nobody else.
        self._openid, self._waiting = openid, CapacityLimiter(AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse in one sentence."""
        if scope["type"] == "lifespan":
            await self.application(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            await receive()
            await send({"type": f"{scope['type']}.close", "code": 1008})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def sent(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                self._note(scope, message["status"])
            await send(message)

        try:
            refusal = await self._admit(scope, receive, sent)
        except Exception as error:
            # The text of an error may follow from rows, so it is not shown.
            _log.error("A request ended with %s.", type(error).__name__)
            refusal = None if begun else refuse_request(scope, 500, INSIDE)
        if refusal is not None:
            await refusal(scope, receive, sent)

    async def _admit(self, scope: Scope, receive: Receive, send: Send) -> Response | None:
        """Let the application answer, or return why not."""
        if header_values(scope, "transfer-encoding") and header_values(scope, "content-length"):
            # What one program takes for the body another takes for the next request, of any sender.
            return refuse_request(
                scope, 400, "A request has a Content-Length or a Transfer-Encoding, not both.", {"connection": "close"}
            )
        if len(hosts := header_values(scope, "host")) != 1 or hosts[0].lower() not in self.hosts:
            return refuse_request(scope, 421, "This server has another name.")
        if is_page(scope["path"]) and scope["method"] not in _READ and not is_own(scope):
            return refuse_request(scope, 403, "This server takes forms from its own pages alone: open the page again.")
        if scope["path"] != HEALTH and not is_open(scope["path"]):
            try:
                user = await self._recognize(scope)
            except RefusalError as error:
                return refuse_request(scope, error.status, str(error), {"www-authenticate": _CHALLENGE})
            if user is None:
                return refuse_request(
                    scope, 401, "Send a token that is neither expired nor revoked, as Authorization: Bearer TOKEN.",
                    {"www-authenticate": "Bearer"},
                )  # fmt: skip
            wait = self._rates.wait(user.token)
            if wait:
                seconds = str(int(wait) + 1)
                sentence = f"Too many requests: wait {seconds} seconds."
                return refuse_request(scope, 429, sentence, {"retry-after": seconds})
            scope.setdefault("state", {})["user"] = user
        body = await self._body(scope, receive)
        if isinstance(body, Response):
            return body
        await self.application(scope, _replay(body, receive), send)
        return None

    async def _recognize(self, scope: Scope) -> User | None:
        """Return who sent a request: a token of the OpenID provider says so, or this server's own knowledge."""
        token = None if is_page(scope["path"]) else _bearer(header_values(scope, "authorization"))
        if self._openid is not None and token is not None and looks_signed(token):
            return await to_thread.run_sync(self._openid.user_of, token, limiter=self._waiting)
        return await run_in_threadpool(self._user, scope)

    def _user(self, scope: Scope) -> User | None:
        """Return who sent a request: by a token, or by a cookie where nothing but a page is asked for."""
        page, sent = is_page(scope["path"]), header_values(scope, "authorization")
        if sent and not page:
            token = _bearer(sent)
            return None if token is None else self._people.user_of(token)
        # Browsers send cookies along with forms of other sites: nothing but a page, which has walls of its own for
        # that, is changed by them.
        cookie = session_of(scope) if page or scope["method"] in _READ else None
        return None if cookie is None else self._sessions.user_of(cookie)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | Response:
        """Return the body, or why it is refused: too long, or too slow."""
        most, parts, size = self._limits.body_bytes, list[bytes](), 0
        too_long = refuse_request(scope, 413, f"A request has at most {most} bytes.", {"connection": "close"})
        if any(not each.strip().isdigit() or int(each) > most for each in header_values(scope, "content-length")):
            return too_long
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return refuse_request(scope, 400, "The request was cut short.")
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > most:
                        return too_long
                    if not message.get("more_body", False):
                        break
        except TimeoutError:
            return refuse_request(scope, 408, "The request took too long to arrive.", {"connection": "close"})
        body = b"".join(parts)
        if _repeats_a_name(body):
            return refuse_request(scope, 400, "A name stands twice in an object of the body: send it once.")
        return body

    def _note(self, scope: Scope, status: int) -> None:
        self.counts[status] += 1
        user = scope.get("state", {}).get("user")
        # Neither queries nor bodies, and no durations, which may follow from rows.
        path = scope["path"].encode("ascii", "backslashreplace").decode()[:200]
        _access.info("%s %r %s %s", scope["method"], path, status, "-" if user is None else user.token)


def _bearer(sent: list[str]) -> str | None:
    """Return the token of a header, if it holds one."""
    scheme, _, secret = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
    return secret.strip() if scheme.lower() == "bearer" and secret else None


def _repeats_a_name(body: bytes) -> bool:
    """Return whether JSON has an object with two members of one name: readers differ in which of them counts."""
    repeated: list[bool] = []

    def checked(pairs: list[tuple[str, object]]) -> None:
        repeated.append(len({name for name, _ in pairs}) < len(pairs))

    # What is not JSON is refused by its reader.
    with suppress(ValueError, RecursionError):
        json.loads(body, object_pairs_hook=checked)
    return any(repeated)


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def again() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again

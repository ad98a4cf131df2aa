"""What every request must pass before anything else is done: this server's name, a token, a rate and a size."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from dpselect.web.headers import Application, Message, Receive, Scope, Send, named
from dpselect.web.server.people import People, Visitor
from dpselect.web.server.problems import INSIDE, problem_response
from dpselect.web.server.settings import Limits

HEALTH = "/health"
_access = logging.getLogger("dpselect.access")
_log = logging.getLogger("dpselect.server")
# Tokens whose rates are remembered.
_MOST = 10_000


class Gate:
    """An application that only users with a token reach.

    Attributes:
        hosts: what a request may call this server.
        counts: of replies, by their status.
    """

    def __init__(
        self,
        application: Application,
        people: People,
        limits: Limits,
        hosts: frozenset[str],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.application, self.hosts = application, hosts
        self.counts: Counter[int] = Counter()
        self._people, self._limits = people, limits
        self._rates = Rates(limits.requests_per_minute, now)

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
            refusal = await self._admitted(scope, receive, sent)
        except Exception as error:
            # What an error says may follow from rows, so nobody is told.
            _log.error("A request ended with %s.", type(error).__name__)
            refusal = None if begun else problem_response(500, INSIDE)
        if refusal is not None:
            await refusal(scope, receive, sent)

    async def _admitted(self, scope: Scope, receive: Receive, send: Send) -> Response | None:
        """Let the application answer, or return why not."""
        if len(hosts := named(scope, "host")) != 1 or hosts[0].lower() not in self.hosts:
            return problem_response(421, "This server has another name.")
        if scope["path"] != HEALTH:
            visitor = await self._visitor(scope)
            if visitor is None:
                return problem_response(
                    401, "Send a token that is neither expired nor revoked, as Authorization: Bearer TOKEN.",
                    {"www-authenticate": "Bearer"},
                )  # fmt: skip
            wait = self._rates.wait(visitor.token)
            if wait:
                seconds = str(int(wait) + 1)
                return problem_response(429, f"Too many requests: wait {seconds} seconds.", {"retry-after": seconds})
            scope.setdefault("state", {})["visitor"] = visitor
        body = await self._body(scope, receive)
        if isinstance(body, Response):
            return body
        await self.application(scope, _replayed(body, receive), send)
        return None

    async def _visitor(self, scope: Scope) -> Visitor | None:
        sent = named(scope, "authorization")
        scheme, _, secret = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
        if scheme.lower() != "bearer" or not secret:
            return None
        return await run_in_threadpool(self._people.visitor, secret.strip())

    async def _body(self, scope: Scope, receive: Receive) -> bytes | Response:
        """Return the body, or why it is refused: too long, or too slow."""
        most, parts, size = self._limits.body_bytes, list[bytes](), 0
        too_long = problem_response(413, f"A request has at most {most} bytes.", {"connection": "close"})
        if any(not each.strip().isdigit() or int(each) > most for each in named(scope, "content-length")):
            return too_long
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return problem_response(400, "The request was cut short.")
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > most:
                        return too_long
                    if not message.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError:
            return problem_response(408, "The request took too long to arrive.", {"connection": "close"})

    def _note(self, scope: Scope, status: int) -> None:
        self.counts[status] += 1
        visitor = scope.get("state", {}).get("visitor")
        # Neither queries nor bodies, and no durations, which may follow from rows.
        path = scope["path"].encode("ascii", "backslashreplace").decode()[:200]
        _access.info("%s %r %s %s", scope["method"], path, status, "-" if visitor is None else visitor.token)


class Rates:
    """How many requests each token may still send: a bucket that fills with time.

    Args:
        per_minute: how fast it fills, and how much it holds.
        now: seconds, from any beginning.
    """

    def __init__(self, per_minute: int, now: Callable[[], float] = time.monotonic) -> None:
        self._most, self._now = per_minute, now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, token: str) -> float:
        """Count a request; return after how many seconds it could be sent, 0 where it goes through."""
        now = self._now()
        left, seen = self._left.pop(token, (float(self._most), now))
        left = min(float(self._most), left + (now - seen) * self._most / 60)
        self._left[token] = (left - 1 if left >= 1 else left), now
        if len(self._left) > _MOST:
            self._left.popitem(last=False)
        return 0.0 if left >= 1 else (1 - left) * 60 / self._most


def _replayed(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def again() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again

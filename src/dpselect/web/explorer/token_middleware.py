"""Access for the browser that started the explorer, and for nobody else on the machine or the network.

The address that the command prints holds a token that works once. It is exchanged for a cookie that no script can read
and no other site can send. A request must name this server as its host, so that no other name can be pointed at it, and
may only read.
"""

from __future__ import annotations

from urllib.parse import parse_qsl, quote, urlencode

from dpselect.web import tokens
from dpselect.web.headers import Application, Message, Receive, Scope, Send, header_values


class TokenMiddleware:
    """An application behind a token.

    Attributes:
        token: what the first address must hold; it works once.
        hosts: what a request may call this server.
    """

    def __init__(self, application: Application, port: int) -> None:
        self.application, self.port = application, port
        self.hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self.token = tokens.fresh()
        self._session = tokens.fresh()
        self._used = False
        # Cookies do not tell ports apart, and two explorers may run.
        self._cookie = f"dpselect-explorer-{port}"

    def address(self, page: str = "/") -> str:
        """Return the address that lets one browser in."""
        path, _, query = page.partition("?")
        # The link of a colleague may still hold the token of theirs.
        kept = [each for each in parse_qsl(query, keep_blank_values=True) if each[0] != "token"]
        kept.append(("token", self.token))
        return f"http://{self.hosts[0]}/{path.lstrip('/')}?{urlencode(kept)}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse in one sentence."""
        if scope["type"] == "lifespan":
            return await self.application(scope, receive, send)
        if scope["type"] != "http":
            return await _close(scope, receive, send)
        refusal = self._refusal(scope)
        if refusal is not None:
            return await _refuse(send, *refusal)
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "token"]
        # A program that only asks whether an address is there does not use it up.
        if given and scope["method"] == "GET" and self._lets_in(given):
            return await self._enter(send, scope["path"], [each for each in query if each[0] != "token"])
        if not self._has_session(scope):
            return await _refuse(send, 403, "Open the address that dpselect explore printed; it works once.")
        return await self.application(scope, receive, send)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        if header_values(scope, "host") not in ([host] for host in self.hosts):
            return 421, "This server answers to 127.0.0.1 alone."
        if any(origin not in (f"http://{host}" for host in self.hosts) for origin in header_values(scope, "origin")):
            return 403, "This server answers its own pages alone."
        foreign = any(site not in ("same-origin", "none") for site in header_values(scope, "sec-fetch-site"))
        # A link on another site may lead here, but only to a page of its own, not to a frame.
        opened = header_values(scope, "sec-fetch-mode") == ["navigate"] and header_values(scope, "sec-fetch-dest") == [
            "document"
        ]
        if foreign and not opened:
            return 403, "This server answers its own pages alone."
        if scope["method"] not in ("GET", "HEAD"):
            return 405, "The explorer can only be read."
        if header_values(scope, "transfer-encoding") or any(
            size.strip() != "0" for size in header_values(scope, "content-length")
        ):
            return 413, "The explorer takes no uploads."
        if header_values(scope, "upgrade"):
            return 400, "The explorer speaks plain HTTP alone."
        return None

    def _lets_in(self, given: list[str]) -> bool:
        if self._used or len(given) != 1 or not tokens.same(given[0], self.token):
            return False
        self._used = True
        return True

    def _has_session(self, scope: Scope) -> bool:
        # Cookies of other servers on this machine come along, in forms that a strict reader would stop at.
        for cookie in ";".join(header_values(scope, "cookie")).split(";"):
            name, _, value = cookie.strip().partition("=")
            if name == self._cookie and tokens.same(value, self._session):
                return True
        return False

    async def _enter(self, send: Send, path: str, query: list[tuple[str, str]]) -> None:
        cookie = f"{self._cookie}={self._session}; HttpOnly; SameSite=Strict; Path=/"
        # Never to another server, which "//name" would be, and never a second header after the end of a line.
        where = "/" + quote(path.lstrip("/\\")) + (f"?{urlencode(query)}" if query else "")
        headers = [(b"set-cookie", cookie.encode()), (b"location", where.encode("ascii"))]
        await _send_reply(send, 303, headers, b"")


async def _refuse(send: Send, status: int, sentence: str) -> None:
    await _send_reply(send, status, [(b"content-type", b"text/plain; charset=utf-8")], f"{sentence}\n".encode())


async def _send_reply(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    sized = [*headers, (b"content-length", str(len(body)).encode())]
    start: Message = {"type": "http.response.start", "status": status, "headers": sized}
    await send(start)
    await send({"type": "http.response.body", "body": body})


async def _close(scope: Scope, receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": f"{scope['type']}.close", "code": 1008})

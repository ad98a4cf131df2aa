"""Another server on this machine, whose pages try to reach the explorer."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType


class Elsewhere:
    """A server on a free port that answers every path with an empty page.

    Attributes:
        port: of 127.0.0.1, which is also a port of localhost.
        cookies: what it was sent.
    """

    def __init__(self) -> None:
        self.cookies: list[str] = []
        cookies = self.cookies

        class Blank(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                cookies.append(self.headers.get("Cookie") or "")
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<!doctype html><title>elsewhere</title><link rel=icon href=data:,>")

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Blank)
        self.port = self._server.server_address[1]

    def __enter__(self) -> Elsewhere:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

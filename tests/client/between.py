"""What may stand between a client and a server: something that loses replies, changes them, or does TLS."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass
class Between:
    """Passes requests on to a port, and what comes back through ``changed``: ``None`` loses it."""

    target: int
    changed: Callable[[str, int, bytes], tuple[int, bytes] | None] = lambda _path, status, body: (status, body)
    seen: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    port: int = 0

    @property
    def keys(self) -> list[str]:
        """Return the idempotency keys of the releases that went through."""
        return [headers["idempotency-key"] for _, path, headers in self.seen if path.endswith("/release")]


@contextmanager
def standing(between: Between, context: ssl.SSLContext | None = None) -> Iterator[Between]:
    """Let it stand there for a while."""

    class Handler(BaseHTTPRequestHandler):
        def _pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            sent = {name: value for name, value in self.headers.items() if name.lower() != "host"}
            between.seen.append((self.command, self.path, {name.lower(): value for name, value in sent.items()}))
            line = http.client.HTTPConnection("127.0.0.1", between.target, timeout=60)
            line.request(self.command, self.path, body or None, sent)
            reply = line.getresponse()
            passed = between.changed(self.path, reply.status, reply.read())
            line.close()
            if passed is None:
                self.close_connection = True
                return
            self.send_response(passed[0])
            self.send_header("Content-Length", str(len(passed[1])))
            if 300 <= passed[0] < 400:
                self.send_header("Location", f"http://127.0.0.1:{between.target}/datasets")
            self.end_headers()
            self.wfile.write(passed[1])

        do_GET = do_POST = _pass_on

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """Say nothing of clients that go away."""

    server = Quiet(("127.0.0.1", 0), Handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    between.port = server.server_address[1]
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield between
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

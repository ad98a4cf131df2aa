"""Replies over TLS come from somebody whom this machine trusts."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from dpselect.web.server.openid.replies import ProviderError, ask
from tests.web.server.certified import certified


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"here": true}')

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def over_tls(tmp_path) -> Iterator[tuple[int, Path]]:
    """The port of a server over TLS, and the certificate that only itself vouches for."""
    own, key = certified(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own, key)
    server = HTTPServer(("127.0.0.1", 0), _Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server.server_port, own
    server.shutdown()
    server.server_close()


def test_a_certificate_must_be_trusted(over_tls, monkeypatch) -> None:
    """That of an office's own authority is, where SSL_CERT_FILE names it; and it must be for the host."""
    port, own = over_tls
    with pytest.raises(ProviderError, match="is not trusted"):
        ask(f"https://localhost:{port}/")
    monkeypatch.setenv("SSL_CERT_FILE", str(own))
    assert {"here": True} == ask(f"https://localhost:{port}/")
    with pytest.raises(ProviderError, match="is not trusted"):
        ask(f"https://127.0.0.1:{port}/")


def test_a_proxy_is_not_asked(over_tls, monkeypatch) -> None:
    """Whatever the environment names: it would see what is asked for over http."""
    port, own = over_tls
    monkeypatch.setenv("SSL_CERT_FILE", str(own))
    for name in ("http_proxy", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert {"here": True} == ask(f"https://localhost:{port}/")


def test_nobody_there_is_told_without_the_address() -> None:
    """The message is for the log, and addresses may hold what a log should not."""
    with pytest.raises(ProviderError) as refused:
        ask("http://127.0.0.1:1/secret-path")
    assert "secret-path" not in str(refused.value)

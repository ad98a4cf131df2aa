"""Connections that say nothing, or say it slowly, are closed; those that ask are served meanwhile."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path

import pytest

from tests.web.server.conftest import CONFIG
from tests.web.server.served import Office

HEAD = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"


@contextmanager
def standing(folder: Path, head_seconds: float, body_seconds: float) -> Iterator[Office]:
    """Run a server for eight connections, with so much patience."""
    patience = f"head_seconds = {head_seconds}\nbody_seconds = {body_seconds}\nconnections = 8"
    made = Office(folder, CONFIG.replace("[limits]", f"[limits]\n{patience}"))
    made.start()
    try:
        yield made
    finally:
        made.kill()


@pytest.fixture(scope="module")
def office(tmp_path_factory) -> Iterator[Office]:
    """A server with little patience."""
    with standing(tmp_path_factory.mktemp("lines"), 0.5, 1.5) as made:
        yield made


@pytest.fixture(scope="module")
def patient(tmp_path_factory) -> Iterator[Office]:
    """A server that waits ten minutes for headers, and little for whoever does not read."""
    with standing(tmp_path_factory.mktemp("patient"), 600, 0.5) as made:
        yield made


def opened(office: Office) -> socket.socket:
    """Return a connection."""
    return socket.create_connection(("127.0.0.1", office.port), timeout=60)


def require_closed(line: socket.socket) -> None:
    """Wait until the other side has closed, without having said anything."""
    with suppress(ConnectionResetError):
        assert line.recv(1) == b""


def answers(office: Office) -> bool:
    """Return whether somebody else gets an answer now."""
    with suppress(OSError, HTTPException):
        return 200 == office.send(None, "GET", "/health").status
    return False


def require_answer(office: Office) -> None:
    """Wait until there is room for somebody else: the server hears a little later of those that have gone."""
    until = time.monotonic() + 60
    while not answers(office):
        assert time.monotonic() < until
        time.sleep(0.05)


def test_headers_that_do_not_come(office) -> None:
    """Nothing, half a line, and headers without an end are all given up; a byte now and then gives no more time."""
    silent, half, endless, dripping = (opened(office) for _ in range(4))
    half.sendall(b"GET /hea")
    endless.sendall(HEAD % office.port)
    with suppress(OSError):
        # Twenty seconds of bytes, where half a second is allowed.
        for byte in (HEAD % office.port) + b"X-Slow: " + b"y" * 1000:
            dripping.sendall(bytes([byte]))
            time.sleep(0.02)
        pytest.fail("it was never closed")
    for line in (silent, half, endless):
        require_closed(line)
        line.close()
    dripping.close()
    assert 200 == office.send(None, "GET", "/health").status


def test_the_next_request_of_a_connection_may_not_drip_either(office) -> None:
    """After an answer the headers of another request have as long as those of the first."""
    with opened(office) as line:
        line.sendall(HEAD % office.port + b"\r\n")
        reply = b""
        while not reply.endswith(b"}"):
            reply += line.recv(65536)
        assert reply.startswith(b"HTTP/1.1 200")
        line.sendall(b"GET /hea")
        require_closed(line)


def test_a_slow_answer_and_a_slow_body_are_not_slow_headers(office) -> None:
    """A request that has come is not given up: its body has a time of its own, with a sentence at the end."""
    with opened(office) as line:
        head = HEAD.replace(b"GET /health", b"POST /datasets/survey/plan") % office.port
        line.sendall(head + b"Authorization: Bearer %s\r\nContent-Length: 9\r\n\r\n" % office.tokens["ann"].encode())
        begun = time.monotonic()
        assert b" 408 " in line.recv(65536).splitlines()[0]
        # Longer than headers may take: no load of the machine lets a timer ring too soon.
        assert time.monotonic() - begun > 1


def test_too_many_connections(patient) -> None:
    """Those beyond the limit are closed, though nobody lost patience; when others have gone there is room again."""
    lines = [opened(patient) for _ in range(8)]
    with opened(patient) as line:
        require_closed(line)
    for each in lines:
        each.setblocking(False)
        with pytest.raises(BlockingIOError):
            each.recv(1)
        each.close()
    require_answer(patient)


def test_nobody_stays_who_does_not_read(patient) -> None:
    """Strangers that ask again and again and read no answer are given up; else eight would keep all others out."""
    asked = (HEAD.replace(b"/health", b"/pages/static/explorer.css") % patient.port + b"\r\n") * 200
    lines = [socket.socket() for _ in range(8)]
    for line in lines:
        # The smaller what this machine keeps for the reader, the sooner the server has to wait.
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", patient.port))
        line.setblocking(False)
        with suppress(BlockingIOError):
            for _ in range(40):
                line.send(asked)
    require_answer(patient)
    for line in lines:
        line.close()


@pytest.mark.parametrize(
    "line, host, token",
    [
        (b"POST /datasets/survey/plan", b"127.0.0.1", True),
        (b"POST /datasets/survey/plan", b"127.0.0.1", False),
        (b"POST /datasets/survey/plan", b"elsewhere.example", True),
        (b"POST /pages/enter", b"127.0.0.1", False),
        (b"GET /health", b"127.0.0.1", False),
    ],
    ids=["analyst", "stranger", "another host", "page", "health"],
)
def test_a_request_with_two_lengths_is_refused_and_its_connection_closed(office, line, host, token) -> None:
    """Whoever sends it: what follows it is not answered, since another program may take those bytes for its body."""
    head = b"%s HTTP/1.1\r\nHost: %s:%d\r\n" % (line, host, office.port)
    if token:
        head += b"Authorization: Bearer %s\r\n" % office.tokens["ann"].encode()
    second = HEAD % office.port + b"\r\n"
    with opened(office) as connection:
        connection.sendall(head + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + second)
        reply = b""
        with suppress(ConnectionResetError):
            while part := connection.recv(65536):
                reply += part
    assert reply.startswith(b"HTTP/1.1 400")
    assert b"not both" in reply
    assert b"connection: close" in reply.lower()
    assert 1 == reply.count(b"HTTP/1.1")

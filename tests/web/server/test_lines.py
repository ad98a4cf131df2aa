"""Connections that say nothing, or say it slowly, are closed; those that ask are served meanwhile."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPException

import pytest

from tests.web.server.conftest import CONFIG
from tests.web.server.served import Office

HEAD = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
LIMITS = "requests_per_minute = 100000\nhead_seconds = 1\nconnections = 8\nbody_seconds = 3"


@pytest.fixture(scope="module")
def office(tmp_path_factory) -> Iterator[Office]:
    """A server with little patience."""
    made = Office(tmp_path_factory.mktemp("lines"), CONFIG.replace("requests_per_minute = 100000", LIMITS))
    made.start()
    yield made
    made.kill()


def opened(office: Office) -> socket.socket:
    """Return a connection."""
    return socket.create_connection(("127.0.0.1", office.port), timeout=20)


def closed_after(line: socket.socket) -> float:
    """Return after how many seconds the other side closed, without having said anything."""
    begun = time.monotonic()
    with suppress(ConnectionResetError):
        assert line.recv(1) == b""
    return time.monotonic() - begun


def test_headers_that_do_not_come(office) -> None:
    """Nothing, half a line, and headers without an end are all given up; a byte now and then gives no more time."""
    silent, half, endless, dripping = (opened(office) for _ in range(4))
    half.sendall(b"GET /hea")
    endless.sendall(HEAD % office.port)
    begun = time.monotonic()
    with suppress(OSError):
        for byte in (HEAD % office.port) + b"X-Slow: " + b"y" * 200:
            dripping.sendall(bytes([byte]))
            time.sleep(0.05)
        pytest.fail("it was never closed")
    assert time.monotonic() - begun < 8
    for line in (silent, half, endless):
        assert closed_after(line) < 8
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
        assert closed_after(line) < 8


def test_a_slow_answer_and_a_slow_body_are_not_slow_headers(office) -> None:
    """A request that has come is not given up: its body has a time of its own, with a sentence at the end."""
    with opened(office) as line:
        head = HEAD.replace(b"GET /health", b"POST /datasets/survey/plan") % office.port
        line.sendall(head + b"Authorization: Bearer %s\r\nContent-Length: 9\r\n\r\n" % office.tokens["ann"].encode())
        begun = time.monotonic()
        assert b" 408 " in line.recv(65536).splitlines()[0]
        assert time.monotonic() - begun > 2


def test_too_many_connections(office) -> None:
    """Those beyond the limit are closed at once, and when others have gone there is room again."""
    lines = [opened(office) for _ in range(8)]
    time.sleep(0.1)
    with opened(office) as line:
        assert closed_after(line) < 0.9
    for each in lines:
        each.close()
    time.sleep(0.2)
    assert 200 == office.send(None, "GET", "/health").status


def test_nobody_stays_who_does_not_read(office) -> None:
    """Strangers that ask again and again and read no answer are given up; else eight would keep all others out."""
    asked = (HEAD.replace(b"/health", b"/pages/static/explorer.css") % office.port + b"\r\n") * 200
    lines = [socket.socket() for _ in range(8)]
    for line in lines:
        # The smaller what this machine keeps for the reader, the sooner the server has to wait.
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", office.port))
        line.setblocking(False)
        with suppress(BlockingIOError):
            for _ in range(40):
                line.send(asked)
    until, reply = time.monotonic() + 25, None
    while reply is None and time.monotonic() < until:
        time.sleep(1)
        with suppress(OSError, HTTPException):
            reply = office.send(None, "GET", "/health")
    for line in lines:
        line.close()
    assert reply is not None
    assert 200 == reply.status


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

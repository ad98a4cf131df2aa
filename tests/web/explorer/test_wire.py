"""Bytes that no browser would send, to a real server: each is answered at once, and none of them ends it."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra web")
from tests.web.explorer.served import Served

SHOWN = "candidate=a&candidate-count=3&candidate={}&candidate-count=2"


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """A running explorer."""
    with Served() as server:
        yield server


@pytest.fixture(scope="module")
def cookie(served) -> str:
    """What the browser holds that opened the printed address."""
    path = served.first.removeprefix(served.here)
    answer = served.asked(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nConnection: close\r\n\r\n".encode())
    found = re.search(rb"set-cookie: ([^;]+);", answer)
    assert found is not None
    return found[1].decode()


@pytest.fixture
def ask(served, cookie):
    """A request of someone who has been let in; returns the status, the whole answer, and the seconds."""

    def asked(target: str | bytes, host: str | None = None, more: str | bytes = b"", method: str = "GET"):
        head = [f"{method} ".encode() + (target if isinstance(target, bytes) else target.encode()) + b" HTTP/1.1"]
        hosts = [f"127.0.0.1:{served.port}"] if host is None else host.split("|")
        head += [f"Host: {each}".encode() for each in hosts]
        head += [f"Cookie: {cookie}".encode(), b"Connection: close"]
        head += [more if isinstance(more, bytes) else more.encode()] if more else []
        begun = time.monotonic()
        answer = served.asked(b"\r\n".join(head) + b"\r\n\r\n")
        assert served.alive()
        return int(answer.split()[1]), answer.decode("utf-8", "replace"), time.monotonic() - begun

    return asked


def test_an_ordinary_request_is_answered(ask) -> None:
    """The same bytes as below, with nothing wrong about them."""
    status, text, _ = ask("/candidates")

    assert 200 == status
    assert 'class="headline"' in text


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "[::1]", "0", "2130706433", "localhost."])
def test_a_host_of_another_name_is_refused(ask, served, host) -> None:
    """A name that was made to lead to this machine after its page was loaded, cookie or not."""
    for name in (host, f"{host}:{served.port}"):
        assert 421 == ask("/candidates", name)[0]


def test_two_hosts_are_refused(ask, served) -> None:
    """In either order, and twice the right one."""
    here = f"127.0.0.1:{served.port}"
    for hosts in (f"{here}|evil.example", f"evil.example|{here}", f"{here}|{here}"):
        assert 400 <= ask("/candidates", hosts)[0] < 500


def test_a_target_that_names_a_server_is_not_followed(ask) -> None:
    """The explorer is no proxy, and the host of a target does not count."""
    for target in ("http://evil.example/", "http://evil.example/candidates", "//evil.example/candidates", "*"):
        assert 404 == ask(target)[0]
    assert 405 == ask("evil.example:80", method="CONNECT")[0]


@pytest.mark.parametrize(
    "more",
    [
        "Transfer-Encoding: chunked",
        "Content-Length: 5",
        "Content-Length: 0\r\nTransfer-Encoding: chunked",
        "Host : evil",
    ],
)
def test_nothing_is_smuggled_behind_a_request(ask, more) -> None:
    """A request with a body, or with two ideas of its length, is refused."""
    assert ask("/candidates", more=more)[0] in (400, 413)


def test_a_socket_that_stays_open_is_refused(ask) -> None:
    """No request becomes a web socket, the cookie notwithstanding."""
    more = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
    status, text, _ = ask("/", more=more)

    assert 400 == status
    assert "plain HTTP" in text


@pytest.mark.parametrize(
    "odd", ["%00", "%01", "%0d%0aX-Injected:%20yes", "%ff%fe", "%ed%a0%80", "%ef%bf%bf", "%e2%80%ae"]
)
def test_odd_bytes_are_never_an_error_of_the_server(ask, odd) -> None:
    """In the path, in the name of a value, in a value, in a name that a chart would show."""
    for target in (f"/{odd}", f"/candidates{odd}", f"/candidates?{odd}=1", f"/candidates?epsilon={odd}",
                   f"/candidates?{SHOWN.format(odd)}", f"/candidates/notebook.ipynb?{SHOWN.format(odd)}",
                   f"/static/{odd}"):  # fmt: skip
        status, text, _ = ask(target)

        assert status in (200, 400, 404)
        assert "x-injected" not in text.split("\r\n\r\n")[0].lower()


@pytest.mark.parametrize("odd", [b"/\x00", b"/\xff\xfe", b"/a b", b"/\x7f", b""])
def test_bytes_that_are_no_address_are_refused(ask, odd) -> None:
    """Before any of the library's own code sees them."""
    assert 400 == ask(odd)[0]


@pytest.mark.parametrize("hidden", ["%00", "%0a", "%1b", "%c2%9b", "%e2%80%a8", "%e2%80%ae", "%e2%81%a6"])
def test_a_name_with_a_hidden_character_is_a_sentence(ask, hidden) -> None:
    """A name is copied to a terminal with its command: it cannot end a line there, nor turn it round."""
    status, text, _ = ask(f"/candidates?{SHOWN.format('a' + hidden + 'b')}")

    assert 400 == status
    assert "A name has a character that is not shown: leave it out." in text


@pytest.mark.parametrize(
    "other", [b'{"a": [1]}; b[]', b"\xff\xfe=\x80", b'open="never closed', b"=; ;;==", b"$Path=/; a"]
)
def test_cookies_of_other_servers_do_not_matter(served, cookie, other) -> None:
    """All ports of a machine share their cookies, and some write what a strict reader would stop at."""
    head = f"GET /candidates HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nConnection: close\r\nCookie: ".encode()
    with_ours, without = (served.asked(head + other + ours + b"\r\n\r\n") for ours in (f"; {cookie}".encode(), b""))

    assert with_ours.startswith(b"HTTP/1.1 200")
    assert without.startswith(b"HTTP/1.1 403")


def test_a_cookie_that_is_nearly_right_is_refused(served, cookie) -> None:
    """Without its last letter, with one more, or of another explorer's name."""
    head = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nConnection: close\r\nCookie: "
    for wrong in (cookie[:-1], f"{cookie}x", f"x{cookie}", cookie.replace(str(served.port), "1"), cookie.upper()):
        assert served.asked(f"{head}{wrong}\r\n\r\n".encode()).startswith(b"HTTP/1.1 403")


def test_long_addresses_are_answered_quickly(ask) -> None:
    """10^4 values, thousands of rows, and a megabyte: each as a page or a refusal, whose time is not the square."""
    values = "&".join(f"{number:x}=" for number in range(10_000))
    rows = "&".join(["candidate=a", "candidate-count=1"] * 2000)
    for target, expected in ((f"/candidates?{values}", 200), (f"/candidates?{rows}", 400),
                             (f"/candidates?epsilon={'9' * 50_000}", 400), (f"/{'a' * 50_000}", 404),
                             (f"/candidates?x={'a' * 1_000_000}", 400)):  # fmt: skip
        status, _, seconds = ask(target)

        assert expected == status
        assert seconds < 60


def test_who_is_slow_keeps_nobody_waiting(ask, served) -> None:
    """A hundred connections that never finish their first line."""
    slow = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(100)]
    try:
        for connection in slow:
            connection.sendall(b"GET /candidates HTTP/1.1\r\nHos")
        status, _, seconds = ask("/candidates")
    finally:
        for connection in slow:
            connection.close()

    assert 200 == status
    assert seconds < 60


def test_a_line_end_in_the_first_address_is_no_header() -> None:
    """The address that works once leads to a page of its own path, whatever the path; a second header is none."""
    with Served() as server:
        token = server.first.partition("?")[2]
        request = f"GET /a%0d%0aX-Injected:%20yes?{token} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        answer = server.asked(f"{request}Connection: close\r\n\r\n".encode()).lower()

    assert answer.startswith(b"http/1.1 303")
    assert b"\r\nx-injected" not in answer
    assert b"\r\nlocation: /a%0d%0ax-injected" in answer

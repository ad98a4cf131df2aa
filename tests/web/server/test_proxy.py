"""A server behind nginx, as the documentation sets it up: TLS, limits, and no header of a proxy that is believed."""

from __future__ import annotations

import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import pytest

import dpselect as dps
from tests.web.server.certified import certified
from tests.web.server.conftest import CONFIG
from tests.web.server.served import Office

SITE = Path(__file__).parents[3] / "docs" / "deploy" / "nginx.conf"
REQUIRED = os.environ.get("DPSELECT_PROXY") == "required"
MAIN = """
pid {folder}/nginx.pid;
error_log {folder}/errors.log warn;
worker_processes 1;
daemon off;
{user}
events {{ worker_connections 256; }}
http {{
    # As in the files that Debian and the image of nginx come with.
    sendfile on;
    tcp_nopush on;
    keepalive_timeout 65;
    gzip on;
    access_log {folder}/other.log;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


@dataclass(frozen=True)
class Proxied:
    """A server, and nginx in front of it."""

    office: Office
    port: int
    certificate: Path
    folder: Path

    def line(self, name: str = "localhost", source: str = "127.0.0.1") -> ssl.SSLSocket:
        """Return a connection that checks the certificate, and asks for a server of this name."""
        context = ssl.create_default_context(cafile=str(self.certificate))
        context.check_hostname = name == "localhost"
        with ExitStack() as undone:
            bare = undone.enter_context(socket.create_connection(("127.0.0.1", self.port), 30, (source, 0)))
            line = context.wrap_socket(bare, server_hostname=name)
            undone.pop_all()
        return line

    def raw(self, request: str, source: str = "127.0.0.1") -> bytes:
        """Return all that comes back to the bytes of a request from an address of this machine."""
        with closing(self.line(source=source)) as line:
            line.sendall(request.encode())
            return _all(line)

    def first_line(self, request: str) -> bytes:
        """Return the status line of the reply, without waiting until nginx closes: it reads on for seconds."""
        with closing(self.line()) as line, line.makefile("rb") as reply:
            line.sendall(request.encode())
            return reply.readline()

    def head(self, method: str, path: str, *headers: str, host: str = "") -> str:
        """Return the head of a request of ann."""
        named = [f"Host: {host or f'localhost:{self.port}'}", f"Authorization: Bearer {self.office.tokens['ann']}"]
        return "\r\n".join([f"{method} {path} HTTP/1.1", *named, "Connection: close", *headers, "", ""])


def _all(line: socket.socket) -> bytes:
    parts = []
    try:
        while part := line.recv(65536):
            parts.append(part)
    except (ConnectionError, ssl.SSLError):
        pass
    return b"".join(parts)


def _free() -> int:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _site(server: int, port: int, folder: Path) -> str:
    """Return the site of the documentation with the addresses, files and shorter waits of this test."""
    certificate, key = certified(folder)
    changes = {
        "server dpselect:8440;": f"server 127.0.0.1:{server};",
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "server_name dp.example.org;": "server_name localhost dp.example.org;",
        "/run/secrets/certificate;": f"{certificate};",
        "/run/secrets/certificate_key;": f"{key};",
        "access_log /dev/stdout": f"access_log {folder}/access.log",
        "client_header_timeout 10s;": "client_header_timeout 1s;",
        "client_body_timeout 10s;": "client_body_timeout 1s;",
    }
    text = SITE.read_text(encoding="utf-8")
    for before, after in changes.items():
        assert before in text, before
        text = text.replace(before, after)
    return text


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    """A running server behind a running nginx."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        (pytest.fail if REQUIRED else pytest.skip)("nginx is not installed: apt-get install nginx-light")
    # Short, and readable by the user that nginx becomes.
    folder, port = tmp_path_factory.mktemp("proxy"), _free()
    (folder / "office").mkdir()
    names = f'port = 0\nhosts = ["localhost:{port}", "dp.example.org"]'
    office = Office(folder / "office", CONFIG.replace("port = 0", names))
    office.start()
    (folder / "site.conf").write_text(_site(office.port, port, folder), encoding="utf-8")
    user = "user root;" if os.getuid() == 0 else ""
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder, user=user), encoding="utf-8")
    command = [program, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "errors.log")]
    subprocess.run([*command, "-t"], check=True, capture_output=True)
    with subprocess.Popen(command) as nginx:
        try:
            result = Proxied(office, port, folder / "certificate.pem", folder)
            for _ in range(100):
                try:
                    result.line().close()
                    break
                except OSError:
                    time.sleep(0.05)
            yield result
        finally:
            nginx.terminate()
            nginx.wait(30)
            office.kill()


def test_the_client_asks_through_it(proxied) -> None:
    """With the certificate of the office: a plan, a release, its certificate, and the same answer for the same key."""
    server = dps.connect(
        f"https://localhost:{proxied.port}", proxied.office.tokens["ann"], authority=proxied.certificate
    )
    survey = server.dataset("survey")
    assert 28 == survey.plan.median("age", epsilon=0.5).error_bound.at()
    query = dps.queries.Median("age", epsilon=0.5)
    first = survey.ask(query, key="through-a-proxy")
    assert first.value == survey.ask(query, key="through-a-proxy").value
    assert first.certificate().content["answer"]


def test_a_certificate_of_nobody_is_refused(proxied) -> None:
    """Without the office's file the client sends nothing, and says what to pass."""
    server = dps.connect(f"https://localhost:{proxied.port}", proxied.office.tokens["ann"])
    with pytest.raises(ConnectionError, match="authority="):
        server.datasets()


def test_a_browser_logs_in_through_it(proxied) -> None:
    """Its cookie goes over TLS alone and to no other server, and opens the pages; TLS is to be kept to."""
    form = f"token={proxied.office.tokens['ann']}"
    own = ["Origin: null", "Sec-Fetch-Site: same-origin", f"Content-Length: {len(form)}"]
    kind = "Content-Type: application/x-www-form-urlencoded"
    head = proxied.head("POST", "/login", *own, kind, host="dp.example.org")
    entered = proxied.raw(head + form).decode()
    assert " 303 " in entered.splitlines()[0]
    assert "\nstrict-transport-security: max-age=" in entered.lower()
    cookie = re.search(r"(?i)\nset-cookie: (__Host-dpselect=[^;]+); .*Secure", entered)
    assert cookie is not None
    shown = proxied.raw(proxied.head("GET", "/pages", f"Cookie: {cookie[1]}", host="dp.example.org")).decode()
    assert " 200 " in shown.splitlines()[0]
    assert "survey" in shown


def test_another_name_is_refused(proxied) -> None:
    """In the handshake without the name; with it and another Host, by the proxy; and the server itself refuses it."""
    with pytest.raises(ssl.SSLError):
        proxied.line("other.example.org")
    assert b" 421 " in proxied.raw(proxied.head("GET", "/datasets", host="other.example.org")).splitlines()[0]
    assert 421 == proxied.office.send("ann", "GET", "/datasets", Host="other.example.org").status
    assert 200 == proxied.office.send("ann", "GET", "/datasets", Host=f"localhost:{proxied.port}").status


FORWARDED = {
    "X_Forwarded_For": "192.0.2.66",
    "X_Forwarded_Host": "other.example.org",
    "X_Forwarded_Proto": "https",
    "X_Forwarded_Prefix": "/other",
    "X_Real_IP": "192.0.2.66",
    "Forwarded": "for=192.0.2.66;host=other.example.org;proto=https",
}


@pytest.mark.parametrize("path", ["/datasets", "/datasets/", "/openapi.json", "/nothing", "/health"])
def test_what_a_proxy_says_is_not_believed(proxied, path) -> None:
    """The server sends the same with and without such headers, from this machine too, and notes none of them."""
    plain, told = (proxied.office.send("ann", "GET", path, **headers) for headers in ({}, FORWARDED))
    assert (plain.status, plain.body) == (told.status, told.body)
    assert plain.headers | {"date": ""} == told.headers | {"date": ""}
    # Nobody is sent from TLS to an address without it.
    assert "location" not in plain.headers
    assert "192.0.2.66" not in proxied.office.log()
    assert "other.example.org" not in proxied.office.log()


def test_a_slow_head_and_a_slow_body_are_ended(proxied) -> None:
    """Both by the proxy, after its time; and others are answered meanwhile."""
    slow = ["GET /datasets HTTP/1.1\r\nHost: loc", proxied.head("POST", "/datasets/survey/plan", "Content-Length: 99")]
    with ExitStack() as closed:
        lines = [closed.enter_context(proxied.line()) for _ in slow]
        for line, text in zip(lines, slow, strict=True):
            line.sendall(text.encode())
        assert b" 200 " in proxied.raw(proxied.head("GET", "/datasets")).splitlines()[0]
        replies = [_all(line) for line in lines]
    assert not any(b" 200 " in reply for reply in replies)


def test_a_long_body_is_refused_before_the_server_sees_it(proxied) -> None:
    """413, whether its length is said or not."""
    noted = proxied.office.log()
    said = proxied.head("POST", "/datasets/survey/plan", "Content-Length: 999999")
    assert b" 413 " in proxied.first_line(said)
    unsaid = proxied.head("POST", "/datasets/survey/plan", "Transfer-Encoding: chunked")
    assert b" 413 " in proxied.first_line(f"{unsaid}1fffff\r\n{'x' * 200000}")
    assert noted == proxied.office.log()


def test_a_head_that_is_too_long_is_refused(proxied) -> None:
    """400, by the proxy."""
    noted = proxied.office.log()
    assert b" 400 " in proxied.raw(proxied.head("GET", "/datasets", f"X-Long: {'x' * 40000}")).splitlines()[0]
    assert noted == proxied.office.log()


def test_one_address_has_few_connections(proxied) -> None:
    """Of sixty that are open at once, some are refused with 429, and none hangs."""

    def ask(_: int) -> bytes:
        with closing(proxied.line()) as line:
            line.sendall(proxied.head("POST", "/datasets/survey/plan", "Content-Length: 2").encode())
            time.sleep(0.3)
            line.sendall(b"{}")
            return _all(line).split(b"\r\n", 1)[0]

    with ThreadPoolExecutor(60) as pool:
        statuses = [re.search(rb" (\d{3}) ", first) for first in pool.map(ask, range(60))]
    assert {b"422", b"429"} == {found[1] for found in statuses if found}


def test_logging_in_is_slowed_per_address(proxied) -> None:
    """After a burst of wrong tokens the proxy refuses further ones; other pages are not counted."""
    form = "token=wrong-token"
    head = proxied.head(
        "POST", "/login", "Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(form)}"
    )
    # From an address that no other test uses: those log in, too.
    statuses = [proxied.raw(head + form, "127.0.0.2").split(b" ", 2)[1] for _ in range(15)]
    assert b"403" == statuses[0]
    assert b"429" == statuses[-1]
    assert b"200" == proxied.raw(proxied.head("GET", "/datasets"), "127.0.0.2").split(b" ", 2)[1]


def test_the_proxys_log_has_neither_queries_nor_durations(proxied) -> None:
    """A moment, an address, a method, a path and a status: nothing that a row could have slowed, and no token."""
    proxied.raw(proxied.head("GET", "/datasets?secret=canary"))
    time.sleep(0.2)
    lines = (proxied.folder / "access.log").read_text(encoding="utf-8").splitlines()
    assert lines
    assert all(
        re.fullmatch(r"[\dT:+-]+ 127\.0\.0\.[12] [A-Z]+ /\S* \d{3}", line) for line in lines if " 400" not in line
    )
    written = "".join(path.read_text(errors="replace") for path in proxied.folder.glob("*.log"))
    assert proxied.office.tokens["ann"] not in written
    assert "canary" not in "".join(lines)

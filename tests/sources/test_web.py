"""Tables at http(s) addresses: fetched once, read like files, refused in one sentence."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main
from dpselect.sources import web

pytest.importorskip("pyarrow")

TABLE = "\n".join(["person;region;income", *(f"p{row};North;{row},5" for row in range(40))]).encode()


class Place(ThreadingHTTPServer):
    """A server on this machine, and what was asked of it."""

    asked: Counter[str]

    @property
    def address(self) -> str:
        """How addresses on it begin."""
        return f"http://127.0.0.1:{self.server_port}"


class Answers(BaseHTTPRequestHandler):
    """Files by name, redirects, and answers that break off."""

    server: Place

    def do_GET(self) -> None:
        """Answer."""
        self.server.asked[self.path] += 1
        name = self.path.split("?")[0]
        if name == "/moved.csv":
            self.send_response(302)
            self.send_header("Location", "/people.csv")
            self.end_headers()
            return
        if name == "/away.csv":
            self.send_response(302)
            self.send_header("Location", "ftp://127.0.0.1/people.csv")
            self.end_headers()
            return
        content = {"/people.csv": TABLE, "/edges.csv": b"source,target\n0,1\n0,2\n", "/short.csv": TABLE}.get(name)
        self.send_response(404 if content is None else 200)
        self.send_header("Content-Length", str(len(content or b"") + (9 if name == "/short.csv" else 0)))
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """The server; copies of other tests are forgotten, as ports come again."""
    monkeypatch.setattr(web, "_copies", {})
    with Place(("127.0.0.1", 0), Answers) as server:
        server.asked = Counter()
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_an_address_is_read_like_a_file_and_fetched_once(place: Place) -> None:
    """The header and the cells are those of one copy, through redirects on the web."""
    column = dps.data.Column.read(f"{place.address}/moved.csv", "income", separator=";", decimal=",")
    events = dps.data.TableFile.of(f"{place.address}/people.csv?token=x", separator=";")

    assert 40 == len(column.values)
    assert ("North",) == dps.most_common(
        events, 1, epsilon=9, person="person", item="region", domain=["North", "x"]
    ).value
    assert [1, 1] == [place.asked["/moved.csv"], place.asked["/people.csv?token=x"]]
    assert f"{place.address}/people.csv" == events.metadata["source"]
    assert dps.Graph.read(f"{place.address}/edges.csv", nodes=3).degrees.tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing.csv", "the server answers 404"),
        ("away.csv", "could not be fetched"),
        ("short.csv", "could not be fetched"),
        ("people", "does not end in .csv"),
    ],
)
def test_what_cannot_be_fetched_is_refused_in_one_sentence(place: Place, name: str, words: str) -> None:
    """Nothing of an answer is quoted, nor what comes after the path."""
    with pytest.raises((ConnectionError, ValueError), match=words) as refused:
        dps.data.Column.read(f"{place.address}/{name}?token=secret", "income")
    assert "secret" not in str(refused.value)
    assert str(refused.value).startswith(f"{place.address}/{name} ")


def test_size_and_passwords_are_limited(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than the limit is not kept, and a password is not sent."""
    monkeypatch.setattr(web, "LARGEST", 100)
    with pytest.raises(ValueError, match="holds more than 100 bytes"):
        dps.data.Column.read(f"{place.address}/people.csv", "income")
    with pytest.raises(ValueError, match="download the file first") as refused:
        dps.data.Column.read(f"{place.address.replace('//', '//ann:secret@')}/people.csv", "income")
    assert "secret" not in str(refused.value)


def test_a_name_does_not_lead_out_of_its_folder(place: Place) -> None:
    """Escaped slashes are part of a name."""
    with pytest.raises(ConnectionError, match="404"):
        web.local(f"{place.address}/..%2F..%2Fpeople.csv")
    assert ".._.._people.csv" == web._name(f"{place.address}/..%2F..%2Fpeople.csv")


def test_a_command_reads_an_address(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Columns, events and edges; what the ledger says is the address; an engine does not fetch."""
    monkeypatch.chdir(tmp_path)
    url = f"{place.address}/people.csv"
    dialect = ["--separator", ";", "--decimal", ","]
    bounds = ["income", "--lower", "0", "--upper", "100", "--epsilon", "9"]
    assert 0 == main(["budget", "create", "l.ledger", "--epsilon", "100", "--dataset", "d"])
    assert 0 == main(["median", url, *bounds, *dialect, "--ledger", "l.ledger", "--certificate", "c.json"])
    events = ["--person", "person", "region", "--domain", "North,South"]
    assert 0 == main(["most-common", url, *events, "--separator", ";", "--epsilon", "9"])
    assert 0 == main(["top-k", f"{place.address}/edges.csv", "--nodes", "3", "degree", "--epsilon", "9"])
    capsys.readouterr()
    assert 0 == main(["budget", "export", "l.ledger"])
    assert url in capsys.readouterr().out
    assert 2 == main(["median", url, *bounds, "--in-place"])
    assert "leave out --in-place" in capsys.readouterr().err
    assert 2 == main(["median", f"{place.address}/nothing.csv", *bounds])
    assert "the server answers 404" in capsys.readouterr().err

"""Whenever a server ends, a stream was paid for once, and all answers that anybody sees are of one threshold."""

from __future__ import annotations

import http.client
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the server needs the extra web")
pytest.importorskip("sqlalchemy", reason="the server needs the extra web")

import dpselect as dps
from tests.web.server import served
from tests.web.server.served import Office, Reply
from tests.web.server.streams.streaming import POINTS

OPENING = {"epsilon": 2, "positives": 3, "threshold": 150}
NURSES, CLERKS = ({"where": {"job": job}} for job in ("nurse", "clerk"))
GONE = (OSError, http.client.HTTPException)


@pytest.fixture
def office(tmp_path, monkeypatch) -> Office:
    """A server's files."""
    monkeypatch.setattr(served, "PROGRAM", Path(__file__).parent / "streaming.py")
    # The program imports what stands beside this test.
    monkeypatch.setenv("PYTHONPATH", ":".join([str(Path(__file__).parents[4]), *_path()]))
    return Office(tmp_path)


def _path() -> list[str]:
    import os

    return [each for each in os.environ.get("PYTHONPATH", "").split(":") if each]


def opened(office: Office) -> Reply:
    """Open the stream."""
    return office.send("ann", "POST", "/datasets/survey/streams", OPENING, Idempotency_Key="stream")


def asked(office: Office, stream: str, key: str, query: Any = NURSES) -> Reply:
    """Ask it."""
    return office.send("ann", "POST", f"/streams/{stream}/queries", query, Idempotency_Key=key)


def ended(office: Office) -> None:
    """Wait until the server has ended at its point."""
    assert 9 == office.process.wait(30)
    office.process.stdout.close()


def spends(office: Office) -> list[Fraction]:
    """Return what the rows of the ledger say."""
    return [event.epsilon for event in dps.Ledger.read(office.folder / "ledgers" / "survey.ledger").events]


def require_one_life(office: Office, stream: str, seen: dict[str, bytes], queries: int) -> None:
    """Check that the stream was paid for once, has ended with its server, and stands by what was seen."""
    assert [Fraction(2)] == spends(office)
    shown = office.send("ann", "GET", f"/streams/{stream}").json
    assert ("ended", "lost", queries) == (shown["state"], shown["ending"], shown["asked"]), (
        "a stream outlived its secret"
    )
    for key, body in seen.items():
        assert body == asked(office, stream, key).body, f"{key} was answered twice differently"
    fresh = asked(office, stream, "fresh")
    assert (409, True) == (fresh.status, "held its secret has stopped" in fresh.json["detail"])
    assert stream == opened(office).json["stream"]
    assert [Fraction(2)] == spends(office)


@pytest.mark.parametrize("point", [name for name in POINTS if name.startswith("opening: ")])
def test_a_server_that_ends_while_a_stream_is_opened(office, point) -> None:
    """The same key opens it under the same payment; once the database has it as open, it has ended and says so."""
    office.start(point)
    with pytest.raises(GONE):
        opened(office)
    ended(office)
    assert (0 if point.endswith("not spent") else 1) == len(spends(office))

    office.start()
    again = opened(office)
    assert 200 == again.status
    stream = again.json["stream"]
    if point in ("opening: stored, not sent", "opening: being sent"):
        require_one_life(office, stream, {}, 0)
    else:
        assert "open" == again.json["state"]
        first = asked(office, stream, "one")
        office.kill()
        office.start()
        require_one_life(office, stream, {"one": first.body}, 1)
    office.kill()


@pytest.mark.parametrize("point", [name for name in POINTS if name.startswith("query: ")])
def test_a_server_that_ends_while_a_query_is_answered(office, point) -> None:
    """What was stored is given again; what was not was never seen, and nothing is drawn for it afterwards."""
    office.start(point)
    stream = opened(office).json["stream"]
    with pytest.raises(GONE):
        asked(office, stream, "one")
    ended(office)

    office.start()
    stored = point in ("query: stored, not sent", "query: being sent")
    one = asked(office, stream, "one")
    assert (200 if stored else 409) == one.status
    require_one_life(office, stream, {"one": one.body} if stored else {}, int(stored))
    office.kill()


def test_a_server_that_is_told_to_stop(office) -> None:
    """Its streams have ended, and its log says nothing went wrong."""
    office.start()
    stream = opened(office).json["stream"]
    first = asked(office, stream, "one", CLERKS)
    assert office.stop() in (0, -15)
    assert "Traceback" not in office.log()

    office.start()
    assert first.body == asked(office, stream, "one", CLERKS).body
    require_one_life(office, stream, {}, 1)
    office.kill()


def test_a_stream_that_resumes_is_caught(office) -> None:
    """The check can fail: a server with the planted fault answers a fresh query after a crash."""
    office.start("fault: resumes")
    stream = opened(office).json["stream"]
    first = asked(office, stream, "one")
    office.kill()

    office.start("fault: resumes")
    with pytest.raises(AssertionError, match="outlived its secret"):
        require_one_life(office, stream, {"one": first.body}, 1)
    assert 200 == asked(office, stream, "fresh").status
    office.kill()

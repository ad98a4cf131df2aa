"""How streams end that nobody asks, whose rows cannot be read, or whose database is older than its ledgers."""

from __future__ import annotations

import json
import os
import shutil
import threading
from fractions import Fraction
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the server needs the extra web")
pytest.importorskip("sqlalchemy", reason="the server needs the extra web")

from dpselect.ledger import LedgerRequests
from dpselect.queries import query_of
from dpselect.web.server.house import House
from dpselect.web.server.refusal import Conflict, Refusal
from dpselect.web.server.streams.opening import Opening
from dpselect.web.server.streams.records import Stored, StreamRecords
from tests.web.server import served
from tests.web.server.conftest import CONFIG
from tests.web.server.served import Office
from tests.web.server.streams.desks import opened, started, told

OPENING = {"epsilon": 2, "positives": 2, "threshold": 150}
COUNTS = query_of('{"query": "histogram", "column": "age", "epsilon": "0.05"}')
NURSES, CLERKS = ({"where": {"job": job}} for job in ("nurse", "clerk"))


@pytest.fixture
def desk(house):
    """A desk whose sweeps are done by the tests."""
    made = started(house)
    yield made
    made.stop()


def spends(house):
    """Return what the rows of the ledger say."""
    return [event.epsilon for event in house.datasets["survey"].account.ledger.events]


def why_not(desk, number, query=NURSES):
    """Return why a query gets no answer."""
    refusal = told(desk, number, query)
    assert isinstance(refusal, Conflict)
    return str(refusal)


def test_an_idle_stream_ends(desk, house) -> None:
    """After so many seconds without a query, and not before; a query counts from anew, and nothing is given back."""
    begun, idle = house.streams.now(), desk.limits.stream_idle
    clock = [begun]
    house.streams.now = lambda: clock[0]
    number = opened(desk, "survey", OPENING).id
    clock[0] += idle - 1
    desk.sweep()
    first = told(desk, number, CLERKS, "first")
    clock[0] += idle - 1
    desk.sweep()
    assert ("open", 1) == ((stream := desk.find(number, "ann")).state, stream.asked)

    clock[0] += 2
    desk.sweep()
    assert ("ended", "idle", 1) == ((stream := desk.find(number, "ann")).state, stream.ending, stream.asked)
    assert number not in desk._held, "the secret outlived its stream"
    assert "too long" in why_not(desk, number)
    assert first == told(desk, number, CLERKS, "first")
    assert [Fraction(2)] == spends(house)


@pytest.mark.parametrize("forgotten", [True, False])
def test_a_restored_backup_draws_nothing_again(house, monkeypatch, forgotten) -> None:
    """A paid stream that was not open is lost where a ledger knows what the database does not; otherwise it opens."""
    monkeypatch.setattr(StreamRecords, "begin", lambda *_: (_ for _ in ()).throw(OSError))
    desk = started(house)
    with pytest.raises(OSError):
        opened(desk, "survey", OPENING, "stream")
    monkeypatch.undo()
    if forgotten:
        # The ledger has the row of a request that came after the backup.
        house.datasets["survey"].pay("later", "ann", house.datasets["survey"].plan(COUNTS, 1000).spends)
    paid = spends(house)

    desk = started(house)
    stream = opened(desk, "survey", OPENING, "stream")
    assert ("ended", "lost", 1) == (stream.state, stream.ending, stream.row) or not forgotten
    assert "open" == stream.state or forgotten
    assert forgotten == isinstance(told(desk, stream.id, NURSES), Conflict)
    assert paid == spends(house)
    desk.stop()


def older(settings) -> list[str]:
    """Ask a stream, put the database back to before it was open, and open it again; return the states."""
    path, states = Path(settings.server.database), []
    for backup in (False, True):
        if backup:
            shutil.copy(path.with_name("backup"), path)
        house = House.open(settings)
        if not backup:
            house.people.add("ann", "analyst", "test")
            house.streams.opened("ann", "stream", "survey", Opening.model_validate(OPENING).model_dump_json())
            house.close()
            shutil.copy(path, path.with_name("backup"))
            house = House.open(settings)
        desk = started(house)
        assert not house.forgot()
        stream = opened(desk, "survey", OPENING, "stream")
        states.append(stream.ending or stream.state)
        if stream.state == "open":
            assert isinstance(told(desk, stream.id, NURSES), Stored)
        else:
            assert "is gone" in why_not(desk, stream.id)
        assert [Fraction(2)] == spends(house)
        desk.stop()
        house.close()
    return states


def test_a_backup_from_before_an_opening_has_no_second_secret(settings) -> None:
    """The ledger keeps the hash of the opening whose secret has answered."""
    assert ["open", "lost"] == older(settings)


def test_a_second_secret_is_caught(settings, monkeypatch) -> None:
    """The test above can fail: without the hash, two streams are asked under one payment."""
    monkeypatch.setattr(LedgerRequests, "confirm", lambda *_: None)
    assert ["open", "open"] == older(settings)


def test_an_opening_that_the_ledger_does_not_keep(desk, house, monkeypatch) -> None:
    """It has ended, its price stays, and its secret is gone."""
    monkeypatch.setattr(LedgerRequests, "confirm", lambda *_: (_ for _ in ()).throw(OSError("away")))
    stream = opened(desk, "survey", OPENING, "stream")

    assert ("ended", "failed", 1) == (stream.state, stream.ending, stream.row)
    assert "could not be answered" in why_not(desk, stream.id)
    assert ({}, [Fraction(2)]) == (desk._held, spends(house))


def test_rows_that_cannot_be_read(desk, house) -> None:
    """The query fails with 424, the stream has ended, its price stays, and the rows' return changes nothing."""
    number = opened(desk, "survey", OPENING, "stream").id
    first = told(desk, number, CLERKS, "first")
    rows = Path(house.datasets["survey"].description.address)
    content = rows.read_bytes()
    rows.write_text("age,work\n20,nurse\n", encoding="utf-8")
    failed = told(desk, number, NURSES, "second")

    assert isinstance(failed, Stored)
    assert (424, 2) == (failed.status, failed.place)
    assert {"status", "detail", "request", "state"} <= json.loads(failed.answer).keys()
    assert not any(name in failed.answer for name in ("work", "job"))
    rows.write_bytes(content)
    assert (first, failed) == (told(desk, number, CLERKS, "first"), told(desk, number, NURSES, "second"))
    assert "could not be answered" in why_not(desk, number)
    again = opened(desk, "survey", OPENING, "stream")
    assert (number, "ended", "failed", 2) == (again.id, again.state, again.ending, again.asked)
    assert [Fraction(2)] == spends(house)
    assert number not in desk._held


def test_the_last_answer_was_not_stored(desk, house, monkeypatch) -> None:
    """Its stream has used up what was paid for, says so, and is no longer counted as open."""
    number = opened(desk, "survey", OPENING | {"positives": 1}).id
    keep = StreamRecords.keep
    monkeypatch.setattr(StreamRecords, "keep", lambda *_: (_ for _ in ()).throw(OSError("away")))
    failure = told(desk, number, {"threshold": -(10**6)}, "one")
    monkeypatch.setattr(StreamRecords, "keep", keep)

    assert isinstance(failure, Refusal)
    assert 500 == failure.status
    assert "used up" in why_not(desk, number)
    assert "finished" == desk.find(number, "ann").ending
    assert [] == house.streams.queries(number, 0, 9)
    assert not house.streams.open_ones()


def test_an_opening_after_one_that_failed(desk, monkeypatch) -> None:
    """Of two at once with one key, the first fails at the database: the second opens a stream that answers."""
    inside, go = threading.Event(), threading.Event()
    begin = StreamRecords.begin
    fails = [True]

    def begun(self, *args):
        if fails and fails.pop():
            inside.set()
            go.wait(30)
            raise OSError
        return begin(self, *args)

    monkeypatch.setattr(StreamRecords, "begin", begun)
    first = threading.Thread(target=lambda: _quiet(lambda: opened(desk, "survey", OPENING, "stream")))
    got = []
    second = threading.Thread(target=lambda: got.append(opened(desk, "survey", OPENING, "stream")))
    first.start()
    assert inside.wait(30)
    second.start()
    second.join(0.5)
    go.set()
    first.join(30)
    second.join(30)

    assert "open" == got[0].state
    assert isinstance(told(desk, got[0].id, NURSES), Stored)


def _quiet(action):
    try:
        action()
    except OSError:
        return


def test_a_query_that_takes_longer_than_a_reply_waits(tmp_path, monkeypatch) -> None:
    """The reply is 202; the same key is answered later, once, and another query with that key is refused meanwhile."""
    monkeypatch.setattr(served, "PROGRAM", Path(__file__).parent / "streaming.py")
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(Path(__file__).parents[4]), os.environ.get("PYTHONPATH", "")])
    )
    config = CONFIG.replace("requests_per_minute = 100000", "requests_per_minute = 100000\nseconds = 0.3")
    office = Office(tmp_path, config)
    office.start("slow queries")
    try:
        number = office.send("ann", "POST", "/datasets/survey/streams", OPENING, Idempotency_Key="s").json["stream"]

        def ask(query):
            return office.send("ann", "POST", f"/streams/{number}/queries", query, Idempotency_Key="one")

        waits, other = ask(NURSES), ask(CLERKS)
        assert (202, "1") == (waits.status, waits.headers["retry-after"])
        assert {"stream": number, "state": "running"} == waits.json
        assert 409 == other.status
        for _ in range(100):
            answer = ask(NURSES)
            if answer.status != 202:
                break
        assert (200, 1) == (answer.status, answer.json["place"])
        assert answer.body == ask(NURSES).body
        assert 1 == office.send("ann", "GET", f"/streams/{number}").json["asked"]
    finally:
        office.kill()

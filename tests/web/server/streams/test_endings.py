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
from dpselect.web.server import jobs as queue_module
from dpselect.web.server.errors import ConflictError, RefusalError, TooManyRequestsError
from dpselect.web.server.state import ServerState
from dpselect.web.server.streams.opening import Opening, ThresholdQuestion
from dpselect.web.server.streams.records import StoredAnswer, StreamRecords
from tests.web.server import served
from tests.web.server.conftest import CONFIG
from tests.web.server.served import Office
from tests.web.server.streams.desks import opened, started, told

OPENING = {"epsilon": 2, "positives": 2, "threshold": 150}
COUNTS = query_of('{"query": "histogram", "column": "age", "epsilon": "0.05"}')
NURSES, CLERKS = ({"where": {"job": job}} for job in ("nurse", "clerk"))


@pytest.fixture
def jobs(server_state):
    """A desk whose sweeps are done by the tests."""
    made = started(server_state)
    yield made
    made.stop()


def spends(server_state):
    """Return what the rows of the ledger say."""
    return [event.epsilon for event in server_state.datasets["survey"].account.ledger.events]


def why_not(jobs, number, query=NURSES):
    """Return why a query gets no answer."""
    refusal = told(jobs, number, query)
    assert isinstance(refusal, ConflictError)
    return str(refusal)


def test_an_idle_stream_ends(jobs, server_state) -> None:
    """After so many seconds without a query, and not before; a query counts from anew, and nothing is given back."""
    begun, idle = server_state.streams.now(), jobs.limits.stream_idle
    clock = [begun]
    server_state.streams.now = lambda: clock[0]
    number = opened(jobs, "survey", OPENING).id
    clock[0] += idle - 1
    jobs.sweep()
    first = told(jobs, number, CLERKS, "first")
    clock[0] += idle - 1
    jobs.sweep()
    assert ("open", 1) == ((stream := jobs.find(number, "ann")).state, stream.asked)

    clock[0] += 2
    jobs.sweep()
    assert ("ended", "idle", 1) == ((stream := jobs.find(number, "ann")).state, stream.ending, stream.asked)
    assert number not in jobs._held, "the secret outlived its stream"
    assert "too long" in why_not(jobs, number)
    assert first == told(jobs, number, CLERKS, "first")
    assert [Fraction(2)] == spends(server_state)


@pytest.mark.parametrize("forgotten", [True, False])
def test_a_restored_backup_draws_nothing_again(server_state, monkeypatch, forgotten) -> None:
    """A paid stream that was not open is lost where a ledger knows what the database does not; otherwise it opens."""
    monkeypatch.setattr(StreamRecords, "begin", lambda *_: (_ for _ in ()).throw(OSError))
    jobs = started(server_state)
    with pytest.raises(OSError):
        opened(jobs, "survey", OPENING, "stream")
    monkeypatch.undo()
    if forgotten:
        # The ledger has the row of a request that came after the backup.
        server_state.datasets["survey"].pay("later", "ann", server_state.datasets["survey"].plan(COUNTS, 1000).spends)
    paid = spends(server_state)

    jobs = started(server_state)
    stream = opened(jobs, "survey", OPENING, "stream")
    assert ("ended", "lost", 1) == (stream.state, stream.ending, stream.row) or not forgotten
    assert "open" == stream.state or forgotten
    assert forgotten == isinstance(told(jobs, stream.id, NURSES), ConflictError)
    assert paid == spends(server_state)
    jobs.stop()


def older(settings) -> list[str]:
    """Ask a stream, put the database back to before it was open, and open it again; return the states."""
    path, states = Path(settings.server.database), []
    for backup in (False, True):
        if backup:
            shutil.copy(path.with_name("backup"), path)
        server_state = ServerState.open(settings)
        if not backup:
            server_state.people.add("ann", "analyst", "test")
            server_state.streams.open("ann", "stream", "survey", Opening.model_validate(OPENING).model_dump_json())
            server_state.close()
            shutil.copy(path, path.with_name("backup"))
            server_state = ServerState.open(settings)
        jobs = started(server_state)
        assert not server_state.forgot()
        stream = opened(jobs, "survey", OPENING, "stream")
        states.append(stream.ending or stream.state)
        if stream.state == "open":
            assert isinstance(told(jobs, stream.id, NURSES), StoredAnswer)
        else:
            assert "is gone" in why_not(jobs, stream.id)
        assert [Fraction(2)] == spends(server_state)
        jobs.stop()
        server_state.close()
    return states


def test_a_backup_from_before_an_opening_has_no_second_secret(settings) -> None:
    """The ledger keeps the hash of the opening whose secret has answered."""
    assert ["open", "lost"] == older(settings)


def test_a_second_secret_is_caught(settings, monkeypatch) -> None:
    """The test above can fail: without the hash, two streams are asked under one payment."""
    monkeypatch.setattr(LedgerRequests, "confirm", lambda *_: None)
    assert ["open", "open"] == older(settings)


def test_an_opening_that_the_ledger_does_not_keep(jobs, server_state, monkeypatch) -> None:
    """It has ended, its price stays, and its secret is gone."""
    monkeypatch.setattr(LedgerRequests, "confirm", lambda *_: (_ for _ in ()).throw(OSError("away")))
    stream = opened(jobs, "survey", OPENING, "stream")

    assert ("ended", "failed", 1) == (stream.state, stream.ending, stream.row)
    assert "could not be answered" in why_not(jobs, stream.id)
    assert ({}, [Fraction(2)]) == (jobs._held, spends(server_state))


def test_rows_that_cannot_be_read(jobs, server_state) -> None:
    """The query fails with 424, the stream has ended, its price stays, and the rows' return changes nothing."""
    number = opened(jobs, "survey", OPENING, "stream").id
    first = told(jobs, number, CLERKS, "first")
    rows = Path(server_state.datasets["survey"].description.address)
    content = rows.read_bytes()
    rows.write_text("age,work\n20,nurse\n", encoding="utf-8")
    failed = told(jobs, number, NURSES, "second")

    assert isinstance(failed, StoredAnswer)
    assert (424, 2) == (failed.status, failed.place)
    assert {"status", "detail", "request", "state"} <= json.loads(failed.answer).keys()
    assert not any(name in failed.answer for name in ("work", "job"))
    rows.write_bytes(content)
    assert (first, failed) == (told(jobs, number, CLERKS, "first"), told(jobs, number, NURSES, "second"))
    assert "could not be answered" in why_not(jobs, number)
    again = opened(jobs, "survey", OPENING, "stream")
    assert (number, "ended", "failed", 2) == (again.id, again.state, again.ending, again.asked)
    assert [Fraction(2)] == spends(server_state)
    assert number not in jobs._held


def test_the_last_answer_was_not_stored(jobs, server_state, monkeypatch) -> None:
    """Its stream has used up what was paid for, says so, and is no longer counted as open."""
    number = opened(jobs, "survey", OPENING | {"positives": 1}).id
    keep = StreamRecords.keep
    monkeypatch.setattr(StreamRecords, "keep", lambda *_: (_ for _ in ()).throw(OSError("away")))
    failure = told(jobs, number, {"threshold": -(10**6)}, "one")
    monkeypatch.setattr(StreamRecords, "keep", keep)

    assert isinstance(failure, RefusalError)
    assert 500 == failure.status
    assert "used up" in why_not(jobs, number)
    assert "finished" == jobs.find(number, "ann").ending
    assert [] == server_state.streams.queries(number, 0, 9)
    assert not server_state.streams.open_ones()


def test_an_opening_after_one_that_failed(jobs, monkeypatch) -> None:
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
    first = threading.Thread(target=lambda: _quiet(lambda: opened(jobs, "survey", OPENING, "stream")))
    got = []
    second = threading.Thread(target=lambda: got.append(opened(jobs, "survey", OPENING, "stream")))
    first.start()
    assert inside.wait(30)
    second.start()
    second.join(0.5)
    go.set()
    first.join(30)
    second.join(30)

    assert "open" == got[0].state
    assert isinstance(told(jobs, got[0].id, NURSES), StoredAnswer)


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


def test_one_queue_sweeps_requests_and_streams(jobs, server_state, monkeypatch) -> None:
    """Its one thread ends an idle stream, and a sweep that fails stops no other."""
    queue = jobs.jobs
    monkeypatch.setattr(queue_module, "BEAT", 0.01)
    monkeypatch.setattr(server_state.requests, "waiting", lambda: (_ for _ in ()).throw(OSError("away")))
    number = opened(jobs, "survey", OPENING).id
    swept, ended = threading.Event(), server_state.streams.now() + 2 * jobs.limits.stream_idle
    queue.sweeps.append(swept.set)
    server_state.streams.now = lambda: ended
    queue._sweeper.start()
    assert swept.wait(30)
    queue.stop()

    found = jobs.find(number, "ann")
    assert ("ended", "idle") == (found.state, found.ending)
    with pytest.raises(TooManyRequestsError):
        jobs.begin(found, "late", ThresholdQuestion.model_validate(NURSES))

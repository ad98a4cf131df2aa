"""Questions that take long wait in a queue of their own; one that is being answered is nobody else's."""

from __future__ import annotations

import dataclasses
import json
import time
from threading import Event, Semaphore, Thread

import pytest

from dpselect.queries import query_of
from dpselect.web.server import jobs as desks
from dpselect.web.server.dataset import HostedDataset
from dpselect.web.server.jobs import REQUEST_FAILED, JobQueue
from dpselect.web.server.settings import read_settings
from dpselect.web.server.state import ServerState
from tests.web.server.conftest import CONFIG, write

SHORT = query_of('{"query": "histogram", "column": "job", "epsilon": "0.05"}')
LONG = query_of('{"query": "top_k", "metric": "core-number", "epsilon": "0.05"}')


@pytest.fixture
def server_state(tmp_path):
    """A house with a graph of many nodes."""
    opened = ServerState.open(read_settings(write(tmp_path, CONFIG.replace("nodes = 40", "nodes = 3000"))))
    opened.people.add("ann", "analyst", "test")
    yield opened
    opened.close()


class Held:
    """Holds back every answer about the graph until it is let go."""

    def __init__(self, monkeypatch) -> None:
        self.begun, self.let_go = Event(), Event()
        real = HostedDataset.answer

        def answer(dataset, question, plan, payment):
            if dataset.name == "friends":
                self.begun.set()
                assert self.let_go.wait(30)
            return real(dataset, question, plan, payment)

        monkeypatch.setattr(HostedDataset, "answer", answer)


def test_short_questions_do_not_wait_for_long_ones(server_state, monkeypatch) -> None:
    """However many long ones were asked before, and with more of them than workers."""
    held, jobs = Held(monkeypatch), JobQueue(server_state)
    asked = [jobs.submit("ann", f"long {place}", "friends", LONG) for place in range(4)]
    futures = [jobs.start_job(each) for each in asked]
    assert held.begun.wait(30)

    short = jobs.submit("ann", "short", "survey", SHORT)
    jobs.start_job(short).result(30)
    assert "answered" == server_state.requests.find(short.id).state
    assert ["running", "queued", "queued", "queued"] == [server_state.requests.find(each.id).state for each in asked]
    held.let_go.set()
    for future in futures:
        future.result(30)
    assert {"answered"} == {server_state.requests.find(each.id).state for each in asked}
    assert 4 == server_state.datasets["friends"].account.ledger.totals.spends
    jobs.stop()


def test_what_is_long_follows_from_public_facts(server_state) -> None:
    """Large graphs and more than edges to count; a degree is one pass."""
    facts = server_state.datasets["friends"].description

    assert LONG.is_long(facts)
    assert not LONG.is_long(dataclasses.replace(facts, nodes=40))
    assert not query_of('{"query": "top_k", "metric": "degree", "epsilon": "0.05"}').is_long(facts)
    assert not SHORT.is_long(server_state.datasets["survey"].description)


def test_a_lease_is_prolonged_as_long_as_it_takes(server_state, monkeypatch) -> None:
    """Longer than a lease lasts: another worker still finds nothing to do, and there is one answer."""
    monkeypatch.setattr(desks, "BEAT", 0.01)
    later, beats, beat = [0.0], Semaphore(0), server_state.requests.beat

    def beaten(*arguments) -> None:
        beat(*arguments)
        beats.release()

    monkeypatch.setattr(server_state.requests, "beat", beaten)
    monkeypatch.setattr(server_state.requests, "now", lambda: time.time() + later[0])
    held, jobs = Held(monkeypatch), JobQueue(server_state)
    jobs.start()
    asked = jobs.submit("ann", "long", "friends", LONG)
    future = jobs.start_job(asked)
    assert held.begun.wait(30)

    for _ in range(4):
        later[0] += 0.7 * desks.LEASE
        while beats.acquire(blocking=False):
            pass
        # The first of two may have begun before.
        assert beats.acquire(timeout=60)
        assert beats.acquire(timeout=60)
        assert server_state.requests.claim(asked.id, "another", desks.LEASE) is None
    held.let_go.set()
    future.result(30)
    found = server_state.requests.find(asked.id)
    assert ("answered", 1) == (found.state, found.attempts)
    assert 1 == server_state.datasets["friends"].account.ledger.totals.spends
    jobs.stop()


def test_a_long_question_that_waits_is_taken_up_at_the_next_start(server_state, monkeypatch) -> None:
    """Told to stop, a server ends the one that it has begun and leaves the others, unpaid."""
    held, jobs = Held(monkeypatch), JobQueue(server_state)
    asked = [jobs.submit("ann", f"long {place}", "friends", LONG) for place in range(3)]
    first, *others = [jobs.start_job(each) for each in asked]
    assert held.begun.wait(30)
    stopping = Thread(target=jobs.stop)
    stopping.start()
    while not all(each.cancelled() for each in others):
        time.sleep(0.01)
    held.let_go.set()
    stopping.join(30)
    assert first.done()
    assert ["answered", "queued", "queued"] == [server_state.requests.find(each.id).state for each in asked]
    assert 1 == server_state.datasets["friends"].account.ledger.totals.spends

    again = JobQueue(server_state)
    again.start()
    for each in asked:
        future = again.start_job(each)
        if future is not None:
            future.result(30)
    assert {"answered"} == {server_state.requests.find(each.id).state for each in asked}
    assert 3 == server_state.datasets["friends"].account.ledger.totals.spends
    again.stop()


def test_what_fails_after_its_payment_stays_paid(server_state, monkeypatch) -> None:
    """Also where memory does not suffice: one sentence, the same for whatever went wrong."""

    def answer(*_):
        raise MemoryError("secret")

    monkeypatch.setattr(HostedDataset, "answer", answer)
    jobs = JobQueue(server_state)
    asked = jobs.submit("ann", "long", "friends", LONG)
    jobs.start_job(asked).result(30)

    found = server_state.requests.find(asked.id)
    assert ("failed", 1) == (found.state, found.row)
    assert {"status": 424, "detail": REQUEST_FAILED} == json.loads(found.answer)["problem"]
    assert 1 == server_state.datasets["friends"].account.ledger.totals.spends
    jobs.stop()

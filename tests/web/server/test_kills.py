"""Whenever a server ends, each request has one payment and one answer, and nobody sees two answers of one row."""

from __future__ import annotations

import http.client
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from threading import Event

import pytest

import dpselect as dps
from tests.web.server.programs.served import POINTS
from tests.web.server.served import Office

# A hundred noisy counts: two draws are never the same.
QUESTION = {"query": "histogram", "column": "age", "epsilon": "0.05"}
GONE = (OSError, http.client.HTTPException)
KILLED = [name for name in POINTS if ", not " in name]


def require_consistent(office: Office, keys: list[str], seen: list[tuple[str, bytes]], analyst: str = "ann") -> None:
    """Check the ledger and all answers that anybody saw, against what each key gives now."""
    final = {key: office.ask(analyst, key, QUESTION) for key in keys}
    assert {200} == {reply.status for reply in final.values()}, [reply.body for reply in final.values()]
    for key, body in seen:
        assert final[key].body == body, f"{key} was answered twice differently"
    events = dps.Ledger.read(office.folder / "ledgers" / "survey.ledger").events
    requests = Counter(event.metadata["request"] for event in events)
    assert {reply.json["request"] for reply in final.values()} == requests.keys()
    assert {1} == {*requests.values()}, "a request was paid for twice"
    assert {reply.json["ledger_row"] for reply in final.values()} == {*range(1, len(keys) + 1)}
    assert Fraction(len(keys), 20) == sum(event.epsilon * event.count for event in events)


@pytest.fixture
def office(tmp_path) -> Office:
    """A server's files."""
    return Office(tmp_path)


@pytest.mark.parametrize("point", KILLED)
def test_a_server_that_ends_between_two_steps(office, point) -> None:
    """The lost reply can be asked for again: one payment, one answer, the same each time."""
    office.start(point)
    with pytest.raises(GONE):
        office.ask("ann", "one", QUESTION)
    assert 9 == office.process.wait(30)
    office.process.stdout.close()
    ledger = dps.Ledger.read(office.folder / "ledgers" / "survey.ledger")
    assert (0 if point == "asked, not spent" else 1) == ledger.totals.spends

    office.start()
    first = office.ask("ann", "one", QUESTION)
    require_consistent(office, ["one"], [("one", first.body)])
    assert 0 == Counter(row["state"] for row in office.send("ann", "GET", "/history").json)["running"]
    office.kill()


def test_what_was_asked_is_answered_without_being_asked_again(office) -> None:
    """A server that starts again takes up what another one left, under the same payment."""
    office.start("spent, not drawn")
    with pytest.raises(GONE):
        office.ask("ann", "one", QUESTION)
    office.process.wait(30)
    office.process.stdout.close()

    office.start()
    until = time.monotonic() + 20
    while (asked := office.send("ann", "GET", "/history").json)[0]["state"] != "answered":
        assert time.monotonic() < until, asked
        time.sleep(0.05)
    answer = office.send("ann", "GET", f"/requests/{asked[0]['request']}")
    require_consistent(office, ["one"], [("one", answer.body)])
    office.kill()


def killed_at_random(office: Office, rounds: int) -> tuple[list[str], list[tuple[str, bytes]]]:
    """Let four analysts' threads ask while the server is killed again and again; return keys and answers seen."""
    seen: list[tuple[str, bytes]] = []
    keys = [f"{thread}-{number}" for thread in range(4) for number in range(8)]
    over = Event()

    def ask(thread: int) -> None:
        # Each key again and again, so that answers from before and after a kill are compared.
        while not over.is_set():
            for key in keys[8 * thread : 8 * thread + 8]:
                try:
                    reply = office.ask("ann", key, QUESTION)
                except GONE:
                    time.sleep(0.01)
                    continue
                if reply.status == 200:
                    seen.append((key, reply.body))

    with ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(ask, thread) for thread in range(4)]
        try:
            for _ in range(rounds):
                office.start()
                time.sleep(random.uniform(0.02, 0.4))
                office.kill()
        finally:
            over.set()
        for each in asking:
            each.result()
    return keys, seen


def test_kills_at_random_moments(office) -> None:
    """kill -9 while four threads ask, three times: budgets are exact, and nobody saw two answers."""
    keys, seen = killed_at_random(office, 3)

    office.start()
    require_consistent(office, keys, seen)
    office.kill()


def test_storing_after_sending_is_caught(office) -> None:
    """The check can fail: an answer that was sent and not stored is drawn again, and is another one."""
    office.start("fault: stored after sending")
    first = office.ask("ann", "one", QUESTION)
    assert 200 == first.status
    office.kill()

    office.start()
    with pytest.raises(AssertionError, match="answered twice differently"):
        require_consistent(office, ["one"], [("one", first.body)])
    office.kill()


def test_a_server_that_is_told_to_stop(office) -> None:
    """It finishes, and the next one has nothing left to do."""
    office.start()
    first = office.ask("ann", "one", QUESTION)
    assert office.stop() in (0, -15)
    assert "Traceback" not in office.log()

    office.start()
    require_consistent(office, ["one"], [("one", first.body)])
    office.stop()

"""Two servers on one PostgreSQL: each stream has one holder, and never answers of two secrets."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("psycopg", reason="PostgreSQL needs the extra warehouse")

from sqlalchemy.exc import DBAPIError

from dpselect.web.server.errors import ConflictError
from dpselect.web.server.settings import Settings, read_settings
from dpselect.web.server.state import ServerState
from dpselect.web.server.streams.records import StoredAnswer
from dpselect.web.server.streams.sessions import SparseVectorSessions
from tests.warehouse.engines import Server
from tests.web.server.conftest import write
from tests.web.server.empty_database import config_with, empty_database
from tests.web.server.served import Office
from tests.web.server.streams.desks import opened, started, told
from tests.web.server.streams.refused import BREAKING, stream_with_an_answer, unchanged

OPENING = {"epsilon": 2, "positives": 3, "threshold": 150}
NURSES, CLERKS = ({"where": {"job": job}} for job in ("nurse", "clerk"))


@pytest.fixture
def url(running: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of an empty database."""
    with empty_database(running, tmp_path, monkeypatch) as address:
        yield address


@pytest.fixture
def houses(url: str, tmp_path: Path) -> Iterator[list[ServerState]]:
    """The houses of two servers."""
    settings: Settings = read_settings(write(tmp_path, config_with(url)))
    both = [ServerState.open(settings), ServerState.open(settings)]
    both[0].people.add("ann", "analyst", "test")
    yield both
    for each in both:
        each.close()


@pytest.fixture
def desks(houses: list[ServerState]) -> Iterator[list[SparseVectorSessions]]:
    """The desks of two servers."""
    both = [started(server_state) for server_state in houses]
    yield both
    for each in both:
        each.stop()


def let_leases_run_out(server_state: ServerState) -> None:
    """Let so much time pass that no lease holds."""
    with server_state.database.writing() as statements:
        statements.run("UPDATE streams SET lease = 1 WHERE state = 'open'")


def events(server_state: ServerState) -> list[Fraction]:
    """Return what was spent."""
    return [event.epsilon for event in server_state.datasets["survey"].account.ledger.events]


@pytest.mark.parametrize(("state", "statement"), BREAKING)
def test_a_stream_stands(houses, state, statement) -> None:
    """PostgreSQL refuses such a statement, and nothing has changed."""
    number = stream_with_an_answer(houses[0], state)
    refused = pytest.raises(DBAPIError, match="this record stands")
    with unchanged(houses[0], number), refused, houses[0].database.writing() as statements:
        statements.run(statement)


def test_the_other_server_refuses(desks) -> None:
    """It answers nothing, gives what was answered, shows and opens the same stream, and may close it."""
    one, other = desks
    number = opened(one, "survey", OPENING, "stream").id
    first = told(one, number, NURSES, "first")
    refusal = told(other, number, NURSES, "second")

    assert isinstance(refusal, ConflictError)
    assert "Another server holds this stream" in str(refusal)
    assert first == told(other, number, NURSES, "first")
    assert number == opened(other, "survey", OPENING, "stream").id
    assert [Fraction(2)] == events(other.server_state)
    assert isinstance(told(one, number, NURSES, "second"), StoredAnswer)
    other.close(other.find(number, "ann"))
    late = told(one, number, NURSES, "third")
    assert isinstance(late, ConflictError)
    assert "it was closed" in str(late)
    one.sweep()
    assert number not in one._held, "a secret outlived its stream"


def test_a_sweep_prolongs_leases_of_its_own_alone(desks) -> None:
    """A stream stays open while its holder sweeps, whatever others do, and is lost once its lease has run out."""
    one, other = desks
    kept, lost = (opened(jobs, "survey", OPENING).id for jobs in desks)
    let_leases_run_out(one.server_state)
    one.sweep()
    other.sweep()

    states = [one.find(number, "ann") for number in (kept, lost)]
    # The first sweep saw both; the lease of the second had run out by then.
    assert [("open", None), ("ended", "lost")] == [(each.state, each.ending) for each in states]
    assert isinstance(told(one, kept, NURSES), StoredAnswer)
    refusal = told(other, lost, NURSES)
    assert isinstance(refusal, ConflictError)
    assert "has stopped" in str(refusal)
    assert lost not in other._held


def test_a_holder_that_comes_back_sends_nothing(desks, monkeypatch) -> None:
    """Once another server has ended its stream, what it draws is stored nowhere, and nobody sees it."""
    one, other = desks
    number = opened(one, "survey", OPENING).id
    first = told(one, number, NURSES, "first")
    let_leases_run_out(one.server_state)
    # It was asleep since it looked whether the stream is open.
    asleep = one.find(number, "ann")
    assert isinstance(told(other, number, NURSES, "second"), ConflictError)
    monkeypatch.setattr(one.records, "find", lambda *who: asleep if number in one._held else other.records.find(*who))
    refusal = told(one, number, NURSES, "second")

    assert isinstance(refusal, ConflictError)
    assert first == told(other, number, NURSES, "first")
    assert 1 == len(other.records.queries(number, 0, 9))
    ended = other.find(number, "ann")
    assert ("lost", 1) == (ended.ending, ended.asked)
    assert number not in one._held


def test_two_servers_race_to_open(desks) -> None:
    """The same keys at both at once: one payment each, and one of the two answers."""
    with ThreadPoolExecutor(8) as pool:
        numbers = [*pool.map(lambda place: opened(desks[place % 2], "survey", OPENING, str(place // 8)).id, range(16))]

    assert [numbers[0]] * 8 + [numbers[8]] * 8 == numbers
    assert [Fraction(2)] * 2 == events(desks[0].server_state)
    for number in {*numbers}:
        answers = [told(jobs, number, NURSES, f"{place}") for place, jobs in enumerate(desks)]
        assert [False, True] == sorted(isinstance(each, StoredAnswer) for each in answers)


def test_a_stream_is_lost_with_its_server(url, tmp_path) -> None:
    """Over HTTP: the other server says 409 while the lease of the killed one runs, and then that the stream is lost."""
    one = Office(tmp_path, config_with(url))
    other = copy.copy(one)
    one.start()
    other.start()
    try:
        reply = one.send("ann", "POST", "/datasets/survey/streams", OPENING, Idempotency_Key="stream")
        path = f"/streams/{reply.json['stream']}"

        def ask(office: Office, key: str, query: Any = NURSES) -> Any:
            return office.send("ann", "POST", f"{path}/queries", query, Idempotency_Key=key)

        first = ask(one, "first")
        held = ask(other, "second")
        one.kill()
        waits = ask(other, "second")
        server_state = ServerState.open(read_settings(other.path))
        let_leases_run_out(server_state)
        server_state.close()
        gone, again = ask(other, "second"), ask(other, "first")
        shown = other.send("ann", "GET", path).json
    finally:
        other.kill()

    assert [200, 409, 409, 409] == [each.status for each in (first, held, waits, gone)]
    assert "Another server" in held.json["detail"]
    assert held.body == waits.body
    assert "has stopped" in gone.json["detail"]
    assert (first.status, first.body) == (again.status, again.body)
    assert ("ended", "lost", 1) == (shown["state"], shown["ending"], shown["asked"])
    assert [json.loads(first.body)] == [each["answer"] for each in shown["queries"]]

"""A request is kept once, answered by one worker at a time, and its answer stands."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import event

from dpselect.web.server.errors import TooManyRequestsError
from dpselect.web.server.requests import Requests


def test_one_key_is_one_request(server_state) -> None:
    """However many threads ask at once; the key of another analyst is another request."""
    with ThreadPoolExecutor(8) as pool:
        asked = [*pool.map(lambda _: server_state.requests.open("ann", "key", "survey", "{}"), range(24))]

    assert 1 == len({each.id for each in asked})
    assert server_state.requests.open("bob", "key", "survey", "{}").id != asked[0].id


def test_one_worker_claims(server_state) -> None:
    """The others find it taken until the lease ends."""
    clock = [1000.0]
    requests = Requests(server_state.database, lambda: clock[0])
    number = requests.open("ann", "key", "survey", "{}").id

    first = requests.claim(number, "one", 10)
    assert first is not None
    assert ("running", 1) == (first.state, first.attempts)
    assert requests.claim(number, "two", 10) is None
    clock[0] += 9
    requests.beat("one", 10)
    clock[0] += 9
    assert requests.claim(number, "two", 10) is None
    assert [] == requests.waiting()
    clock[0] += 2
    assert [number] == [each.id for each in requests.waiting()]
    second = requests.claim(number, "two", 10)
    assert second is not None
    assert 2 == second.attempts


def test_the_first_answer_stands(server_state, settings) -> None:
    """A second one is not stored, what was stored is returned, and the database itself refuses to replace it."""
    number = server_state.requests.open("ann", "key", "survey", "{}").id
    server_state.requests.claim(number, "one", 10)

    assert '{"a": 1}' == server_state.requests.keep(number, "answered", '{"a": 1}', 1).answer
    assert ('{"a": 1}', 1) == (
        (again := server_state.requests.keep(number, "answered", '{"a": 2}', 2)).answer,
        again.row,
    )
    assert server_state.requests.claim(number, "two", 10) is None
    with sqlite3.connect(settings.server.database) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute("UPDATE requests SET answer = 'x'")
    connection.close()


def test_another_analyst_finds_nothing(server_state) -> None:
    """The number of a request does not open it."""
    number = server_state.requests.open("ann", "key", "survey", "{}").id

    assert server_state.requests.find(number, "ann") is not None
    assert server_state.requests.find(number, "bob") is None


def test_what_stopped_a_server_is_taken_up_last(server_state) -> None:
    """Requests that were being answered when a server ended wait for those that were not."""
    clock = [1000.0]
    requests = Requests(server_state.database, lambda: clock[0])
    numbers = []
    for place in range(4):
        numbers.append(requests.open("ann", str(place), "survey", "{}").id)
        clock[0] += 1
    for number in (numbers[0], numbers[0], numbers[1]):
        assert requests.claim(number, "one", 0) is not None
        clock[0] += 1

    assert [numbers[2], numbers[3], numbers[1], numbers[0]] == [each.id for each in requests.waiting()]


def test_only_leases_are_left_to_the_disk(server_state) -> None:
    """What must survive a power cut waits for the disk, whatever the connection did before; a lease does not."""
    seen = []

    @event.listens_for(server_state.database._engine, "before_cursor_execute")
    def noted(_, cursor, statement, *__) -> None:
        if statement.startswith(("INSERT", "UPDATE")):
            seen.append(cursor.connection.execute("PRAGMA synchronous").fetchone()[0])

    number = server_state.requests.open("ann", "key", "survey", "{}").id
    server_state.requests.claim(number, "one", 10)
    server_state.requests.beat("one", 10)
    server_state.requests.keep(number, "answered", "{}", 1)

    assert [2, 1, 1, 2] == seen, "2 is FULL, 1 is NORMAL"


def test_many_at_once_do_not_exceed_a_limit(server_state) -> None:
    """Requests that wait, and streams that are open, are counted where they are begun; a key that is there stays."""
    for records, most in ((server_state.requests, 5), (server_state.streams, 3)):

        def begun(place: int, records=records, most=most) -> str | None:
            try:
                return records.open("ann", str(place), "survey", "{}", most).id
            except TooManyRequestsError:
                return None

        with ThreadPoolExecutor(16) as pool:
            numbers = [*pool.map(begun, range(60))]

        assert most == len({*numbers} - {None})
        place = next(place for place, number in enumerate(numbers) if number is not None)
        assert numbers[place] == begun(place)
        assert records.open("bob", "1", "survey", "{}", most).analyst == "bob"

"""A request is kept once, answered by one worker at a time, and its answer stands."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest

from dpselect.web.server.requests import Requests


def test_one_key_is_one_request(house) -> None:
    """However many threads ask at once; the key of another analyst is another request."""
    with ThreadPoolExecutor(8) as pool:
        asked = [*pool.map(lambda _: house.requests.opened("ann", "key", "survey", "{}"), range(24))]

    assert 1 == len({each.id for each in asked})
    assert house.requests.opened("bob", "key", "survey", "{}").id != asked[0].id


def test_one_worker_claims(house) -> None:
    """The others find it taken until the lease ends."""
    clock = [1000.0]
    requests = Requests(house.database, lambda: clock[0])
    number = requests.opened("ann", "key", "survey", "{}").id

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


def test_the_first_answer_stands(house, settings) -> None:
    """A second one is not stored, what was stored is returned, and the database itself refuses to replace it."""
    number = house.requests.opened("ann", "key", "survey", "{}").id
    house.requests.claim(number, "one", 10)

    assert '{"a": 1}' == house.requests.keep(number, "answered", '{"a": 1}', 1).answer
    assert ('{"a": 1}', 1) == ((again := house.requests.keep(number, "answered", '{"a": 2}', 2)).answer, again.row)
    assert house.requests.claim(number, "two", 10) is None
    with sqlite3.connect(settings.server.database) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute("UPDATE requests SET answer = 'x'")
    connection.close()


def test_another_analyst_finds_nothing(house) -> None:
    """The number of a request does not open it."""
    number = house.requests.opened("ann", "key", "survey", "{}").id

    assert house.requests.find(number, "ann") is not None
    assert house.requests.find(number, "bob") is None

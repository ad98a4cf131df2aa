"""The same server on PostgreSQL 15: two share a database and its ledgers, and nothing is paid or answered twice."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest

pytest.importorskip("psycopg", reason="PostgreSQL needs the extra warehouse")

from sqlalchemy.exc import DBAPIError

from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.ledger import Spend
from dpselect.queries import query_of
from dpselect.web.server.errors import RefusalError, TooManyRequestsError
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.openid.accounts import Accounts
from dpselect.web.server.openid.registration import Registration
from dpselect.web.server.settings import Settings, read_settings
from dpselect.web.server.state import ServerState
from tests.warehouse.engines import Server
from tests.web.server.conftest import write
from tests.web.server.empty_database import config_with, empty_database

QUESTION = query_of('{"query": "histogram", "column": "age", "epsilon": "0.05"}')
ONE = Spend(Guarantee(Fraction(1), Neighbours.ADD_REMOVE), "permute-and-flip")


@pytest.fixture
def shared(running: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """Settings that keep everything in an empty database."""
    with empty_database(running, tmp_path, monkeypatch) as url:
        yield read_settings(write(tmp_path, config_with(url)))


@pytest.fixture
def houses(shared: Settings) -> Iterator[list[ServerState]]:
    """Two servers' houses, opened one after the other."""
    opened = [ServerState.open(shared), ServerState.open(shared)]
    opened[0].people.add("ann", "analyst", "test")
    opened[0].people.add("bob", "analyst", "test")
    yield opened
    for each in opened:
        each.close()


def test_two_servers_race_for_an_allowance(houses) -> None:
    """Ten are released, and ten of forty spends go through, whichever server takes them."""

    def pay(place: int) -> bool:
        account = houses[place % 2].datasets["survey"].account
        try:
            return bool(account.pay(str(place), ("ann", "bob")[place // 2 % 2], [ONE], {}))
        except RefusalError:
            return False

    with ThreadPoolExecutor(8) as pool:
        paid = [*pool.map(pay, range(40))]

    assert 10 == sum(paid)
    assert Fraction(10) == houses[0].datasets["survey"].account.ledger.totals.epsilon


def test_two_servers_pay_for_a_request_once(houses) -> None:
    """They get the same row."""

    def pay(place: int) -> list[int]:
        return houses[place % 2].datasets["survey"].account.pay("one", "ann", [ONE], {})

    with ThreadPoolExecutor(8) as pool:
        assert [[1]] * 16 == [*pool.map(pay, range(16))]


def test_two_servers_answer_each_request_once(houses) -> None:
    """The same keys are asked of both at once: one row and one answer for each, which both give."""
    desks = [JobQueue(server_state) for server_state in houses]
    for jobs in desks:
        jobs.start()

    def ask(place: int) -> str:
        jobs = desks[place % 2]
        asked = jobs.submit("ann", str(place // 2), "survey", QUESTION)
        for _ in range(2000):
            future = jobs.start_job(asked)
            if future is not None:
                future.result()
            found = jobs.server_state.requests.find(asked.id)
            if found is not None and found.answer is not None:
                return found.answer
        raise AssertionError("no answer")

    with ThreadPoolExecutor(8) as pool:
        answers = [*pool.map(ask, range(24))]
    for jobs in desks:
        jobs.stop()

    assert answers[::2] == answers[1::2]
    assert 12 == len({*answers})
    events = houses[0].datasets["survey"].account.ledger.events
    assert (12, 12) == (len(events), len({event.metadata["request"] for event in events}))


def test_two_servers_link_a_name_once(houses) -> None:
    """Of eight accounts of a provider with one name, at two servers at once, one is the user."""
    told = {"issuer": "https://id.example.org", "address": "https://dp.example.org", "client": "x", "user": "name",
            "roles": {"analyst": ["asking"]}}  # fmt: skip
    doors = [Accounts(each.database, each.people, Registration.model_validate(told)) for each in houses]

    def come(subject: int) -> str:
        try:
            return doors[subject % 2].user_of({"sub": str(subject), "name": "dora", "groups": ["asking"]}).name
        except RefusalError:
            return "refused"

    with ThreadPoolExecutor(8) as pool:
        came = [*pool.map(come, range(8))]
    assert (1, 7) == (came.count("dora"), came.count("refused"))


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM audit_log",
        "DELETE FROM requests",
        "UPDATE audit_log SET who = ''",
        "UPDATE requests SET answer = ''",
    ],
)
def test_records_stand(houses, statement) -> None:
    """The database itself refuses to forget a change, a request or an answer."""
    number = houses[0].requests.open("ann", "k", "survey", "{}").id
    houses[0].requests.keep(number, "answered", "{}", 1)

    with pytest.raises(DBAPIError, match="this record stands"), houses[0].database.writing() as statements:
        statements.run(statement)


def test_two_servers_do_not_exceed_a_limit(houses) -> None:
    """Sixty requests at once, and sixty streams, of one analyst at two servers: as many begin as there may be."""
    for name, most in (("requests", 5), ("streams", 3)):

        def begun(place: int, name=name, most=most) -> bool:
            try:
                getattr(houses[place % 2], name).open("ann", str(place), "survey", "{}", most)
            except TooManyRequestsError:
                return False
            return True

        with ThreadPoolExecutor(16) as pool:
            assert most == sum(pool.map(begun, range(60)))

"""Requests: each is paid once and has one answer, in a file, in PostgreSQL and in memory, whoever races."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import psycopg
import pytest

import dpselect as dps
from dpselect.ledger import (
    AnsweredError,
    Event,
    InMemoryLedger,
    LedgerIndex,
    LedgerRequests,
    RequestAccountant,
    RequestError,
    RequestSpends,
    Spend,
)
from dpselect.ledger.composition import Terms, Totals
from dpselect.ledger.requests import ANALYST, PUBLICATION, answer_hash
from tests.ledger.conftest import Database
from tests.ledger.ledgers import EACH, filled
from tests.ledger.test_postgres_store import READING, SPENDING, role  # noqa: F401

TENTH = Spend(EACH, "permute-and-flip")


class Answers:
    """Answers in memory, the first of each request."""

    def __init__(self, **kept: str) -> None:
        self.kept = dict(kept)

    def read(self, request: str) -> str | None:
        """Return what is kept."""
        return self.kept.get(request)

    def keep(self, request: str, answer: str) -> str:
        """Keep the first."""
        return self.kept.setdefault(request, answer)


def asked(name: str, *spends: Spend, **metadata: str) -> RequestSpends:
    """A request of one tenth, unless other spends are given."""
    return RequestSpends(name, spends or (TENTH,), metadata)


@pytest.fixture(params=["sqlite", "postgres", "memory"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> dps.Ledger | InMemoryLedger:
    """A ledger of epsilon 1 without rows, in each kind of place."""
    if request.param == "memory":
        return InMemoryLedger(Terms.of(1, 0, "add-remove", "survey", "sum"))
    if request.param == "sqlite":
        return filled(tmp_path / "survey.ledger", 0)
    place: Database = request.getfixturevalue("database")
    return filled(place.address(), 0)


def test_a_request_pays_once(ledger) -> None:
    """Its rows are found again, by another reader too; another request pays for itself."""
    two = Spend(EACH, "exponential", 2)
    assert [[1, 2], [3]] == LedgerRequests(ledger).pay([asked("a", TENTH, two), asked("b", source="x")])
    again = LedgerRequests(ledger)

    assert [[3], [1, 2], [4]] == again.pay([asked("b"), asked("a", TENTH, two), asked("c", PUBLICATION="one")])
    assert Fraction(1, 2) == ledger.totals.epsilon
    assert [{"request": "a"}, {"request": "a"}, {"request": "b", "source": "x"}] == [
        event.metadata for event in ledger.events[:3]
    ]


def test_threads_that_pay_for_one_request_pay_once(ledger) -> None:
    """One transaction looks and pays, so nobody pays between."""
    with ThreadPoolExecutor(8) as pool:
        rows = [*pool.map(lambda _: LedgerRequests(ledger).pay([asked("a")]), range(16))]

    assert [[[1]]] * 16 == rows
    assert 1 == ledger.totals.spends


def test_without_the_look_inside_of_the_transaction_it_is_paid_twice(tmp_path: Path, monkeypatch) -> None:
    """The test before can fail: whoever looked earlier alone pays again."""
    ledger = filled(tmp_path / "survey.ledger", 0)
    requests = LedgerRequests(ledger)
    requests.index.follow()
    LedgerRequests(ledger).pay([asked("a")])
    monkeypatch.setattr(LedgerIndex, "follow", lambda *_: Totals())
    requests.pay([asked("a")])

    assert 2 == ledger.totals.spends


def test_it_pays_all_or_nothing(ledger) -> None:
    """The eleventh does not fit, so none of eleven is paid; nor where the curator's own rule refuses."""
    requests = LedgerRequests(ledger)
    with pytest.raises(dps.BudgetError):
        requests.pay([asked(str(number)) for number in range(11)])
    seen: list[Any] = []

    def refuse(totals: Totals, spends: Any) -> None:
        seen.append((totals.spends, len(spends)))
        raise ValueError("no")

    with pytest.raises(ValueError, match="^no$"):
        requests.pay([asked("a"), asked("b")], refuse)
    assert (0, [(0, 2)]) == (ledger.totals.spends, seen)

    requests.pay([asked("a")])
    with pytest.raises(ValueError, match="^no$"):
        requests.pay([asked("a"), asked("b")], refuse)
    assert [[1]] == requests.pay([asked("a")], refuse)
    assert (1, 1) == seen[-1]


def test_what_was_paid_for_as_something_else_is_refused(ledger) -> None:
    """Another amount, another mechanism, fewer spends."""
    requests = LedgerRequests(ledger)
    requests.pay([asked("a", TENTH, TENTH)])
    for other in ((Spend(EACH, "x"), TENTH), (Spend(EACH, "permute-and-flip", 2), TENTH), (TENTH,)):
        with pytest.raises(RequestError, match="paid for as something else"):
            requests.pay([asked("a", *other)])

    assert 2 == ledger.totals.spends


def test_spends_of_one_request_that_were_paid_in_part_are_completed(ledger) -> None:
    """As programs left them that paid one by one."""
    ledger.with_metadata(request="a").spend(EACH, mechanism="permute-and-flip")

    assert [[1, 2]] == LedgerRequests(ledger).pay([asked("a", TENTH, TENTH)])


def test_an_index_adds_up_by_name(ledger) -> None:
    """Rows, values and sums of each name that rows carry; it reads on where it was."""
    requests = LedgerRequests(ledger)
    requests.pay([asked("a", analyst="ann", publication="p"), asked("b", analyst="bob", publication="p")])
    index = LedgerIndex(ledger)
    index.follow()
    ledger.spend(EACH, mechanism="by hand")
    requests.pay([asked("c", analyst="ann")])

    requests.pay([asked("d", publication="p")])
    assert (5, {"a", "b", "c"}) == (index.follow().spends, index.analyst_requests())
    assert [1, 4] == [row for row, _ in index.rows(ANALYST, "ann")]
    assert (Fraction(3, 10), Fraction(0)) == (
        index.spent_by(PUBLICATION, "p").epsilon,
        index.spent_by(ANALYST, "x").epsilon,
    )


def test_an_answer_is_drawn_once(ledger) -> None:
    """Afterwards it is read, by others too, and nothing else is kept for its request."""
    requests, answers = LedgerRequests(ledger), Answers()
    with pytest.raises(RequestError, match="not paid for"):
        requests.answer("a", answers, lambda: "1")
    assert {} == answers.kept
    requests.pay([asked("a")])

    assert "1" == requests.answer("a", answers, lambda: "1") == LedgerRequests(ledger).answer("a", answers, refused)
    assert {"a": answer_hash("1")} == ledger.answers(["a", "b"])


def refused() -> str:
    """Fail where a second answer is drawn."""
    raise AssertionError("drawn again")


def test_an_answer_that_was_lost_is_not_drawn_again(ledger) -> None:
    """An older store does not have it; a store with another answer is refused, too."""
    requests = LedgerRequests(ledger)
    requests.pay([asked("a")])
    requests.answer("a", Answers(), lambda: "1")

    with pytest.raises(AnsweredError, match="restore the newest state"):
        requests.answer("a", Answers(), refused)
    with pytest.raises(AnsweredError):
        requests.answer("a", Answers(a="2"), refused)
    assert "1" == requests.answer("a", Answers(a="1"), refused)


def test_of_two_draws_at_once_one_is_shown(ledger) -> None:
    """Copies of one store, each with a draw of its own: the first whose hash is kept stands."""
    requests, other = LedgerRequests(ledger), Answers()
    requests.pay([asked("a")])

    def late() -> str:
        assert "2" == LedgerRequests(ledger).answer("a", other, lambda: "2")
        return "1"

    with pytest.raises(AnsweredError):
        requests.answer("a", Answers(), late)


def test_an_answer_that_is_not_stored_is_not_kept(ledger) -> None:
    """A draw or a store that fails leaves the payment for the next attempt."""
    requests = LedgerRequests(ledger)
    requests.pay([asked("a")])

    class Full(Answers):
        def keep(self, *_: str) -> str:
            raise OSError("full")

    with pytest.raises(OSError, match="^full$"):
        requests.answer("a", Full(), lambda: "1")
    with pytest.raises(KeyError):
        requests.answer("a", Answers(), lambda: {}["x"])
    assert {} == ledger.answers(["a"])
    assert "2" == requests.answer("a", Answers(), lambda: "2")


def test_a_backup_has_the_answers(address: str, tmp_path: Path) -> None:
    """A ledger that is restored from it draws nothing a second time; the chain is the same."""
    ledger = filled(address, 0)
    requests = LedgerRequests(ledger)
    requests.pay([asked("a")])
    requests.answer("a", Answers(), lambda: "1")
    ledger.backup(tmp_path / "copy")
    copy = dps.Ledger.read(tmp_path / "copy")

    assert {"a": answer_hash("1")} == copy.answers(["a"])
    assert [ledger.entry(1).hash, ledger.verify()] == [copy.entry(1).hash, copy.verify()]
    with pytest.raises(AnsweredError):
        LedgerRequests(copy).answer("a", Answers(), refused)


def test_answers_are_neither_changed_nor_removed(address: str, request) -> None:
    """By triggers, for whoever edits by mistake."""
    ledger = filled(address, 0)
    with ledger.transaction() as transaction:
        assert "1" == transaction.keep_answer("a", "1") == transaction.keep_answer("a", "2")
    statements = ("UPDATE {}answers SET hash = 'x'", "DELETE FROM {}answers")
    for statement in statements:
        if address.startswith("postgresql:"):
            database: Database = request.getfixturevalue("database")
            with pytest.raises(psycopg.errors.RaiseException):
                database.run(statement.format("survey."))
        else:
            with sqlite3.connect(address) as connection, pytest.raises(sqlite3.IntegrityError):
                connection.execute(statement.format(""))
            connection.close()

    assert {"a": "1"} == ledger.answers(["a"])


def test_who_writes_the_file_can_delete_hashes(tmp_path: Path) -> None:
    """The limit that the proof states: the ledger verifies as before, and an older store shows a second draw."""
    ledger = filled(str(tmp_path / "survey.ledger"), 0)
    requests = LedgerRequests(ledger)
    requests.pay([asked("a")])
    requests.answer("a", Answers(), lambda: "1")
    before = ledger.verify()
    with sqlite3.connect(tmp_path / "survey.ledger") as connection:
        query = "SELECT name FROM sqlite_master WHERE tbl_name = 'answers' AND type = 'trigger'"
        names = [name for (name,) in connection.execute(query)]
        assert names
        for name in names:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DELETE FROM answers")
    connection.close()

    assert before == ledger.verify() == dps.Ledger.read(tmp_path / "survey.ledger").verify()
    assert "2" == requests.answer("a", Answers(), lambda: "2")


def test_a_text_that_is_stored_meanwhile_is_found(ledger) -> None:
    """Another process answers after the look at the store: its text is shown, and not taken for lost."""
    requests = LedgerRequests(ledger)
    requests.pay([asked("a")])

    class Overtaken(Answers):
        def read(self, request: str) -> str | None:
            found = super().read(request)
            if found is None:
                LedgerRequests(ledger).confirm(request, self.keep(request, "1"))
            return found

    assert "1" == requests.answer("a", Overtaken(), lambda: "2")


def test_an_answer_is_confirmed_once(ledger) -> None:
    """Of two texts the first stands; the other one may not be shown."""
    requests = LedgerRequests(ledger)
    requests.pay([asked("a")])
    for _ in range(2):
        requests.confirm("a", "1")
    with pytest.raises(AnsweredError):
        requests.confirm("a", "2")

    assert {"a": answer_hash("1")} == ledger.answers(["a"])


def test_who_may_spend_may_pay_for_requests(database: Database, role: str) -> None:  # noqa: F811
    """With the rights that the page lists; without that to answers, nothing is spent."""
    filled(database.address(), 0)
    allowed = [each for each in SPENDING if "answers" not in each]
    assert len(allowed) == len(SPENDING) - 1
    database.run(*(each + role for each in allowed))
    requests = LedgerRequests(dps.Ledger.read(database.address(user=role)))
    with pytest.raises(PermissionError, match="nothing was spent"):
        requests.pay([asked("a")])
    assert 0 == requests.ledger.totals.spends

    database.run(*(each + role for each in SPENDING))
    requests.pay([asked("a")])
    assert "1" == requests.answer("a", Answers(), lambda: "1")


def test_answers_that_a_crash_empties_are_refused(database: Database) -> None:
    """A table that is not on disk when a commit returns keeps nothing."""
    ledger = filled(database.address(), 0)
    database.run("ALTER TABLE survey.answers SET UNLOGGED")
    with pytest.raises(ValueError, match="not kept on disk"):
        LedgerRequests(ledger).pay([asked("a")])

    assert 0 == ledger.totals.spends


def test_a_transaction_in_memory_takes_everything_back() -> None:
    """What its block raises leaves neither rows nor sums; nobody else is let in meanwhile."""
    ledger = InMemoryLedger(Terms.of(1, 0, "add-remove", "survey", "sum"))
    event = Event.of(EACH, dataset="survey", mechanism="x")

    def stopped() -> None:
        with ledger.transaction() as transaction:
            transaction.append(event)
            assert 1 == transaction.totals.spends == len(transaction.latest(None))
            with pytest.raises(dps.BudgetError, match="under way"):
                ledger.spend(EACH, mechanism="x")
            raise KeyError

    with pytest.raises(KeyError):
        stopped()
    assert (Totals(), ()) == (ledger.totals, ledger.events)
    assert 1 == ledger.spend(EACH, mechanism="x")


@pytest.mark.parametrize("release", [lambda book: None, lambda book: book.spend(EACH, mechanism="y")])
def test_a_release_spends_what_its_plan_has(release: Callable[[Any], Any]) -> None:
    """No less and nothing else; each spend has the row that pays for it."""
    paid = RequestAccountant("sum", [TENTH, TENTH], [7, 9])
    assert [7, 9] == [paid.with_metadata(a="b").spend(EACH, mechanism="permute-and-flip") for _ in range(2)]
    paid.require_complete()
    with pytest.raises(dps.PrivacyError, match="another amount than its plan"):
        paid.spend(EACH, mechanism="permute-and-flip")
    with pytest.raises(dps.PrivacyError, match="withheld"):
        paid.require_complete()
    with pytest.raises(RequestError, match="not paid for"):
        RequestAccountant("sum", [TENTH, TENTH], [7])
    book = RequestAccountant("sum", [TENTH], [7])

    def asked_for() -> None:
        release(book)
        book.require_complete()

    with pytest.raises(dps.PrivacyError):
        asked_for()


def test_a_publication_is_paid_from_any_ledger(ledger) -> None:
    """In one transaction, with rows that its certificate names; each answer's hash is kept."""
    described = dps.Dataset.of({"age": [*range(100)]}, columns={"age": {"lower": 0, "upper": 99}})
    asked = [
        {"key": "ages", "query": "histogram", "column": "age", "epsilon": 0.25},
        {"key": "median", "query": "median", "column": "age", "weight": 1},
    ]
    publication = dps.queries.Publication.of(total={"epsilon": 0.5}, query=asked)
    answers = dps.open(described, ledger=ledger).publish(publication)

    assert [[1], [2]] == [each["rows"] for each in answers.answers.values()]
    assert Fraction(1, 2) == ledger.totals.epsilon
    assert 2 == len(ledger.answers([event.metadata["request"] for event in ledger.events]))
    if not isinstance(ledger, InMemoryLedger):
        answers.certificate.require_row(ledger)
    with pytest.raises(dps.BudgetError, match="has epsilon 0.5 left"):
        dps.open(described, ledger=ledger).publish(dps.queries.Publication.of(total={"epsilon": 2}, query=asked))
    assert 2 == ledger.totals.spends

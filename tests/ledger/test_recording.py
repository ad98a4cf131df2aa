"""What a release spends can be recorded, and known before it is paid."""

from __future__ import annotations

import copy
import pickle
import shutil
from fractions import Fraction
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.kernel import bernoulli_exp
from dpselect.ledger.recording import RecordingAccountant, Spend, price

VOTES = dps.Scores([5, 3, 1], sensitivity=1, metadata={"source": "votes"})
HALF = dps.Guarantee(Fraction(1, 2), "add-remove")


def test_spends_are_recorded_in_order_with_their_metadata() -> None:
    """One list for all that share the budget, whatever they note beside a spend."""
    book = RecordingAccountant("rho")
    book.with_metadata(table="a").with_metadata(part="b").spend(HALF, mechanism="x", count=2, note="n")
    copy.deepcopy(book).spend(HALF, mechanism="y")

    assert [Spend(HALF, "x", 2, "n", {"table": "a", "part": "b"}), Spend(HALF, "y")] == book.spends
    assert "rho" == book.rule == book.with_metadata(table="a").rule


def test_whoever_pays_is_asked_first(tmp_path: Path) -> None:
    """Its row is recorded, and what it refuses is not."""
    ledger = dps.Ledger.open(tmp_path / "a.ledger", epsilon=1)
    book = RecordingAccountant(pay=lambda spend: spend.record(ledger))
    for _ in range(2):
        dps.select(VOTES, epsilon=0.5, ledger=book)
    with pytest.raises(dps.BudgetError):
        dps.select(VOTES, epsilon=0.5, ledger=book)

    assert [1, 2] == [spend.row for spend in book.spends]
    assert [{"source": "votes"}] * 2 == [event.metadata for event in ledger.events]
    assert all(spend.is_paid_by(event) for spend, event in zip(book.spends, ledger.events, strict=True))


def test_a_price_is_found_without_a_draw(monkeypatch) -> None:
    """The release ends at its spend; without one there is no price."""

    def refused() -> None:
        raise AssertionError("drawn")

    monkeypatch.setattr(bernoulli_exp, "new_entropy", refused)
    asked = price(lambda book: dps.top_k(VOTES, 2, epsilon=0.5, mechanism=dps.mechanism("exponential"), ledger=book))

    assert (Fraction(1, 4), 2, {"source": "votes"}) == (asked.guarantee.epsilon, asked.count, asked.metadata)
    with pytest.raises(AssertionError, match="spends nothing"):
        price(lambda book: book)


def test_a_ledger_remembers_what_was_spent_under_other_metadata(tmp_path: Path) -> None:
    """A file that goes back behind such a spend is refused by all that share the ledger."""
    path, old = tmp_path / "a.ledger", tmp_path / "old.ledger"
    ledger = dps.Ledger.open(path, epsilon=3)
    ledger.spend(HALF, mechanism="x")
    shutil.copy(path, old)
    ledger.with_metadata(table="people").spend(HALF, mechanism="x")
    path.write_bytes(old.read_bytes())

    with pytest.raises(ValueError, match="lost"):
        ledger.spend(HALF, mechanism="x")


def test_metadata_survive_a_copy(tmp_path: Path) -> None:
    """As an address, and what is recorded beside each spend; the ledger itself records nothing."""
    ledger = dps.Ledger.open(tmp_path / "a.ledger", epsilon=3)
    for book in (pickle.loads(pickle.dumps(ledger.with_metadata(table="people"))), copy.deepcopy(ledger)):
        book.spend(HALF, mechanism="x")

    assert [{"table": "people"}, {}] == [event.metadata for event in ledger.events]


def test_a_budget_in_memory_is_one_under_all_metadata() -> None:
    """What is spent with some is spent for all."""
    with dps.budget(epsilon=1) as book:
        people = book.with_metadata(table="people")
        people.spend(HALF, mechanism="x")
        book.spend(HALF, mechanism="x")
        with pytest.raises(dps.BudgetError):
            people.spend(HALF, mechanism="x")

    assert [{"table": "people"}, {}] == [event.metadata for event in people.events] == [e.metadata for e in book.events]


def test_a_row_that_promises_less_pays_for_more_and_not_the_other_way() -> None:
    """What an older version settled is dearer than what is asked for today."""
    flip = dps.Guarantee(1, "add-remove", laplace=True)
    plain = dps.Guarantee(1, "add-remove")
    today, before = dps.ledger.Spend(flip, "x"), dps.ledger.Spend(plain, "x")

    assert today.is_paid_by(today.event())
    assert today.is_paid_by(before.event())
    assert not before.is_paid_by(today.event())

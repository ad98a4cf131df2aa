"""A budget for a script."""

import copy
import os
import pickle
from fractions import Fraction
from pathlib import Path

import pytest

import dpselect as dps

FLIP = dps.mechanism("permute-and-flip")
VOTES = dps.Scores([5, 3, 1], sensitivity=1)


def test_releases_inside_the_block_are_counted() -> None:
    """Select, lists and quantiles; what does not fit is refused; afterwards nothing is counted."""
    with dps.budget(epsilon=1) as book:
        dps.select(VOTES, epsilon=0.2, mechanism=FLIP)
        dps.top_k(VOTES, 2, epsilon=0.2, mechanism=FLIP)
        dps.quantiles([1, 2], [0.5], grid=range(3), epsilon=0.2)
        with pytest.raises(dps.BudgetError, match="left epsilon 0.4"):
            dps.select(VOTES, epsilon=0.5, mechanism=FLIP)
    dps.select(VOTES, epsilon=100, mechanism=FLIP)

    assert (Fraction(3, 5), 3) == (book.totals.epsilon, len(book.events))
    assert "InMemoryLedger(dataset='')" == repr(book)
    assert 0.6 == book.report(1e-6).basic


def test_a_session_in_a_file_is_remembered(tmp_path: Path) -> None:
    """The next session goes on where the last one ended."""
    for _ in range(2):
        with dps.budget(tmp_path / "b.ledger", epsilon=1, dataset="votes"):
            dps.select(VOTES, epsilon=0.4, mechanism=FLIP)

    assert Fraction(1, 5) == dps.Ledger.read(tmp_path / "b.ledger").remaining.epsilon


def test_the_ledger_named_wins_over_the_session() -> None:
    """And sessions nest."""
    with dps.budget(epsilon=1) as outer, dps.budget(epsilon=1) as inner:
        dps.select(VOTES, epsilon=0.4, mechanism=FLIP)
        dps.select(VOTES, epsilon=0.3, mechanism=FLIP, ledger=outer)

    assert (Fraction(3, 10), Fraction(2, 5)) == (outer.totals.epsilon, inner.totals.epsilon)


def test_a_release_for_other_neighbours_is_told_how_to_get_a_budget() -> None:
    """With the argument as it is written, which then works."""
    graph = dps.utilities.degree(dps.Graph.from_name("lesmis"))
    with dps.budget(epsilon=1) as book:
        with pytest.raises(ValueError, match='dpselect.budget or Ledger.open with neighbours="edge"'):
            dps.select(graph, epsilon=1, mechanism=FLIP)
        assert 0 == book.totals.spends
    with dps.budget(epsilon=1, neighbours="edge") as book:
        dps.select(graph, epsilon=1, mechanism=FLIP)

    assert 1 == book.totals.spends


def test_an_error_inside_ends_the_session() -> None:
    """Nothing outside is counted afterwards."""
    with pytest.raises(KeyError), dps.budget(epsilon=1) as book:
        raise KeyError
    dps.select(VOTES, epsilon=0.4, mechanism=FLIP)

    assert 0 == book.totals.spends


def test_a_budget_in_memory_stays_one() -> None:
    """Copies are the same budget, and it does not cross to another process as a budget of its own."""
    with dps.budget(epsilon=1) as book:
        assert book is copy.copy(book) is copy.deepcopy(book)
        with pytest.raises(TypeError, match="give several processes a ledger with a path"):
            pickle.dumps(book)


def test_a_forked_process_cannot_spend_it_again(monkeypatch) -> None:
    """Its copy of the memory would not know what the others spend."""
    with dps.budget(epsilon=1) as book:
        here = os.getpid()
        monkeypatch.setattr(os, "getpid", lambda: here + 1)
        with pytest.raises(dps.BudgetError, match="stays in its process"):
            dps.select(VOTES, epsilon=0.2, mechanism=FLIP)
        monkeypatch.undo()

    assert 0 == book.totals.spends


def test_every_budget_says_its_rule(tmp_path: Path) -> None:
    """A release may choose how it draws by it: the rule is public."""
    terms = {"epsilon": 1, "delta": 1e-6, "rule": "rho"}
    by_rho, by_sum = dps.Ledger.open(tmp_path / "b", **terms), dps.ledger.BudgetAccountant(epsilon=1)
    with dps.budget(**terms) as session:
        budgets = (
            by_rho,
            by_rho.with_metadata(table="t"),
            session,
            session.with_metadata(table="t").with_metadata(sample="s"),
            by_sum,
        )

    assert ["rho", "rho", "rho", "rho", "sum"] == [each.rule for each in budgets]


def test_a_session_by_rho_counts_concentrated_releases() -> None:
    """And refuses what has no rho, before anything is spent."""
    with dps.budget(epsilon=1, delta=1e-6, rule="rho") as book:
        book.spend(dps.Guarantee.from_rho(Fraction(1, 50), 1e-6, "add-remove"), mechanism="x")
        with pytest.raises(dps.BudgetError, match="promise has none"):
            book.spend(dps.Guarantee(Fraction(1, 100), "add-remove", 1e-9), mechanism="x")

    assert (Fraction(1, 50), 1) == (book.totals.rho, book.totals.spends)

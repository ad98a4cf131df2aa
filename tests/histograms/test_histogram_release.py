"""What every algorithm refuses, what it spends and when."""

import os
from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect import histograms
from dpselect.histograms.mwem import _scores

ALGORITHMS = list(histograms.EVERY_ALGORITHM.values())
every = pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda each: each.__name__)


class Book:
    """A budget that keeps a list, or refuses."""

    def __init__(self, full: bool = False) -> None:
        self.full, self.rows = full, []

    def spend(self, guarantee, /, *, mechanism, count=1, note=""):
        """Record, or raise."""
        if self.full:
            raise dps.BudgetError("The budget is used up.")
        self.rows.append((guarantee, mechanism, count, note))


@every
@pytest.mark.parametrize(
    "counts, epsilon, error, told",
    [
        ([1, -1], 1, ValueError, "must not be negative"),
        ([1.0, 2.0], 1, TypeError, "must be integers"),
        ([1.0, float("nan")], 1, TypeError, "must be integers"),
        ([True, False], 1, TypeError, "must be integers"),
        (["a"], 1, TypeError, "must be integers"),
        (None, 1, TypeError, "must be integers"),
        (np.ma.masked_array([1, 2], [True, False]), 1, TypeError, "must not be masked"),
        (np.zeros((0,), dtype=int), 1, ValueError, "at least one cell"),
        (np.zeros((2, 0), dtype=int), 1, ValueError, "at least one cell"),
        (np.zeros((2, 2, 2), dtype=int), 1, ValueError, "one or two dimensions"),
        (7, 1, ValueError, "one or two dimensions"),
        ([[1, 2], [3]], 1, ValueError, "rows of equal length"),
        (np.broadcast_to(np.int64(0), (2**12, 2**11)), 1, ValueError, "coarser public bins"),
        ([1, 2], 0, ValueError, "positive and finite"),
        ([1, 2], -1, ValueError, "positive and finite"),
        ([1, 2], float("nan"), ValueError, "positive and finite"),
        ([1, 2], "1", TypeError, "must be a number"),
        ([1, 2], 1e-5, ValueError, "at least 1/10000"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_bad_input_costs_nothing(algorithm, counts, epsilon, error: type[Exception], told: str) -> None:
    """One sentence says what to pass, before anything is spent."""
    book = Book()
    with pytest.raises(error, match=told):
        algorithm(counts, epsilon=epsilon, ledger=book)

    assert [] == book.rows


@every
@pytest.mark.parametrize("shape", [(1,), pytest.param((3,), marks=pytest.mark.slow), (5, 7)], ids=str)
def test_any_small_domain_is_answered(algorithm, shape: tuple[int, ...]) -> None:
    """One cell, uneven sides, no records at all: an estimate of the same shape, finite."""
    for counts in (np.zeros(shape, dtype=int), np.full(shape, 2**62), np.arange(np.prod(shape)).reshape(shape)):
        for epsilon in (1e-4, 10**9):
            estimate = algorithm(counts, epsilon=epsilon)

            assert shape == estimate.shape
            assert np.isfinite(estimate).all()


@every
def test_one_spend_of_the_whole_epsilon(algorithm) -> None:
    """By the ledger passed, or by the session."""
    book = Book()
    algorithm([3, 1], epsilon=0.1, ledger=book)
    ((guarantee, mechanism, count, _),) = book.rows

    assert dps.Guarantee(Fraction(1, 10), "add-remove") == guarantee
    assert (f"histogram {algorithm.__name__}", 1) == (mechanism, count)


@every
def test_nothing_is_drawn_without_budget(algorithm, monkeypatch: pytest.MonkeyPatch) -> None:
    """The spend comes before the first draw; a refusal leaves the randomness untouched."""
    drawn, random = [], os.urandom
    monkeypatch.setattr("dpselect.kernel.bernoulli_exp.os.urandom", lambda count: drawn.append(count) or random(count))
    with pytest.raises(dps.BudgetError):
        algorithm([3, 1], epsilon=1, ledger=Book(full=True))
    assert [] == drawn

    algorithm([3, 1], epsilon=1, ledger=Book())
    assert drawn


@every
def test_large_epsilons_give_the_data_back(algorithm) -> None:
    """No noise and no bias is left, except what an even histogram or few queries leave."""
    counts = np.array([40, 40, 7, 7, 7, 7, 0, 900])
    estimate = algorithm(counts, epsilon=10**6)

    assert abs(counts.sum() - estimate.sum()) < 1e-3
    if algorithm not in (histograms.uniform, histograms.mwem):
        assert np.allclose(counts, estimate, atol=1e-2)


@every
def test_counts_are_left_alone(algorithm) -> None:
    """The caller's array is read only."""
    counts = np.array([3, 1, 4, 1])
    counts.flags.writeable = False
    algorithm(counts, epsilon=1)

    assert [3, 1, 4, 1] == counts.tolist()


@pytest.mark.parametrize(
    "given, error, told",
    [
        ({"queries": [0]}, TypeError, "must be a Workload"),
        ({"queries": histograms.Workload.cells((3,))}, ValueError, r"about shape \(3,\)"),
        ({"rounds": 0}, ValueError, "rounds must be"),
        ({"rounds": 1.5}, ValueError, "rounds must be"),
        ({"rounds": 1000}, ValueError, "rounds must be"),
        ({"mechanism": 3}, TypeError, "mechanism is a name"),
        ({"mechanism": dps.mechanism("inverse-sensitivity")}, dps.PrivacyError, "distance"),
    ],
    ids=str,
)
def test_what_mwem_refuses(given: dict, error: type[Exception], told: str) -> None:
    """Before anything is spent."""
    book = Book()
    with pytest.raises(error, match=told):
        histograms.mwem([1, 2], epsilon=1, ledger=book, **given)

    assert [] == book.rows


def test_mwem_takes_at_most_ten_thousand_queries() -> None:
    """Public candidates, as many as are cheap to score in every round."""
    with pytest.raises(ValueError, match="at most 10000 queries"):
        histograms.mwem(np.ones(10_001, dtype=int), epsilon=1, queries=histograms.Workload.cells((10_001,)))


def test_mwem_measures_what_is_worst() -> None:
    """With all of the mass in one cell, cell queries find it; the estimate keeps the total and no sign."""
    counts = np.zeros(64, dtype=int)
    counts[17] = 1000
    estimate = histograms.mwem(counts, epsilon=10, queries=histograms.Workload.cells((64,)), rounds=12)

    assert 17 == estimate.argmax()
    assert 300 < estimate[17]
    assert 0 <= estimate.min()
    assert abs(estimate.sum() - 1000) < 40


def test_no_score_of_mwem_overflows() -> None:
    """Neighbouring answers of any size differ by at most one record, and far ones stay far."""
    for true in (0, 2**50 - 1, 2**50, 2**62 - 1):
        for guess in (0.0, 2.0**49, 2.0**70):
            here, there = (_scores(np.array([answer]), np.array([guess])).values[0] for answer in (true, true + 1))

            assert abs(there - here) <= 2**10
            assert 0 <= here <= 2**60


def test_histograms_load_when_they_are_used() -> None:
    """``dps.histograms`` is the package."""
    assert dps.histograms is histograms
    assert set(histograms.EVERY_ALGORITHM) < set(histograms.__all__)

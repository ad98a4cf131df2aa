"""How far one replaced value moves the value of a rank: against all databases of a few values."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dpselect as dps
from dpselect.scores.order_statistic import order_statistic
from tests.utilities.enumeration import admissible, tabulate


def one_number(values, rank: int, lower: float, upper: float) -> dps.Scores:
    """The number as the score of a single candidate, for the auditor."""
    each = np.asarray(values)
    sensitivity = order_statistic(each, rank, lower=lower, upper=upper)
    return dps.Scores(np.sort(each)[rank - 1 : rank], sensitivity, neighbours="substitution")


@pytest.mark.parametrize(("size", "most"), [(1, 4), (2, 4), (3, 4), (4, 3), (5, 2)])
def test_it_is_exact_on_every_database(size: int, most: int) -> None:
    """For every rank: admissible, equal to the largest move at every distance, and a tenth less is caught."""
    for rank in range(1, size + 1):
        table = tabulate(lambda x, rank=rank: one_number(x, rank, 0, most), dps.audit.vectors(size, range(most + 1)))

        assert admissible(table)
        assert np.array_equal(table.exact, table.at)
        assert not admissible(table, 0.9)


def test_decimals_are_rounded_upwards() -> None:
    """Differences of floats are not below the exact ones."""
    grid = (np.arange(5) / 10 + 3.3).tolist()
    table = tabulate(lambda x: one_number(x, 2, 3.3, 3.7), dps.audit.vectors(3, grid))

    assert admissible(table)


def test_large_integers_are_rounded_upwards() -> None:
    """A difference that no float holds is the next one above."""
    values = np.array([0, 2**60 + 1])

    assert 2**60 + 256 == order_statistic(values, 1, lower=0, upper=2**60 + 1).at(0)[0]
    assert 2.0**53 - 1 == order_statistic(np.array([0, 2**53 - 1]), 1, lower=0, upper=2**61).at(0)[0]


def test_many_records_are_read_where_they_are_needed() -> None:
    """A million records: a few distances are windows about the middle."""
    values = np.arange(10**6)
    sensitivity = order_statistic(values, 500_000, lower=0, upper=10**6)

    assert [1, 2, 1000] == sensitivity.at([0, 1, 999]).ravel().tolist()
    assert (10.0**6, 10**6) == (sensitivity.ceiling, sensitivity.reach)


@pytest.mark.parametrize("rank", [0, 4])
def test_a_rank_that_is_not_there_is_refused(rank: int) -> None:
    """From 1 to the number of values."""
    with pytest.raises(ValueError, match="rank is an integer from 1"):
        order_statistic(np.array([1, 2, 3]), rank, lower=0, upper=5)


def test_values_outside_the_bounds_are_refused() -> None:
    """The caller moves them to the nearest bound; then this cannot depend on a row."""
    with pytest.raises(ValueError, match="clip them first"):
        order_statistic(np.array([1, 9]), 1, lower=0, upper=5)


def test_the_ceiling_is_not_below_the_range() -> None:
    """The difference of two bounds that are floats is rounded up: a value may move by all of it."""
    sensitivity = order_statistic(np.array([-1e-17, 1.0]), 1, lower=-1e-17, upper=1.0)

    assert Fraction(sensitivity.ceiling) >= Fraction(1.0) - Fraction(-1e-17)
    assert Fraction(float(sensitivity.at(2)[0])) >= Fraction(1.0) - Fraction(-1e-17)

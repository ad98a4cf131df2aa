"""Minimum sizes of groups: every pair of neighbours among small databases, of delta, reaches and margins."""

from __future__ import annotations

import numpy as np
import pytest

from dpselect.formulas import FormulaError, RowKinds, elementary, margins, scores, statistic
from dpselect.formulas import expression as e
from dpselect.formulas.derived_sensitivity import ceiling, require_value
from dpselect.formulas.small_groups import fill_small_groups
from tests.formulas.databases import broken, tables
from tests.formulas.test_margins import counts_of, groups, with_one_more

N, TOTAL = statistic("n"), statistic("total")
RATES = RowKinds.of([{"n": 1}, {"n": 1, "total": 1}])
STARS = RowKinds.of([{"n": 1, "total": (-1, 3)}])
PERSONS = RowKinds.of([{"n": 1}, {"n": 1, "total": 1}], rows_per_person=2)
SUBSTITUTION = RowKinds.of([{"n": 1}, {"n": 1, "total": 1}], substitution=True)


@pytest.mark.parametrize("rows", [RATES, STARS, PERSONS, SUBSTITUTION])
@pytest.mark.parametrize("least", [1, 2, 4])
def test_filled_ratios_hold_on_every_small_database(rows: RowKinds, least: int) -> None:
    """A1, A2 and reaches, of both orders, of a sum of two ratios by one count, and of one within a logarithm."""
    for ratio in (TOTAL / N, -TOTAL / N, TOTAL / N - 2 * (TOTAL / N) + 1, -(elementary.absolute(N - 2) - TOTAL / N)):
        formula = fill_small_groups(ratio, rows, least)
        require_value(formula, rows)
        assert [] == broken(formula, rows, tables(rows, 6), [0, 1, 2, 3, 5, 9])


@pytest.mark.parametrize("rows", [RATES, pytest.param(STARS, marks=pytest.mark.slow)])
def test_one_row_moves_a_margin_of_filled_ratios_by_at_most_one(rows: RowKinds) -> None:
    """All databases of three groups of few rows, and one row more in any of them."""
    formula = fill_small_groups(TOTAL / N, rows, 2)
    known = {each: margins(formula, counts_of(rows, each), rows, 1).values for each in groups(rows, 2)}
    moves = [
        np.abs(known[more] - found).max()
        for each, found in known.items()
        for more in with_one_more(rows, each)
        if more in known
    ]

    assert 0.4 < max(moves) <= 1


def test_large_groups_keep_their_ratio_and_small_ones_are_filled_up() -> None:
    """With the least that a row may add; the ceiling is finite."""
    formula = fill_small_groups(TOTAL / N, STARS, 10)
    found = scores(formula, {"n": [40, 10, 4, 0], "total": [90, -4, 12, 0]}, STARS)

    assert found.values.tolist() == pytest.approx([2.25, -0.4, (12 - 6) / 10, -1])
    assert np.isfinite(ceiling(formula, STARS))


def test_a_group_of_many_rows_has_the_margin_of_its_ratio() -> None:
    """As exact as one with a prior of no weight: a minimum size costs large groups nothing."""
    counts = {"n": [900, 800], "total": [600, 300]}
    filled = margins(fill_small_groups(TOTAL / N, RATES, 20), counts, RATES, 1).values
    shrunk = margins((TOTAL + 0.0005) / (N + 0.001), counts, RATES, 1).values

    assert filled.tolist() == pytest.approx(shrunk.tolist(), abs=1)
    assert filled[0] > 200


def test_a_small_group_is_as_many_rows_away_as_it_lacks() -> None:
    """Three rows of 1 need ten more to reach two thirds of twenty."""
    counts = {"n": [900, 3], "total": [600, 3]}

    assert 10 <= margins(fill_small_groups(TOTAL / N, RATES, 20), counts, RATES, 1).values[0] <= 11


def test_a_ratio_that_is_not_zero_based_is_refused() -> None:
    """Where what is divided may be there without the divisor, and where a constant is, 0 / 0 is not the only 0."""
    rows = RowKinds.of([{"n": 1}, {"total": 1}])
    with pytest.raises(FormulaError, match="may be 0, and divides"):
        require_value(e.ZeroBasedQuotient(TOTAL, N), rows)
    with pytest.raises(FormulaError, match="may be 0, and divides"):
        require_value(e.ZeroBasedQuotient(TOTAL + 1, N), RATES)
    with pytest.raises(FormulaError, match="which is worst is not clear"):
        fill_small_groups(TOTAL / N, rows, 5)

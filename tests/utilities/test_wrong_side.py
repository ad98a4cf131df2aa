"""The weight on the wrong side: how far one record moves it, on all small tables and on huge ones."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from dpselect.utilities.wrong_side import moves_by, row_scores_wrong_side

MOST = 5
# Cell and signed weight of a record.
KINDS = list(itertools.product(range(2), (-MOST, -2, 0, 3, MOST)))


def score(records) -> int:
    """Of a table of two cells, by its records one by one."""
    cells = np.zeros((2, 2), dtype=np.int64)
    for cell, weight in records:
        cells[cell, int(weight > 0)] += abs(weight)
    return int(row_scores_wrong_side(cells).sum())


def test_one_more_record_lowers_it_by_at_most_the_largest_weight() -> None:
    """All multisets of up to four records; the bound is reached, and 0 too."""
    moves = {
        score((*records, more)) - score(records)
        for size in range(5)
        for records in itertools.combinations_with_replacement(KINDS, size)
        for more in KINDS
    }

    assert max(moves) == 0
    assert min(moves) == -moves_by(MOST).total


def test_it_is_half_of_what_weights_do_not_cancel() -> None:
    """Minus the smaller of two sides: half the difference of sides, less half their sum, in fractions."""
    random = np.random.default_rng(1)
    rows = random.integers(0, 1000, (50, 2))
    for (below, above), value in zip(rows.tolist(), row_scores_wrong_side(rows).tolist(), strict=True):
        assert Fraction(abs(above - below) - above - below, 2) == value


@pytest.mark.parametrize("records", [2**20, 2**36])
def test_huge_tables_are_exact(records: int) -> None:
    """Whatever their size, a record more moves the integer by what it weighs."""
    heavy = 2**16
    rows = np.array([[records * heavy, records * heavy - 1], [records * heavy, records * heavy - 1 + heavy]])

    assert [-(records * heavy - 1), -records * heavy] == row_scores_wrong_side(rows).tolist()

"""Misclassified: minus the records a split classifies wrongly, minus half its Gini impurity.

The first part is coarse and sharp, the second tells splits apart that err alike.
Neighbours: add-remove. Sensitivity 2, exactly 2 - 1/n on at most n records. Reach: 0. Range bound 1: one more record
never raises either part.

References: ours; the criterion of ``DPTreeClassifier``.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.bound import Bound
from dpselect.scores.scores import Scores
from dpselect.utilities.splits import (
    FARTHEST,
    Integers,
    attribute_sums,
    impurity,
    over_classes,
    records_within,
    row_scores_max,
    stack_counts,
)

# What one record moves a score by, without a public number of records.
BOUND = Bound(2)


def misclassified(counts: Mapping[Any, ArrayLike], *, max_records: int | None = None) -> Scores:
    """Return the score of every attribute, in records; at least -2^31.

    Args:
        counts: attribute to its table, shape (public values, public classes), zeros included.
        max_records: a public bound n on the records of the whole table: the sensitivity is then 2 - 1/n, else 2.

    Raises:
        TypeError, ValueError: as ``splits.stack_counts``; a bound below 1 or above 2^62, or below the number of
            records.

    >>> misclassified({"windy": [[3, 1], [0, 4]], "humid": [[2, 2], [1, 3]]}).values
    array([-1.75, -4.75])
    """
    names, rows, starts = stack_counts(counts)
    records_within(rows, starts, max_records)
    bound = BOUND.total if max_records is None else BOUND.total - Fraction(1, int(max_records))
    whole, part = _wrong(rows)
    values = 0.0 - np.minimum(np.add.reduceat(whole, starts) + attribute_sums(part, starts), FARTHEST)
    return Scores(values, bound, candidates=names, range_bound=1, zero="best")


def row_scores_misclassified(rows: Integers) -> NDArray[np.float64]:
    """Return the score of every row, shape (..., rows); sums over disjoint rows move by at most ``BOUND``."""
    whole, part = _wrong(rows)
    return 0.0 - (whole + part)


def _wrong(rows: Integers) -> tuple[Integers, NDArray[np.float64]]:
    """Return minus the score of every row, as a whole number and a fraction below 1."""
    whole, part = impurity(rows, 2)
    return whole + over_classes(np.add, rows) - row_scores_max(rows), part

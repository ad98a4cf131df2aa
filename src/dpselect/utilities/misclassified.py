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

from dpselect.core.scores import Scores
from dpselect.utilities.splits import Integers, records_within, row_scores_gini, row_scores_max, stacked


def misclassified(counts: Mapping[Any, ArrayLike], *, max_records: int | None = None) -> Scores:
    """Return the score of every attribute, in records.

    Args:
        counts: attribute to its table, shape (public values, public classes), zeros included.
        max_records: a public bound n on the records of the whole table: the sensitivity is then 2 - 1/n, else 2.

    Raises:
        TypeError, ValueError: as ``splits.stacked``; a bound below 1, or below the number of records.

    >>> misclassified({"windy": [[3, 1], [0, 4]], "humid": [[2, 2], [1, 3]]}).values
    array([-1.75, -4.75])
    """
    names, rows, starts = stacked(counts)
    records_within(rows, starts, max_records)
    bound = Fraction(2) if max_records is None else 2 - Fraction(1, int(max_records))
    return Scores(np.add.reduceat(row_scores_misclassified(rows), starts), bound, candidates=names, range_bound=1)


def row_scores_misclassified(rows: Integers) -> NDArray[np.float64]:
    """Return the score of every row, shape (..., rows)."""
    return np.asarray(row_scores_max(rows) - rows.sum(axis=-1) + row_scores_gini(rows) / 2)

"""Median by rank: minus the number of records to add or remove until v is the median.

The percentile by rank at p = 50: candidates are the values of a public grid, and the median of n records is the one of
rank floor(n / 2) + 1, of two in the middle the upper.
Neighbours: add-remove. Sensitivity 1. Reach: 0. Range bound 2. Public: the grid.

References: as ``percentile``. The records as candidates, with their own distances: ``dpselect.papers.median``.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from dpselect.scores.scores import Scores
from dpselect.utilities.percentile import percentile
from dpselect.views import Column, StoredColumn


def median(
    values: ArrayLike | Column | StoredColumn,
    *,
    lower: Any = None,
    upper: Any = None,
    step: Any = None,
    grid: ArrayLike | None = None,
) -> Scores:
    """Return minus the changes that would make each value of a public grid the median, as exact integers.

    Args:
        values: shape (n,). Each moves to the nearest grid value, of two the lower; what is missing or not a number
            is left out. A column of an Ibis table is counted where it is.
        lower, upper, step: the public candidates lower, lower + step, ... up to upper; step is 1 between integers.
        grid: the candidates themselves instead, strictly increasing, at least 2.

    Raises:
        PrivacyError: neither ``lower`` and ``upper`` nor ``grid``.
        ValueError: both, or a bad grid.
        TypeError: bounds or a grid that are not real numbers; values of a type such as dates.

    >>> scores = median([1, 1, 2, 2, 2], lower=0, upper=3)
    >>> scores.candidates, scores.values
    (array([0, 1, 2, 3]), array([-6, -2,  0, -5]))
    """
    return percentile(values, 50, grid=grid, lower=lower, upper=upper, step=step)

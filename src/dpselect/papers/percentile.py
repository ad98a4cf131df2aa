"""Percentile, 0/1: 1 for the grid value that is the p-th percentile, 0 for all others.

The percentile of n records is the record of rank floor(p n / 100) + 1, p exact. With l, e, g records below, at and
above it, the score cannot change within T* steps: LS(x, t) = 1 from t = T* on, 0 before (``safe_steps``).
Flat: one sensitivity for all candidates.
Neighbours: add-remove. Ceiling: 1. Reach: unknown. Range bound 2. Zero is the worst. Public: the grid and p.

For reproduction: ``dpselect.utilities.percentile`` answers the same question better.

References: Chaves 2024, chapter 5, Definition 5.2. Errata: Lemmas 5.3 and 5.4 count 2j + 1 changes, which is too late
at every p (n = 1000, p = 90, 850 below and 101 at the value: 101 against the true 55), so that their smooth
sensitivity is too small; they also print exp(-j epsilon) where exp(-j beta) is meant.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpselect.kernel.errors import InputError
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import profiles
from dpselect.utilities.grid_counts import count_on_grid, public_grid
from dpselect.utilities.quantile_shares import percent
from dpselect.views import Column, StoredColumn


def percentile(values: ArrayLike | Column | StoredColumn, p: Any, *, grid: ArrayLike | None = None) -> Scores:
    """Return 1 for the percentile's place on the grid and 0 elsewhere, shape of the grid, as exact integers.

    Without records all scores are 0.

    Args:
        values: shape (n,). Each moves to the nearest grid value, of two the lower; what is missing or not a number
            is left out. A column of an Ibis table is counted where it is.
        p: the percentage, 0 <= p < 100; 50 is the (upper) median. A float is read as its decimal text.
        grid: the public candidates, strictly increasing, at least 2.

    Raises:
        PrivacyError: ``grid`` is missing.
        ValueError: p outside [0, 100), or a bad grid.
        TypeError: p or grid that are not real numbers; values of a type such as dates.

    >>> scores = percentile([1, 1, 2, 2, 2], 50, grid=[0, 1, 2, 3])
    >>> scores.values, scores.sensitivity.at([0, 1])[:, 0]
    (array([0, 0, 1, 0]), array([0., 1.]))
    """
    points, share = public_grid(grid), percent(p)
    if share == 1:
        raise InputError("The published percentile is one with 0 <= p < 100: for the maximum use utilities.percentile.")
    counts, metadata = count_on_grid(values, points)
    reached = np.cumsum(counts)
    size = int(reached[-1])
    # The rank is at most n, so that the first place which reaches it has records.
    place = int(np.searchsorted(reached, math.floor(share * size) + 1)) if size else points.size
    safe = 0
    if size:
        below, at = int(reached[place] - counts[place]), int(counts[place])
        ends = (place > 0, place < points.size - 1)
        safe = safe_steps(share, below, at, size - below - at, ends)
    won = (np.arange(points.size) == place).astype(np.int64)
    sensitivity = profiles(lambda t: (t[:, None] >= safe).astype(np.float64), ceiling=1.0)
    return Scores(won, sensitivity, candidates=points, metadata=metadata, zero="worst")


def safe_steps(share: Fraction, below: int, at: int, above: int, ends: tuple[bool, bool]) -> int:
    """Return T*, the least distance at which one more step can change who is the percentile.

    Args:
        share: p / 100.
        below, at, above: records below, at and above the percentile, at >= 1.
        ends: whether the grid has a value below, and one above.

    >>> safe_steps(Fraction(9, 10), 850, 101, 49, (True, True))
    55
    """
    size, moves = below + at + above, [below + at + above]
    lower, upper = ends
    up = 1 - share
    # To a lower value by removing below (p < 50: adding); to a higher one the other way round. Where nobody is
    # below (above) to begin with, emptying the table is shorter than any such change.
    if lower and share < Fraction(1, 2):
        moves.append(max(1, math.floor((share * size - below) / up) + 1))
    elif lower and below:
        moves.append(max(1, math.floor(size - below / share) + 1))
    if upper and share >= Fraction(1, 2):
        moves.append(max(1, math.ceil((below + at - share * size) / share)))
    elif upper and above:
        moves.append(max(1, math.ceil((below + at - share * size) / up)))
    return min(moves) - 1

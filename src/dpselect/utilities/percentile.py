"""Percentile by rank: minus the number of records to add or remove until v is the p-th percentile.

With l, e, g records below, at and above v, share = p / 100 and n = l + e + g, v is the percentile when
l <= share n < l + e, and the maximum (p = 100) when g = 0 < e. The fewest changes have a closed form (``changes``),
so a grid of a million values costs one sort or one histogram. It is the inverse-sensitivity score of the percentile:
one step moves it by at most 1.
Neighbours: add-remove. Sensitivity 1. Reach: 0. Range bound 2. Public: the grid and p.

References: ours; after Asi and Duchi 2020 (inverse sensitivity) and Smith 2011 (rank scores of quantiles). The 0/1
score of Chaves 2024 is ``dpselect.papers.percentile``.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.units import TICK_CLIP
from dpselect.scores.scores import Scores
from dpselect.utilities.grid_counts import count_on_grid, public_grid
from dpselect.utilities.quantile_shares import percent
from dpselect.views import Column, StoredColumn

Integers = NDArray[np.int64]
# Up to here products of a share and a number of records fit 64 bits.
_WIDEST = 2**62


def percentile(
    values: ArrayLike | Column | StoredColumn,
    p: Any,
    *,
    grid: ArrayLike | None = None,
    lower: Any = None,
    upper: Any = None,
    step: Any = None,
) -> Scores:
    """Return minus the changes that would make each grid value the percentile, shape of the grid, exact integers.

    Args:
        values: shape (n,). Each moves to the nearest grid value, of two the lower; what is missing or not a number
            is left out. A column of an Ibis table is counted where it is.
        p: the percentage, 0 <= p <= 100; 50 is the (upper) median, 100 the maximum. A float is read as its decimal
            text.
        grid: the public candidates, strictly increasing, at least 2.
        lower, upper, step: the same as an even grid: lower, lower + step, ... up to upper; step is 1 between integers.

    Raises:
        PrivacyError: neither ``grid`` nor ``lower`` and ``upper``.
        ValueError: p outside [0, 100], or a bad grid.
        TypeError: p, bounds or a grid that are not real numbers; values of a type such as dates.

    >>> percentile([1, 1, 2, 2, 2], 50, grid=[0, 1, 2, 3]).values
    array([-6, -2,  0, -5])
    """
    points, share = public_grid(grid, lower, upper, step), percent(p)
    counts, metadata = count_on_grid(values, points)
    return rank_scores(counts, share, points, metadata)


def rank_scores(
    counts: Integers,
    share: Fraction,
    candidates: Any,
    metadata: Mapping[str, str] | None = None,
    neighbours: str = "add-remove",
) -> Scores:
    """Return the rank scores of a histogram over the public candidates; a step is one record, or one of a person's."""
    distance = changes(counts, share)
    return Scores(-distance, 1, candidates, neighbours, distance=distance, metadata=metadata, zero="best")


def changes(counts: Integers, share: Fraction) -> Integers:
    """Return for every value the fewest records to add or remove until it is the percentile.

    Let A = l - share n and B = A + e: v is the percentile when A <= 0 < B. A record added at v moves A by -share
    and B by 1 - share; removing one below moves both by share - 1, removing one above moves both by share.
    If A > 0 remove below or add at v, whichever is shorter; if B <= 0 add at v or remove above. An empty v needs
    one record added first. At share 1 v is the maximum when g = 0 and e >= 1.

    >>> changes(np.array([850, 101, 49]), Fraction(9, 10))
    array([56,  0, 57])
    """
    part, whole = share.numerator, share.denominator
    reached = np.cumsum(counts)
    if reached.size and int(reached[-1]) * whole > _WIDEST:
        # The same, in integers without an end; what no score needs is clipped, as scores are.
        wide = _changes(counts.astype(object), reached.astype(object), part, whole)
        return np.asarray(np.minimum(wide, TICK_CLIP).astype(np.int64))
    result: Integers = _changes(counts, reached, part, whole)
    return result


def _changes(counts: Any, reached: Any, part: int, whole: int) -> Any:
    rest = whole - part
    if not rest:
        # The maximum: nothing above, something at v.
        return reached[-1:] - reached + (counts == 0)
    low = whole * (reached - counts) - part * reached[-1]
    high = low + whole * counts
    empty = counts == 0
    if part >= rest:
        down = _ceiling(low, part)
        first = empty * rest
        up = empty + np.where(high + first > 0, 0, -(high + first) // part + 1)
    else:
        first = empty * part
        down = empty + np.maximum(0, _ceiling(low - first, rest))
        up = -high // rest + 1
    return np.where(low > 0, down, np.where(high <= 0, up, 0))


def _ceiling(number: Any, divisor: int) -> Any:
    return -(-number // divisor)

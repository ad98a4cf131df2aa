"""The SHD score: how many families separate a marker's TDT statistic from a threshold.

With d the least number of families whose replacement takes a table (b, c) to the other side of the threshold, the score
is d - 1 above it and -d below it.

Guarantee: one replaced family moves it by at most 1: d is a distance in steps of one family, and a step across the
threshold goes between 0 and -1. Steps are counted between tables, which are at most as far apart as their studies.

References: Johnson and Shmatikov 2013, the shortest Hamming distance to another verdict, named in section II of
Yamamoto and Shibuya 2024.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import binary_dilation

Integers = NDArray[np.int64]


@lru_cache(maxsize=8)
def tables(families: int, threshold: float) -> Integers:
    """Return the score of every table, shape (2 N + 1, 2 N + 1); 0 where b + c > 2 N, which cannot occur."""
    b, c = np.indices((2 * families + 1,) * 2)
    inside = b + c <= 2 * families
    statistic = np.divide((b - c) ** 2, b + c, out=np.zeros(b.shape), where=b + c > 0)
    above = inside & (statistic >= threshold)
    result: Integers = _steps(inside & ~above, inside) * above - np.where(above, 1, _steps(above, inside)) * inside
    return result


def score(b: ArrayLike, c: ArrayLike, *, families: int, threshold: float) -> Integers:
    """Return the score of every marker, shape (m,).

    >>> score([9, 4, 0], [1, 4, 0], families=10, threshold=3.84)
    array([ 0, -2, -2])
    """
    scores: Integers = tables(families, threshold)[np.asarray(b), np.asarray(c)]
    return scores


def _steps(goal: NDArray[np.bool_], inside: NDArray[np.bool_]) -> Integers:
    """Return how many families lead from every table to the goal, 0 within it."""
    db, dc = np.indices((5, 5)) - 2
    # One family changes (b, c) by at most two in each, and in their sum.
    step = np.abs(db + dc) <= 2
    result, reached, t = np.zeros(goal.shape, dtype=np.int64), goal, 0
    while (wider := binary_dilation(reached, step) & inside & ~reached).any():
        t += 1
        result[wider] = t
        reached = reached | wider
    return result

"""A hierarchy of blocks with a branching factor chosen from the public domain."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from dpselect.core.spending import Spender
from dpselect.histograms.counts import Floats, Integers
from dpselect.histograms.draws import Draws
from dpselect.histograms.hierarchy import block_sums, consistent, height
from dpselect.histograms.release import released

# What least squares leave of the variance of ranges on a grid: .39 to .50 on 64 x 64 to 1024 x 1024.
_LEAST_SQUARES = 0.45


def hb(counts: Any, epsilon: Any, *, ledger: Spender | None = None) -> Floats:
    """Return the least-squares histogram of noisy block counts: what long ranges on large data want.

    The h levels of blocks share epsilon evenly; their branching factor makes random ranges cheapest on a domain of
    this shape. On domains where blocks do not pay it is h = 1: the identity.

    Args, Returns, Raises: as :func:`dpselect.histograms.identity`.

    Guarantee: epsilon-differential privacy, one record more or fewer: a record is in one block of each level.

    >>> hb([3, 1, 4, 1, 5, 9, 2, 6], 1000).round().tolist()
    [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]

    Source: Qardaji, Yang and Li 2013 (the branching); Hay, Rastogi, Miklau and Suciu 2010 (least squares).
    """
    return released("histogram hb", estimate, counts, epsilon, ledger)


def estimate(counts: Integers, epsilon: Fraction, draws: Draws) -> Floats:
    """Return the consistent histogram: one record moves the block counts by the number of levels."""
    return measured(counts, branching(counts.shape), epsilon, draws)


def measured(counts: Integers, factor: int, epsilon: Fraction, draws: Draws) -> Floats:
    """Return the consistent histogram of noisy block counts with this branching factor."""
    levels = block_sums(counts, factor)
    flat = np.concatenate([level.ravel() for level in levels])
    noisy = draws.noisy(flat, epsilon, len(levels)).astype(np.float64)
    ends = np.cumsum([0] + [level.size for level in levels])
    parts = [noisy[a:b].reshape(level.shape) for (a, b), level in zip(pairwise(ends), levels, strict=True)]
    return consistent(parts, factor)


@lru_cache(maxsize=64)
def branching(shape: tuple[int, ...]) -> int:
    """Return the branching factor of least mean variance of random ranges over this domain; the longest side is flat.

    >>> branching((4096,)), branching((8,)), branching((256, 256))
    (16, 8, 16)
    """
    longest = max(shape)
    if len(shape) == 1:
        return min(range(2, longest + 1), key=lambda factor: _on_a_line(longest, factor), default=2)
    return min(range(2, longest + 1), key=lambda factor: _on_a_grid(shape, factor), default=2)


def _on_a_line(cells: int, factor: int) -> float:
    """Return the mean variance of ranges up to a constant (Qardaji, Yang and Li 2013, section 4)."""
    levels = height((cells,), factor)
    return (factor - 1) * levels**3 - 2 * (factor + 1) * levels**2 / 3


def _on_a_grid(shape: tuple[int, ...], factor: int) -> float:
    """Return the mean number of blocks that make up a random range, times the variance of each and what is saved."""
    levels, total, above = height(shape, factor), 0.0, 0.0
    for level in reversed(range(levels)):
        inside = float(np.prod([_inside(side, factor**level) for side in shape]))
        total += inside - above * factor ** len(shape)
        above = inside
    return levels**2 * total * (1 if levels == 1 else _LEAST_SQUARES)


def _inside(side: int, length: int) -> float:
    """Return how many whole blocks of this length a range between two random cells holds on average."""
    start = np.arange(0, side, length)
    stop = np.minimum(start + length, side)
    return float((2 * (start + 1) * (side - stop + 1)).sum() / side**2) - (length == 1) / side

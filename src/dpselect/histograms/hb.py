"""A hierarchy of blocks with a branching factor chosen from the public domain."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from dpselect.histograms.count_arrays import ONE, Floats, Integers
from dpselect.histograms.hierarchy import block_sums, consistent, height
from dpselect.histograms.release_histogram import release_histogram
from dpselect.kernel.numbers import Epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.release.session import Session

# What least squares leave of the variance of ranges on a grid: .39 to .50 on 64 x 64 to 1024 x 1024.
_LEAST_SQUARES = 0.45
# On sides up to this every factor is tried.
_SMALL = 512


def hb(counts: Any, *, epsilon: Epsilon, ledger: Accountant | None = None) -> Floats:
    """Return the least-squares histogram of noisy block counts: what long ranges on large data want.

    The h levels of blocks share epsilon evenly; their branching factor makes random ranges cheapest on a domain of
    this shape. On domains where blocks do not pay it is h = 1: the identity.

    Args, Returns, Raises: as :func:`dpselect.histograms.identity`.

    Guarantee: epsilon-differential privacy, one record more or fewer: a record is in one block of each level.

    >>> from dpselect import budget
    >>> with budget(epsilon=1000):
    ...     hb([3, 1, 4, 1, 5, 9, 2, 6], epsilon=1000).round().tolist()
    [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]

    Source: Qardaji, Yang and Li 2013 (the branching); Hay, Rastogi, Miklau and Suciu 2010 (least squares).
    """
    return release_histogram("histogram hb", estimate, least_rate, counts, epsilon, ledger)


def least_rate(shape: tuple[int, ...], epsilon: Fraction) -> Fraction:
    """Return what a level gets of epsilon."""
    return epsilon / height(shape, branching(shape))


def estimate(counts: Integers, epsilon: Fraction, draws: Session) -> Floats:
    """Return the consistent histogram: one record moves the block counts by the number of levels."""
    return measure_blocks(counts, branching(counts.shape), epsilon, draws)


def measure_blocks(counts: Integers, factor: int, epsilon: Fraction, draws: Session) -> Floats:
    """Return the consistent histogram of noisy block counts: a record is in one block of each level."""
    levels = block_sums(counts, factor)
    flat = np.concatenate([level.ravel() for level in levels])
    noisy = draws.counts(flat, epsilon, ONE.times(len(levels))).astype(np.float64)
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
    # Of the factors with as many levels the least is the best on a line; on large grids it stands for the others.
    few: list[int] = sorted({_least_factor(longest, levels) for levels in range(1, longest.bit_length() + 1)})
    if min(shape) == 1 or len(shape) == 1:
        return min(few, key=lambda factor: _on_a_line(longest, factor))
    if longest <= _SMALL:
        return min(range(2, longest + 1), key=lambda factor: _on_a_grid(shape, factor))
    tried: list[int] = sorted({*few, *range(2, _SMALL // 8)})
    return min(tried, key=lambda factor: _on_a_grid(shape, factor))


def _least_factor(longest: int, levels: int) -> int:
    """Return the least factor of at most so many levels: the root of the longest side, rounded up, at least 2."""
    factor: int = max(2, int(longest ** (1 / levels)) - 1)
    while factor**levels < longest:
        factor += 1
    return factor


def _on_a_line(cells: int, factor: int) -> float:
    """Return the mean variance of ranges up to a constant (Qardaji, Yang and Li 2013, section 4)."""
    levels = height((cells,), factor)
    return (factor - 1) * levels**3 - 2 * (factor + 1) * levels**2 / 3


def _on_a_grid(shape: tuple[int, ...], factor: int) -> float:
    """Return the mean number of blocks that make up a random range, times the variance of each and what is saved."""
    levels, total, above = height(shape, factor), 0.0, 0.0
    for level in reversed(range(levels)):
        length = factor**level
        inside = float(np.prod([_inside(side, length) for side in shape]))
        total += inside - above * float(np.prod([_parts(side, length, factor, max(shape)) for side in shape]))
        above = inside
    return levels**2 * total * (1 if levels == 1 else _LEAST_SQUARES)


def _parts(side: int, length: int, factor: int, longest: int) -> float:
    """Return into how many parts of this length the next longer one falls on average: fewer along a short axis."""
    return factor if side == longest else -(-side // length) / -(-side // (length * factor))


def _inside(side: int, length: int) -> float:
    """Return how many whole blocks of this length a range between two random cells holds on average."""
    start = np.arange(0, side, length)
    stop = np.minimum(start + length, side)
    return float((2 * (start + 1) * (side - stop + 1)).sum() / side**2) - (length == 1) / side

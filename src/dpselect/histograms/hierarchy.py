"""Counts of nested blocks, and the least-squares histogram that agrees with all of them.

Level 0 holds the cells; every block of a level holds ``branching`` blocks of the level below along each axis (fewer at
the border). The root is left out. All counts carry noise of one variance.
"""

from __future__ import annotations

import numpy as np

from dpselect.histograms.count_arrays import Floats, Integers


def height(shape: tuple[int, ...], branching: int) -> int:
    """Return the number of levels: until no axis is longer than ``branching``, at least one."""
    levels, longest = 1, max(shape)
    while longest > branching:
        levels, longest = levels + 1, -(-longest // branching)
    return levels


def block_sums(counts: Integers, branching: int) -> list[Integers]:
    """Return the counts of every level, from the cells up: one record is in one block of each."""
    levels = [counts]
    for _ in range(height(counts.shape, branching) - 1):
        levels.append(gather(levels[-1], branching))
    return levels


def consistent(levels: list[Floats], branching: int) -> Floats:
    """Return the cells of least squared distance to the noisy counts of all levels.

    Upwards every block weighs its own count against the sum of its parts; downwards what is left over is shared among
    the parts by their variances (Hay, Rastogi, Miklau and Suciu 2010, for trees with uneven borders).
    """
    best, variances = [levels[0]], [np.ones(levels[0].shape)]
    for level in levels[1:]:
        below, spread = gather(best[-1], branching), gather(variances[-1], branching)
        share = spread / (spread + 1.0)
        best.append(below + (level - below) * share)
        variances.append(share)
    final = best[-1]
    for parts, variance in zip(best[-2::-1], variances[-2::-1], strict=True):
        rest = (final - gather(parts, branching)) / gather(variance, branching)
        final = parts + variance * scatter(rest, branching, parts.shape)
    return final


def gather(values: Floats | Integers, branching: int) -> np.ndarray:
    """Return the sums of blocks of ``branching`` values along every axis."""
    for axis, side in enumerate(values.shape):
        values = np.add.reduceat(values, np.arange(0, side, branching), axis=axis)
    return values


def scatter(values: Floats, branching: int, shape: tuple[int, ...]) -> Floats:
    """Return every value repeated over its block, of the given shape."""
    for axis, side in enumerate(shape):
        values = np.take(np.repeat(values, branching, axis=axis), np.arange(side), axis=axis)
    return values

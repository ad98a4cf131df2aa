"""Partitions of a line of cells into buckets: candidate intervals, their exact costs."""

from __future__ import annotations

import numpy as np

from dpselect.histograms.count_arrays import Integers
from dpselect.release.partition import IntervalCandidates


def candidates(cells: int) -> IntervalCandidates:
    """Return every candidate interval of a line of ``cells`` cells, a power of two."""
    starts, stops = [], []
    for length in lengths(cells):
        first = np.arange(0, cells - length + 1, max(1, length // 2), dtype=np.int64)
        starts.append(first)
        stops.append(first + length)
    return IntervalCandidates(cells, np.concatenate(starts), np.concatenate(stops))


def lengths(cells: int) -> list[int]:
    """Return 1, 2, 4, ... up to the whole line."""
    return [2**power for power in range(cells.bit_length())]


def deviations(line: Integers) -> Integers:
    """Return sum |x - mean| of every candidate interval, in ticks of 1/cells: exact integers, shape (k,).

    For an interval of length n and sum s it is (cells / n) sum |n x - s|.
    """
    cells, levels = line.size, []
    for length in lengths(cells):
        step = max(1, length // 2)
        blocks = np.lib.stride_tricks.sliding_window_view(line, length)[::step]
        sums = blocks.sum(axis=1, keepdims=True)
        levels.append(np.abs(length * blocks - sums).sum(axis=1) * (cells // length))
    return np.concatenate(levels)

"""Partitions of a line of cells into buckets: candidate intervals, their exact costs, and the cheapest partition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpselect.histograms.counts import Integers

# Intervals that are lists of Python numbers at a time.
_CHUNK = 2**16


@dataclass(frozen=True, eq=False)
class Candidates:
    """Intervals [start, stop) whose lengths are powers of two and whose starts are multiples of half a length.

    Attributes:
        cells: the length of the line, a power of two.
        starts: shape (k,), by length and then by start.
        stops: shape (k,).
    """

    cells: int
    starts: Integers
    stops: Integers


def candidates(cells: int) -> Candidates:
    """Return every candidate interval of a line of ``cells`` cells, a power of two."""
    starts, stops = [], []
    for length in lengths(cells):
        first = np.arange(0, cells - length + 1, max(1, length // 2), dtype=np.int64)
        starts.append(first)
        stops.append(first + length)
    return Candidates(cells, np.concatenate(starts), np.concatenate(stops))


def lengths(cells: int) -> list[int]:
    """Return 1, 2, 4, ... up to the whole line."""
    return [2**power for power in range(cells.bit_length())]


def deviations(line: Integers) -> Integers:
    """Return sum |x - mean| of every candidate interval, in ticks of 1/cells: exact integers, shape (k,).

    For an interval of length n and sum s it is (cells / n) sum |n x - s|.
    """
    cells, found = line.size, []
    for length in lengths(cells):
        step = max(1, length // 2)
        blocks = np.lib.stride_tricks.sliding_window_view(line, length)[::step]
        sums = blocks.sum(axis=1, keepdims=True)
        found.append(np.abs(length * blocks - sums).sum(axis=1) * (cells // length))
    return np.concatenate(found)


def least_cost(given: Candidates, costs: Integers) -> Integers:
    """Return the edges 0 = e_0 < ... < e_b = cells of the partition of least total cost.

    Among partitions of equal cost the order of the candidates decides, from the last bucket to the first: an order
    that does not depend on the data.
    """
    order = np.argsort(given.stops, kind="stable")
    best: list[int] = [0] + [0] * given.cells
    came = [-1] * (given.cells + 1)
    for first in range(0, order.size, _CHUNK):
        part = order[first : first + _CHUNK]
        triples = zip(given.starts[part].tolist(), given.stops[part].tolist(), costs[part].tolist(), strict=True)
        for start, stop, price in triples:
            total = best[start] + price
            if came[stop] < 0 or total < best[stop]:
                best[stop], came[stop] = total, start
    edges = [given.cells]
    while edges[-1]:
        edges.append(came[edges[-1]])
    return np.array(edges[::-1], dtype=np.int64)

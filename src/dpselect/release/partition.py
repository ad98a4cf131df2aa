"""The cheapest partition of a line of cells into candidate intervals: what is released of noisy costs.

Proof: ``partition.md``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
# Intervals that are lists of Python numbers at a time.
_CHUNK = 2**16


@dataclass(frozen=True, eq=False)
class IntervalCandidates:
    """Intervals [start, stop) whose lengths are powers of two and whose starts are multiples of half a length.

    Attributes:
        cells: the length of the line, a power of two.
        starts: shape (k,), by length and then by start.
        stops: shape (k,).
    """

    cells: int
    starts: Integers
    stops: Integers


def least_cost(candidates: IntervalCandidates, costs: Integers) -> Integers:
    """Return the edges 0 = e_0 < ... < e_b = cells of the partition of least total cost.

    Among partitions of equal cost the order of the candidates decides, from the last bucket to the first: an order
    that does not depend on the data.
    """
    order = np.argsort(candidates.stops, kind="stable")
    best: list[int] = [0] + [0] * candidates.cells
    came = [-1] * (candidates.cells + 1)
    for first in range(0, order.size, _CHUNK):
        part = order[first : first + _CHUNK]
        columns = (column[part].tolist() for column in (candidates.starts, candidates.stops, costs))
        triples = zip(*columns, strict=True)
        for start, stop, price in triples:
            total = best[start] + price
            if came[stop] < 0 or total < best[stop]:
                best[stop], came[stop] = total, start
    edges = [candidates.cells]
    while edges[-1]:
        edges.append(came[edges[-1]])
    return np.array(edges[::-1], dtype=np.int64)

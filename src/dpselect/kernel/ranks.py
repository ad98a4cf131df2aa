"""The number of records left of an edge between the sub-cells of a grid, of any size.

A grid value is ``cuts`` public sub-cells, and a record counts one unit in each sub-cell of its value: so ranks are
integers, no coin breaks a tie, and ranks are piecewise linear between occupied values. Only those are stored.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

# Sub-cells of a grid value.
CUTS = 2**16


class Ranks:
    """Units of records left of an edge, as a function of the edge 0 .. size * cuts, and its inverse.

    Args:
        places: occupied grid places, increasing, shape (values,).
        counts: how many records each holds, at least 1, together at most 2^62.
        size: how many values the grid has.
        cuts: sub-cells of a value.
    """

    def __init__(self, places: Integers, counts: Integers, size: int, cuts: int = CUTS) -> None:
        self._places, self._counts = places, counts
        self._ends = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts)))
        self.size, self.cuts, self.edges = size, cuts, size * cuts
        self.units = int(self._ends[-1]) * cuts

    def at(self, edge: int) -> int:
        """Return how many units lie left of an edge."""
        place, within = divmod(edge, self.cuts)
        i = int(self._places.searchsorted(place))
        here = int(self._counts[i]) if i < self._places.size and self._places[i] == place else 0
        return int(self._ends[i]) * self.cuts + here * within

    def first(self, rank: int) -> int:
        """Return the least edge with at least this many units left of it; one beyond the last if there is none."""
        if rank <= 0:
            return 0
        if rank > self.units:
            return self.edges + 1
        i = int(self._ends.searchsorted(-(-rank // self.cuts))) - 1
        into = rank - int(self._ends[i]) * self.cuts
        return int(self._places[i]) * self.cuts - (-into // int(self._counts[i]))

    def __repr__(self) -> str:
        return "Ranks(private)"

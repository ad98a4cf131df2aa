"""Counts of rows in public cells, in each public group, added up part by part."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError

Integers = NDArray[np.int64]
# Of one group: the occupied cells, increasing, and how many rows each holds.
Histogram = tuple[Integers, Integers]
# Up to so many cells in all are counted in an array of them; of more, the occupied ones are listed.
_DENSE = 2**20
# So many listed cells are merged.
_MOST_LISTED = 2**22


class GroupedCounts:
    """Counts of rows, of which parts arrive one after the other; memory does not grow with the rows.

    Args:
        groups: how many public groups there are; 1 without groups.
        size: how many public cells there are; groups times cells is below 2^62.

    >>> counts = GroupedCounts(2, 10)
    >>> counts.add(np.array([0, 1, 1]), np.array([7, 3, 3]))
    >>> [(cells.tolist(), many.tolist()) for cells, many in counts.histograms()]
    [([7], [1]), ([3], [2])]
    """

    def __init__(self, groups: int, size: int) -> None:
        if groups * size >= 2**62:
            raise InputError("There are too many groups for so fine a grid: choose a larger step.")
        self._groups, self._size = groups, size
        self._dense = np.zeros(groups * size, dtype=np.int64) if groups * size <= _DENSE else None
        self._listed: list[Histogram] = []
        self._many = 0

    def add(self, groups: Integers, cells: Integers, counts: Integers | None = None) -> None:
        """Add rows, shape (n,) each: their groups, their cells, and how many rows each stands for, by default one."""
        keys = groups.astype(np.int64) * self._size + cells if self._groups > 1 else cells
        if self._dense is not None:
            if counts is None:
                self._dense += np.bincount(keys, minlength=self._dense.size)
            else:
                np.add.at(self._dense, keys, counts)
            return
        occupied, many = np.unique(keys, return_counts=True) if counts is None else (keys, counts)
        self._listed.append((occupied.astype(np.int64), many.astype(np.int64)))
        self._many += occupied.size
        if self._many > _MOST_LISTED:
            self._listed = [self._merge()]
            self._many = self._listed[0][0].size

    def histograms(self) -> list[Histogram]:
        """Return of every group the occupied cells, increasing, and how many rows each holds."""
        if self._dense is None:
            keys, counts = self._merge()
        else:
            keys = np.flatnonzero(self._dense)
            counts = self._dense[keys]
        ends = np.searchsorted(keys, np.arange(self._groups + 1) * self._size)
        return [
            (keys[start:end] - group * self._size, counts[start:end])
            for group, (start, end) in enumerate(pairwise(ends.tolist()))
        ]

    def _merge(self) -> Histogram:
        if not self._listed:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        keys, which = np.unique(np.concatenate([each for each, _ in self._listed]), return_inverse=True)
        counts = np.zeros(keys.size, dtype=np.int64)
        np.add.at(counts, which.reshape(-1), np.concatenate([each for _, each in self._listed]))
        return keys, counts

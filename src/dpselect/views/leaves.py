"""Records in memory that go down trees: class counts of the leaves, and how far chances are from the labels.

All sums are of integers that follow from one record and from what was released, never from floating point over
records. Proof of the bounds: ``leaves.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.views.gradient_sums import SCORE_UNIT, UNIT, WIDEST, chances

Integers = NDArray[np.int64]
# Slopes are in units of 2^-8; a slope of 1 leaves shares as they are.
SLOPE_UNIT = 2**8
# What one record adds to either sum of ``slopes`` at most: 1, in units of 2^-10.
LARGEST = SCORE_UNIT
# So many records at a time stay in the processor's cache; and with many classes, so many chances.
_CHUNK, _CHANCES = 2**14, 2**18


@dataclass(frozen=True, eq=False)
class Descent:
    """The paths on which a tree sends records; public or released.

    Attributes:
        split: the attribute a node splits by, -1 for leaves, shape (nodes,).
        child: for each node the child of every code, its codes laid end to end; leaves have none.
    """

    split: Integers
    child: Integers


class Leaves:
    """Records in memory, each with the sum of what the leaves that it came to are worth.

    Args:
        codes: for every attribute the codes of the records, shape (n,).
        labels: shape (n,).
        sizes: how many codes each attribute has.
        classes: how many classes.
    """

    def __init__(self, codes: Sequence[NDArray[Any]], labels: NDArray[Any], sizes: Sequence[int], classes: int) -> None:
        # A row per record, because the columns that a path asks for lie together then.
        self._codes = np.stack([np.asarray(each) for each in codes], axis=1)
        self._labels, self._classes = labels.astype(np.int64), classes
        self._sizes = np.array(sizes, dtype=np.int64)
        self._node = np.zeros(labels.size, dtype=np.int32)
        self._sums = np.zeros((labels.size, classes), dtype=np.int32)
        self._trees = 0

    def counts(self, descent: Descent) -> Integers:
        """Send every record to a leaf, and return the class counts of every node, zeros where none ends."""
        block = np.where(descent.split >= 0, self._sizes[np.maximum(descent.split, 0)], 0)
        begin = (np.cumsum(block) - block).astype(np.intp)
        splits = descent.split.astype(np.intp)
        for start in range(0, self._labels.size, _CHUNK):
            here = slice(start, start + _CHUNK)
            self._node[here] = _leaf_of_records(self._codes[here], splits, begin, descent.child)
        cells = self._node.astype(np.int64) * self._classes + self._labels
        return np.bincount(cells, minlength=splits.size * self._classes).reshape(-1, self._classes)

    def add(self, values: Integers) -> None:
        """Add what a leaf is worth to a record of each label, to the records that the last descent sent there.

        Args:
            values: in units of 2^-16, from 0 to 1, shape (nodes, classes, classes): node, label, class.
        """
        rows = values.reshape(-1, self._classes).astype(np.int32)
        for start in range(0, self._labels.size, _CHUNK):
            here = slice(start, start + _CHUNK)
            self._sums[here] += rows[self._node[here].astype(np.int64) * self._classes + self._labels[here]]
        self._trees += 1

    def slopes(self, slope: int) -> Integers:
        """Return the first two derivatives of the log-likelihood by the slope, clipped record by record.

        A record's chances are in proportion to its mean shares, raised to the slope.

        Args:
            slope: in units of 2^-8.

        Returns: the sum of first derivatives, each in [-1, 1], and of minus the second ones, each in [0, 1], in units
        of 2^-10, shape (2,).
        """
        total = np.zeros(2, dtype=np.int64)
        chunk = min(_CHUNK, max(1, _CHANCES // self._classes))
        for start in range(0, self._labels.size, chunk):
            here = slice(start, start + chunk)
            means = self._sums[here].T // max(self._trees, 1)
            total += _derivatives(means.astype(np.int64), self._labels[here], slope)
        return total

    def __repr__(self) -> str:
        return f"Leaves(attributes={self._sizes.size}, classes={self._classes})"


def _leaf_of_records(
    codes: NDArray[Any], split: NDArray[np.intp], begin: NDArray[np.intp], child: Integers
) -> Integers:
    """Return the leaf of some records."""
    at = np.zeros(len(codes), dtype=np.int64)
    if split[0] < 0:
        return at
    moving, width = np.arange(len(codes)), codes.shape[1]
    flat, node = codes.ravel(), np.zeros(len(codes), dtype=np.intp)
    while moving.size:
        node = child[begin[node] + flat[moving * width + split[node]]]
        at[moving] = node
        going = split[node] >= 0
        moving, node = moving[going], node[going]
    return at


def _derivatives(means: Integers, labels: Integers, slope: int) -> Integers:
    """Return both sums over some records, whose mean shares have shape (classes, n)."""
    logs = log_table()[np.clip(means, 1, UNIT)]
    logs -= logs.max(axis=0)
    worth = chances((slope * logs) // SLOPE_UNIT + WIDEST)
    mean = (worth * logs).sum(axis=0)
    first = np.clip(logs[labels, np.arange(labels.size)] * UNIT - mean, -LARGEST * UNIT, LARGEST * UNIT)
    second = (worth * logs**2).sum(axis=0) // UNIT - (mean // UNIT) ** 2
    # Rounded toward zero, after clipping.
    rounded = np.sign(first) * (np.abs(first) // UNIT)
    return np.array([rounded.sum(), np.clip(second // SCORE_UNIT, 0, LARGEST).sum()], dtype=np.int64)


@lru_cache(maxsize=1)
def log_table() -> Integers:
    """Return the logarithm of i / 2^16 in units of 2^-10 for i = 0 .. 2^16, that of 0 being that of 1 / 2^16."""
    shares = np.maximum(np.arange(UNIT + 1), 1) / UNIT
    table: Integers = np.rint(np.log(shares) * SCORE_UNIT).astype(np.int64)
    table.setflags(write=False)
    return table

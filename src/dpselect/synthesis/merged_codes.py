"""Codes of a column that are counted together, because noise alone would tell them apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dpselect.synthesis.table_domain import Clique

Number = TypeVar("Number", bound=np.generic)
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# A code is told apart from others if its noisy count is at least so many deviations of the noise.
DEVIATIONS = 3


@dataclass(frozen=True, eq=False)
class MergedCodes:
    """Groups of the codes of one column, from noisy counts of it.

    Attributes:
        groups: the group of each code, shape (codes,).
        weights: the share of its group that each code gets back, shape (codes,).
        merged: the sum of the noisy counts of codes whose rows may come back as another code.
        terms: how many counts that sum has.
    """

    groups: Integers
    weights: Floats
    merged: float = 0.0
    terms: int = 0

    @classmethod
    def apart(cls, size: int) -> MergedCodes:
        """Return groups of one code each."""
        return cls(np.arange(size), np.ones(size))

    @classmethod
    def of(cls, counts: Floats, deviation: float, *, rare: bool = True) -> MergedCodes:
        """Return groups of which one holds all codes whose noisy counts are small.

        A last code (missing cells) that noise alone may have made gets nothing back.

        Args:
            counts: noisy, shape (codes,), the last one for missing cells.
            deviation: of their noise.
            rare: whether that group holds other codes than the last, too.

        >>> MergedCodes.of(np.array([90.0, 2.0, 1.0, -1.0]), 2.0).groups
        array([0, 1, 1, 1])
        """
        small = counts < DEVIATIONS * deviation
        small[:-1] &= rare
        absent, alone = bool(small[-1]), not small[:-1].any()
        if absent and alone:
            # It is counted with the least of the others.
            small[int(np.argmin(counts[:-1]))] = True
        if small.all():
            small[int(np.argmax(counts[:-1]))] = counts.size == 2
        groups = np.cumsum(~small) - 1
        groups[small] = groups.max() + 1
        weights = np.where(small, 0.0, 1.0)
        members = np.flatnonzero(small[:-1]) if absent else np.flatnonzero(small)
        weights[members] = 1 / max(members.size, 1)
        # Rows of codes that may come back as another code of their group.
        moved = np.flatnonzero(small) if not alone else np.flatnonzero(small)[-1:]
        moved = moved if small.sum() > 1 else moved[:0]
        return cls(groups, weights, float(counts[moved].sum()), moved.size)

    def most_moved(self, deviation: float, chance: float) -> float:
        """Return how many rows may come back as another code, at most, but for a chance; of noise of a deviation."""
        codes = self.groups.size
        # Which codes are merged follows from their noise, so the bound is one for all sets of so many codes at once.
        sets = math.log(codes) + math.log(math.comb(codes, self.terms))
        return max(0.0, self.merged + deviation * math.sqrt(2 * self.terms * (sets + math.log(1 / chance))))

    @property
    def size(self) -> int:
        """Return the number of groups."""
        return int(self.groups.max()) + 1


def merge_cells(counts: NDArray[Number], clique: Clique, merged: Sequence[MergedCodes]) -> NDArray[Number]:
    """Return counts of the cells of some columns, added up over the groups of each."""
    for axis, column in enumerate(clique):
        each = merged[column]
        if each.size == counts.shape[axis]:
            # Groups of one code each may be in another order.
            counts = np.take(counts, np.argsort(each.groups), axis)
            continue
        order = np.argsort(each.groups, kind="stable")
        starts = np.searchsorted(each.groups[order], np.arange(each.size))
        counts = np.add.reduceat(np.take(counts, order, axis), starts, axis)
    return counts


def split_cells(shares: Floats, clique: Clique, merged: Sequence[MergedCodes]) -> Floats:
    """Return shares of the cells of groups as those of codes: each code gets its weight."""
    for axis, column in enumerate(clique):
        each = merged[column]
        shape = [1] * shares.ndim
        shape[axis] = -1
        shares = np.take(shares, each.groups, axis) * each.weights.reshape(shape)
    return shares

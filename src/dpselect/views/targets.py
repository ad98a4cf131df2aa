"""Records with a number each, as a regression tree sees them: sums per node and attribute value, and nothing else.

Numbers are steps of a public grid: integers, so that every sum is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dpselect.views.records import NodeCounts, Records

Integers = NDArray[np.int64]
# A target is read to one of this many even steps of its declared range.
STEPS = 2**16


class SidedTable(NodeCounts, Protocol):
    """A source of sums over the records of the current nodes, once a level, by their distance from either end.

    ``totals`` has for every node the sums of (width - number, number), shape (nodes, 2).
    """

    width: int

    def around(self, nodes: int, centres: Integers, most: int) -> list[Integers]:
        """Return for every attribute the weights below and above the centre of the node, (nodes, values, 2).

        A record weighs as many steps as it is away from the centre, ``most`` at most.
        """
        ...


class NumberedTable(Protocol):
    """A holder of the records of a training table with a number each."""

    @property
    def rows(self) -> int:
        """Return the number of records."""
        ...

    def histogram(self, cells: int) -> Integers:
        """Return how many numbers are in each of this many even parts of the grid: a power of 2, at most ``STEPS``."""
        ...

    def within(self, low: int, high: int) -> SidedTable:
        """Return the records, all at the root, with numbers counted from ``low`` and cut at the ends."""
        ...


@dataclass(eq=False, repr=False)
class Targets:
    """Records in memory: codes of every attribute, and a step of the grid.

    Attributes:
        codes: one array for each attribute, shape (n,).
        steps: shape (n,), 0 to STEPS - 1.
        sizes: how many codes each attribute has.
    """

    codes: Sequence[Integers]
    steps: Integers
    sizes: tuple[int, ...]

    @property
    def rows(self) -> int:
        """Return the number of records."""
        return int(self.steps.size)

    def histogram(self, cells: int) -> Integers:
        """Return how many numbers are in each of this many even parts of the grid."""
        return np.bincount(self.steps // (STEPS // cells), minlength=cells).astype(np.int64)

    def within(self, low: int, high: int) -> SidedRecords:
        """Return the records, all at the root, with numbers counted from ``low`` and cut at the ends."""
        return SidedRecords(self.codes, np.clip(self.steps, low, high) - low, self.sizes, high - low)

    def on_grid(self, low: int, high: int, grid: int) -> Records:
        """Return the records with labels 0 to ``grid``: even parts of the range, to whose ends others are moved."""
        width = high - low
        labels = (np.clip(self.steps, low, high) - low) * grid + width // 2
        return Records(self.codes, labels // width, self.sizes, grid + 1)

    def __repr__(self) -> str:
        return f"Targets(attributes={len(self.sizes)})"


class SidedRecords:
    """Records in memory, each with a number from 0 to ``width``, in the nodes of a tree that grows."""

    # Two numbers for every node: the sums of (width - number) and of the number.
    classes = 2

    def __init__(self, codes: Sequence[Integers], numbers: Integers, sizes: tuple[int, ...], width: int) -> None:
        self.sizes, self.width = sizes, width
        self._numbers = numbers
        self._records = Records(codes, np.zeros(numbers.size, dtype=np.int64), sizes, 1)

    def level(self, nodes: int) -> list[Integers]:
        """Return for every attribute the sums (nodes, values, 2) of (width - number, number)."""
        return self._sums(nodes, self.width - self._numbers, self._numbers)

    def totals(self, nodes: int) -> Integers:
        """Return for every node the sums of (width - number, number), shape (nodes, 2)."""
        at = self._records.nodes
        return np.stack([_sums(at, each, nodes) for each in (self.width - self._numbers, self._numbers)], axis=1)

    def around(self, nodes: int, centres: Integers, most: int) -> list[Integers]:
        """Return for every attribute the weights below and above the centre of the node, (nodes, values, 2)."""
        # Node -1, whose records have ended, takes the last centre: it is dropped below.
        away = np.clip(self._numbers - np.append(centres, 0)[self._records.nodes], -most, most)
        return self._sums(nodes, np.maximum(-away, 0), np.maximum(away, 0))

    def descend(self, attribute: Integers, child: Sequence[Integers]) -> None:
        """Send every record to a node of the next level; records of nodes that end are left behind."""
        self._records.descend(attribute, child)

    def again(self) -> SidedRecords:
        """Return the same records, all at the root."""
        return SidedRecords(self._records.codes, self._numbers, self.sizes, self.width)

    def _sums(self, nodes: int, *weights: Integers) -> list[Integers]:
        at = self._records.nodes.astype(np.int64)
        result = []
        for codes, size in zip(self._records.codes, self.sizes, strict=True):
            cell = np.where(at < 0, -1, at * size + codes)
            sums = [_sums(cell, weight, nodes * size).reshape(nodes, size) for weight in weights]
            result.append(np.stack(sums, axis=2))
        return result

    def __repr__(self) -> str:
        return f"SidedRecords(attributes={len(self.sizes)}, width={self.width})"


def _sums(place: NDArray[np.integer], weights: Integers, size: int) -> Integers:
    """Return the sum of integers at every place; place -1 is dropped. Doubles hold sums below 2^53 exactly."""
    return np.bincount(place + 1, weights=weights, minlength=size + 1)[1:].astype(np.int64)

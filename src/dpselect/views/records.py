"""Records as a tree sees them: counts per node, attribute value and class, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dpselect.sources.encoding import Domain
from dpselect.views.gradient_sums import Loss
from dpselect.views.leaves import Leaves
from dpselect.views.scored_records import ScoredRecords

Integers = NDArray[np.int64]
_CHUNK = 2**18


class NodeCounts(Protocol):
    """A counter of the records of the current nodes, in memory or in a database, used once a level."""

    sizes: tuple[int, ...]
    classes: int

    def level(self, nodes: int) -> list[Integers]:
        """Return for every attribute the counts (nodes, values, classes), zeros included."""
        ...

    def totals(self, nodes: int) -> Integers:
        """Return the class counts of every node, shape (nodes, classes)."""
        ...

    def descend(self, attribute: Integers, child: Sequence[Integers]) -> None:
        """Send every record to a node of the next level.

        ``attribute[i]`` is what node i splits by, -1 when it ends there; ``child[i][code]`` the next node.
        """
        ...

    def again(self) -> NodeCounts:
        """Return the same records, all at the root."""
        ...


class TrainingTable(NodeCounts, Protocol):
    """A holder of the records of a training table."""

    @property
    def rows(self) -> int:
        """Return the number of records."""
        ...

    def require_key(self) -> None:
        """Refuse to be cut into chunks where records lack what that takes."""
        ...

    def chunks(self, many: int, below: Callable[[Integers], Integers]) -> Sequence[NodeCounts]:
        """Return disjoint parts, all at the root; nobody's part depends on anybody else."""
        ...

    def require_scores(self, attributes: Sequence[Domain]) -> None:
        """Refuse to hold scores where that takes a table which was not allowed, or rounds that are too long."""
        ...


@dataclass(eq=False, repr=False)
class Records:
    """Records in memory: codes of every attribute, and class codes.

    Attributes:
        codes: one array a attribute, shape (n,).
        labels: class codes, shape (n,).
        sizes: how many codes each attribute has.
        classes: how many classes.
    """

    codes: Sequence[NDArray[np.int64]]
    labels: NDArray[np.int64]
    sizes: tuple[int, ...]
    classes: int

    def __post_init__(self) -> None:
        self._labels = self.labels.astype(_least(self.classes))
        self._codes = [codes.astype(_least(size)) for codes, size in zip(self.codes, self.sizes, strict=True)]
        self.codes, self.labels = self._codes, self._labels
        self._node = np.zeros(self.labels.size, dtype=np.int32)

    @cached_property
    def _cells(self) -> list[NDArray[np.integer]]:
        """Return the cell of every record by every attribute: only levels are counted by cells."""
        # The smallest integers that fit: a level reads every one of them once.
        return [
            _cells(codes, self.labels, self.classes, _least(size * self.classes + 1))
            for codes, size in zip(self.codes, self.sizes, strict=True)
        ]

    @property
    def rows(self) -> int:
        """Return the number of records."""
        return int(self.labels.size)

    @property
    def nodes(self) -> NDArray[np.int32]:
        """Return the node of every record, -1 where it has ended: private."""
        return self._node

    def require_key(self) -> None:
        """Ask for nothing: records in memory draw their chunk by coins."""

    def require_scores(self, attributes: Sequence[Domain]) -> None:
        """Ask for nothing: scores are in memory too."""
        del attributes

    def level(self, nodes: int) -> list[Integers]:
        """Return for every attribute the counts (nodes, values, classes), zeros included."""
        return [
            self._count(cells, size * self.classes, nodes).reshape(nodes, size, self.classes)
            for cells, size in zip(self._cells, self.sizes, strict=True)
        ]

    def totals(self, nodes: int) -> Integers:
        """Return the class counts of every node, shape (nodes, classes)."""
        return self._count(self._labels, self.classes, nodes).reshape(nodes, self.classes)

    def descend(self, attribute: Integers, child: Sequence[Integers]) -> None:
        """Send every record to a node of the next level; records of nodes that end are left behind."""
        widest = max((route.size for route in child), default=1)
        table = np.full((attribute.size, widest), -1, dtype=np.int32)
        for node, route in enumerate(child):
            table[node, : route.size] = route
        following = np.full(self._node.size, -1, dtype=np.int32)
        splits = np.append(attribute, -1)[self._node]
        for place in np.unique(attribute[attribute >= 0]).tolist():
            here = np.flatnonzero(splits == place)
            following[here] = table[self._node[here], self._codes[place][here]]
        self._node = following

    def again(self) -> Records:
        """Return the same records, all at the root."""
        return Records(self.codes, self.labels, self.sizes, self.classes)

    def chunks(self, many: int, below: Callable[[Integers], Integers]) -> list[Records]:
        """Return disjoint parts; every record draws its part by a coin of its own."""
        chunk = below(np.full(self.labels.size, many))
        rows = np.argsort(chunk, kind="stable")
        ends = np.searchsorted(chunk[rows], np.arange(many + 1))
        parts = [rows[ends[part] : ends[part + 1]] for part in range(many)]
        return [
            Records([codes[rows] for codes in self.codes], self.labels[rows], self.sizes, self.classes)
            for rows in parts
        ]

    def with_scores(self, loss: Loss, start: Integers) -> ScoredRecords:
        """Return the records, each with the start for its scores, shape (outputs,)."""
        return ScoredRecords(self._codes, self._labels, loss, start)

    def leaves(self) -> Leaves:
        """Return the records as they go down trees, none yet."""
        return Leaves(self._codes, self._labels, self.sizes, self.classes)

    def _count(self, cells: NDArray[np.integer], width: int, nodes: int) -> Integers:
        counts = np.zeros((nodes + 1) * width, dtype=np.int64)
        if nodes == 1 and (self._node.size == 0 or self._node.min() == 0):
            return np.bincount(cells, minlength=width)
        for start in range(0, cells.size, _CHUNK):
            part = slice(start, start + _CHUNK)
            # Node -1, whose records have ended, is counted in front and dropped.
            place = (self._node[part].astype(np.int64) + 1) * width + cells[part]
            counts += np.bincount(place, minlength=counts.size)
        return counts[width:]

    def __repr__(self) -> str:
        return f"Records(attributes={len(self.sizes)}, classes={self.classes})"


def _cells(codes: NDArray[Any], labels: NDArray[Any], classes: int, kind: type[np.integer]) -> NDArray[np.integer]:
    """Return the cell of every record, in integers that hold the last one: codes may come in smaller ones."""
    cells: NDArray[np.integer] = codes.astype(kind) * kind(classes)
    cells += labels.astype(kind)
    return cells


def _least(size: int) -> type[np.integer]:
    return np.uint8 if size <= 2**8 else np.uint16 if size <= 2**16 else np.uint32 if size <= 2**32 else np.int64

"""Views: the little of the data that a utility may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.core.errors import PrivacyError
from dpselect.sources import edges

_ASK_FOR_NODES = (
    "Nodes are public candidates, and those that happen to have an edge are private: pass nodes=, their "
    "number when ids are 0 .. n-1, or the public list of labels."
)


@dataclass(frozen=True, repr=False)
class Graph:
    """A simple undirected graph over public nodes, in compressed rows.

    Self loops and repeated edges, in either direction, are dropped and counted for the curator. The nodes are
    public; everything else is private, so a repr shows only how many nodes there are.

    Attributes:
        indptr: shape (n + 1,), int64: where the neighbours of each node start in ``indices``.
        indices: the neighbours, sorted within each node, int32.
        labels: what the nodes are called, or ``None`` when they are 0 .. n-1.
        self_loops_dropped: how many edges joined a node to itself.
        duplicates_dropped: how many edges were there already.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    labels: Sequence[Any] | None = None
    self_loops_dropped: int = 0
    duplicates_dropped: int = 0

    @classmethod
    def from_edges(
        cls, source: ArrayLike, target: ArrayLike, nodes: int | Sequence[Any] | None = None
    ) -> Graph:
        """Return the graph of these edges.

        Args:
            source: shape (edges,), ids or labels.
            target: shape (edges,).
            nodes: the public nodes: their number n when ids are 0 .. n-1, or the list of labels. Nodes
                without an edge are nodes too, which is why they are not read from the edges.

        Raises:
            PrivacyError: ``nodes`` is missing.
            ValueError: an edge names a node that is not public, ids are negative or not integers, labels
                repeat, or the two ends have different lengths.

        >>> Graph.from_edges([0, 1, 1], [1, 2, 0], nodes=5).degrees
        array([1, 2, 1, 0, 0])
        """
        if nodes is None:
            raise PrivacyError(_ASK_FOR_NODES)
        ends = np.asarray(source), np.asarray(target)
        if ends[0].ndim != 1 or ends[0].shape != ends[1].shape:
            raise ValueError("Each edge has a source and a target: pass two arrays of the same length.")
        if isinstance(nodes, (int, np.integer)):
            if nodes < 0:
                raise ValueError("nodes counts the public nodes: pass a number >= 0.")
            return _compressed(cls, _ids(ends[0], int(nodes)), _ids(ends[1], int(nodes)), int(nodes), None)
        labels = list(nodes)
        a, b = _places(labels, ends)
        return _compressed(cls, a, b, len(labels), labels)

    @classmethod
    def from_networkx(cls, graph: Any, nodes: Sequence[Any] | None = None) -> Graph:
        """Return a NetworkX graph; directions and parallel edges go.

        Its own nodes, isolated ones included, are thereby declared public, unless ``nodes`` lists others.

        >>> import networkx
        >>> Graph.from_networkx(networkx.path_graph(4))
        Graph(nodes=4)
        """
        own, source, target = edges.of_networkx(graph)
        labels = own if nodes is None else list(nodes)
        place = _index(labels)
        try:
            a, b = ([place[end] for end in side] for side in (source, target))
        except KeyError:
            raise ValueError(_OUTSIDE) from None
        plain = labels if labels != list(range(len(labels))) else None
        ends = np.array(a, dtype=np.int64), np.array(b, dtype=np.int64)
        return _compressed(cls, *ends, len(labels), plain)

    @classmethod
    def from_scipy(cls, matrix: Any) -> Graph:
        """Return the graph of a square sparse matrix: every non-zero entry is an edge, nodes are 0 .. n-1.

        Raises:
            ValueError: the matrix is not square.
        """
        size, source, target = edges.of_scipy(matrix)
        return cls.from_edges(source, target, nodes=size)

    @classmethod
    def read(cls, path: str | Path, nodes: int | Sequence[Any] | None = None) -> Graph:
        """Return the graph of an edge file: ``.parquet``, ``.csv``, ``.txt``, text also with ``.gz``.

        Args:
            path: the file; see ``dpselect.sources.edges.read`` for its form.
            nodes: the public nodes, as for :meth:`from_edges`.

        Raises:
            PrivacyError: ``nodes`` is missing.
            FileNotFoundError: no such file.
            ValueError: a malformed line (its number), or a node outside ``nodes``.
        """
        if nodes is None:
            raise PrivacyError(_ASK_FOR_NODES)
        return cls.from_edges(*edges.read(path), nodes=nodes)

    @classmethod
    def named(cls, name: str) -> Graph:
        """Return a graph that ships with NetworkX, such as ``"lesmis"`` or ``"karate"``.

        Raises:
            ValueError: no such graph.

        >>> Graph.named("lesmis")
        Graph(nodes=77)
        """
        return cls.from_networkx(edges.named(name))

    def __len__(self) -> int:
        return self.indptr.size - 1

    @property
    def candidates(self) -> Sequence[Any]:
        """Return the public nodes, by label."""
        return range(len(self)) if self.labels is None else self.labels

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """Return the number of neighbours of each node, shape (n,)."""
        return np.diff(self.indptr)

    def __repr__(self) -> str:
        return f"Graph(nodes={len(self)})"


_OUTSIDE = "An edge names a node that is not public: add it to nodes=, or remove the edge."


def _ids(ends: NDArray[Any], size: int) -> NDArray[np.int64]:
    if not ends.size:
        return np.empty(0, dtype=np.int64)
    if ends.dtype.kind not in "iu":
        raise ValueError("With a number of nodes, ids must be integers: pass nodes= as the list of labels.")
    if ends.min() < 0:
        raise ValueError("Node ids must not be negative: they are 0 .. n-1.")
    if ends.max() >= size:
        raise ValueError(f"An edge has an id beyond the {size} public nodes: ids are 0 .. n-1.")
    return ends.astype(np.int64, copy=False)


def _index(labels: list[Any]) -> dict[Any, int]:
    place = {label: i for i, label in enumerate(labels)}
    if len(place) != len(labels):
        raise ValueError("Some nodes are listed twice: pass each public node once.")
    return place


def _places(
    labels: list[Any], ends: tuple[NDArray[Any], NDArray[Any]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the positions of labels, whole arrays at a time."""
    _index(labels)
    known = np.array(labels) if labels else np.empty(0, dtype=np.int64)
    if (
        ends[0].size
        and known.dtype.kind != ends[0].dtype.kind
        and {known.dtype.kind, ends[0].dtype.kind} != {"i", "u"}
    ):
        raise ValueError(
            "The labels in nodes= and those of the edges are of different kinds: pass both as text."
        )
    order = np.argsort(known)
    found = []
    for side in ends:
        at = np.searchsorted(known, side, sorter=order) if known.size else np.zeros(side.size, dtype=np.int64)
        if side.size and (not known.size or at.max() >= known.size or (known[order[at]] != side).any()):
            raise ValueError(_OUTSIDE)
        found.append(order[at].astype(np.int64) if known.size else at)
    return found[0], found[1]


def _compressed(
    make: type[Graph],
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    size: int,
    labels: list[Any] | None,
) -> Graph:
    from scipy.sparse import coo_matrix

    kept = source != target
    a, b = source[kept].astype(np.int32), target[kept].astype(np.int32)
    # Each edge once, smaller end first; compressing drops the repetitions.
    half = coo_matrix(
        (np.ones(a.size, dtype=bool), (np.minimum(a, b), np.maximum(a, b))), shape=(size, size)
    ).tocsr()
    half.sum_duplicates()
    whole = (half + half.T).tocsr()
    whole.sort_indices()
    return make(
        indptr=whole.indptr.astype(np.int64),
        indices=whole.indices.astype(np.int32, copy=False),
        labels=labels,
        self_loops_dropped=int(source.size - a.size),
        duplicates_dropped=int(a.size - half.nnz),
    )

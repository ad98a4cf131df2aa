"""Directed graphs over public nodes, as far as a selection sees them: how many different nodes point to each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import Advice, InputError
from dpselect.sources import edges, graphs
from dpselect.sources.tables import FileOptions
from dpselect.views.nodes import declared_nodes, place_ends, places_of

# Numbers of ordered pairs of nodes stay below 2^63.
_MOST_NODES = 3 * 10**9


@dataclass(frozen=True, repr=False, eq=False)
class DirectedGraph:
    """A graph of public nodes with directions; the edges that leave a node are that person's list.

    An edge that is there again counts once, and nobody follows themselves: repeated edges, self loops, and edges with
    an end that is not a public node are left out, each by itself. The nodes are public; everything else is private.

    Attributes:
        followers: shape (n,), int64: how many different nodes point to each.
        labels: what the nodes are called, or ``None`` when they are 0 .. n-1.
        metadata: where the edges came from, for the ledger.
        self_loops_dropped: how many edges joined a node to itself.
        duplicates_dropped: how many edges were there already.
        unknown_nodes_dropped: how many edges had an end that is missing or is not a public node.
    """

    followers: NDArray[np.int64]
    labels: Sequence[Any] | None = None
    self_loops_dropped: int = 0
    duplicates_dropped: int = 0
    metadata: Mapping[str, str] = field(default_factory=dict)
    unknown_nodes_dropped: int = 0

    @classmethod
    def from_edges(
        cls, source: ArrayLike, target: ArrayLike, nodes: int | Iterable[Any] | None = None
    ) -> DirectedGraph:
        """Return the graph in which each source points to its target.

        Args:
            source, target: shape (edges,), ids or labels, read as by :meth:`Graph.from_edges`.
            nodes: the public nodes: their number n when ids are 0 .. n-1, or the list of labels.

        Raises:
            PrivacyError, TypeError, ValueError: as :meth:`Graph.from_edges`.

        >>> DirectedGraph.from_edges([0, 1, 1, 2], [2, 2, 2, 2], nodes=4).followers
        array([0, 0, 2, 0])
        """
        size, labels = declared_nodes(nodes)
        a, b = (places_of(end, size, labels) for end in (source, target))
        return _graph_of_edges(cls, a, b, size, labels)

    @classmethod
    def from_networkx(cls, graph: Any, nodes: int | Iterable[Any] | None = None) -> DirectedGraph:
        """Return a NetworkX graph that is directed by its type; weights go.

        Its own nodes, isolated ones included, are thereby declared public, unless ``nodes`` lists others.

        Raises:
            TypeError: ``nodes`` is neither a number nor a list.
            ValueError: the graph is not directed; ``nodes`` lists one twice.

        >>> import networkx
        >>> DirectedGraph.from_networkx(networkx.DiGraph([("ann", "bob"), ("eve", "bob")])).followers
        array([0, 2, 0])
        """
        if not graph.is_directed():
            raise InputError("An undirected graph does not say who points to whom: pass a networkx.DiGraph.")
        return _graph_of_edges(cls, *place_ends(*graphs.of_networkx(graph), nodes))

    @classmethod
    def from_igraph(cls, graph: Any, nodes: int | Iterable[Any] | None = None) -> DirectedGraph:
        """Return an igraph graph that is directed; weights go without a word, as one edge can bring their attribute.

        Its own vertices, isolated ones included, by name where they have names, are thereby declared public, unless
        ``nodes`` lists others.

        Raises:
            TypeError: not an igraph graph; ``nodes`` is neither a number nor a list.
            ValueError: it is not directed; two vertices have one name.
        """
        names, source, target = graphs.of_igraph(graph)
        if not graph.is_directed():
            raise InputError("An undirected graph does not say who points to whom: pass one with directed=True.")
        return _graph_of_edges(cls, *place_ends(names, source, target, nodes))

    @classmethod
    def read(
        cls,
        path: str | Path,
        nodes: int | Iterable[Any] | Path | None = None,
        *,
        ends: tuple[str, str] = ("source", "target"),
        separator: str | None = None,
        encoding: str = "utf-8",
        where: str | None = None,
        label: str | None = None,
    ) -> DirectedGraph:
        """Return the graph of an edge file, in which each source points to its target.

        Args:
            path: the file, as for :meth:`Graph.read`. A column named weight is left out with a warning. So is, without
                one, an edge that says of itself that it has no direction.
            nodes: the public nodes, as for :meth:`Graph.read`.
            ends: the columns of sources and of targets in a .parquet or .csv file.
            separator, encoding, where: how a table is written, and a public condition on the rows that are edges, as
                for :meth:`dpselect.data.Column.read`.
            label: the attribute that names nodes, as for :meth:`Graph.read`.

        Raises:
            PrivacyError, FileNotFoundError, TypeError, ValueError, ImportError: as :meth:`Graph.read`.
        """
        size, labels = declared_nodes(edges.public_nodes(path, nodes, label))
        kind, reading = edges.kind_of(labels), FileOptions.of(separator, encoding=encoding, where=where)
        edges.require_labels(path, labels, label)
        source, target, dropped = edges.read(path, kind=kind, ends=ends, reading=reading, label=label, directed=True)
        if edges.direction(path) is False:
            raise InputError("The file says that its edges have no direction: pass one of a directed graph.")
        graphs.warn_of_weights(edges.columns(path, reading))
        graph = cls.from_edges(source, target, nodes=size if labels is None else labels)
        return replace(graph, unknown_nodes_dropped=graph.unknown_nodes_dropped + dropped)

    def __len__(self) -> int:
        return self.followers.size

    @property
    def candidates(self) -> Sequence[Any]:
        """Return the public nodes, by label."""
        return range(len(self)) if self.labels is None else self.labels

    def __repr__(self) -> str:
        return f"DirectedGraph(nodes={len(self)})"


def _graph_of_edges(
    make: type[DirectedGraph],
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    size: int,
    labels: Sequence[Any] | None,
) -> DirectedGraph:
    if source.shape != target.shape:
        raise InputError("Each edge has a source and a target: pass two arrays of the same length.")
    if size > _MOST_NODES:
        raise InputError(Advice(f"{{nodes}} may be at most {_MOST_NODES} where edges have directions."))
    known = (source >= 0) & (target >= 0)
    mask = known & (source != target)
    followers, different = _in_degrees(source[mask], target[mask], size)
    followers.setflags(write=False)
    joined = int(mask.sum())
    return make(
        followers=followers,
        labels=labels,
        self_loops_dropped=int(known.sum()) - joined,
        duplicates_dropped=joined - different,
        unknown_nodes_dropped=int(source.size - known.sum()),
    )


def _in_degrees(source: NDArray[np.int64], target: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], int]:
    """Return how many different sources each node is the target of, and how many different edges there are."""
    pairs = np.unique(source * size + target)
    return np.bincount(pairs % max(size, 1), minlength=size).astype(np.int64), pairs.size

"""Graphs over public nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import InputError
from dpselect.sources import edges, graphs
from dpselect.sources.tables import FileOptions
from dpselect.views.nodes import declared_nodes, place_ends, places_of


@dataclass(frozen=True, repr=False, eq=False)
class Graph:
    """A simple undirected graph over public nodes, in compressed rows.

    Self loops, repeated edges in either direction, and edges that name no public node at an end are dropped, each by
    itself, and counted for the curator: no edge decides whether there is a graph. The nodes are public; everything else
    is private, so a repr shows only how many nodes there are. Arrays are read-only.

    Attributes:
        indptr: shape (n + 1,), int64: where the neighbours of each node start in ``indices``.
        indices: the neighbours, sorted within each node, int32 (int64 from 2^31 nodes on).
        labels: what the nodes are called, or ``None`` when they are 0 .. n-1.
        metadata: where the edges came from, for the ledger.
        self_loops_dropped: how many edges joined a node to itself.
        duplicates_dropped: how many edges were there already.
        unknown_nodes_dropped: how many edges had an end that is missing or is not a public node.

    Limits: Large graphs need numba. Beyond 4,096 nodes (256 for ego betweenness, its logarithm and linear decay) loops
    over graphs are compiled. The first call after an installation takes some seconds for that, later ones load what is
    on disk. The public number of nodes decides this alone, and the results are the same.

    Dropped weights and directions are announced where the form of the graph shows them. A graph that is directed by its
    type, a GraphML, GEXF, GML or KONECT file of directed edges, a matrix of other numbers than booleans, and a column
    named weight are read with a warning. Whether an edge of a graph of NetworkX or igraph, or of a GraphML file,
    carries a weight, or a matrix is symmetric, is private (a writer declares a weight in GraphML where an edge has
    one), so there is no warning about it; and an edge file has a source and a target whether or not they mean a
    direction.

    A graph that is passed declares its nodes. Where a graph of NetworkX, igraph or SciPy is passed as it is, its own
    nodes become public, also those that are there only because of an edge.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32] | NDArray[np.int64]
    labels: Sequence[Any] | None = None
    self_loops_dropped: int = 0
    duplicates_dropped: int = 0
    metadata: Mapping[str, str] = field(default_factory=dict)
    unknown_nodes_dropped: int = 0

    @classmethod
    def from_edges(cls, source: ArrayLike, target: ArrayLike, nodes: int | Iterable[Any] | None = None) -> Graph:
        """Return the graph of these edges.

        Each end is read by itself as what the public nodes are: for numbers, 7, 7.0 and "7" are node 7; for labels of
        text, 7 is "7". An edge with an end that is neither is left out.

        Args:
            source: shape (edges,), ids or labels.
            target: shape (edges,).
            nodes: the public nodes: their number n when ids are 0 .. n-1, or the list of labels. Nodes
                without an edge are nodes too, which is why they are not read from the edges.

        Raises:
            PrivacyError: ``nodes`` is missing.
            TypeError: ``nodes`` is neither a number nor a list; ends of a type such as dates.
            ValueError: labels repeat, the two ends have different lengths, or ids beyond 2^53 in a container that may
                have rounded them.

        >>> Graph.from_edges([0, 1, 1], [1, 2, 0], nodes=5).degrees
        array([1, 2, 1, 0, 0])
        """
        size, labels = declared_nodes(nodes)
        a, b = (places_of(end, size, labels) for end in (source, target))
        if a.shape != b.shape:
            raise InputError("Each edge has a source and a target: pass two arrays of the same length.")
        return _graph_of_edges(cls, a, b, size, labels)

    @classmethod
    def from_networkx(cls, graph: Any, nodes: int | Iterable[Any] | None = None) -> Graph:
        """Return a NetworkX graph; directions, weights and parallel edges go.

        A graph that is directed by its type is read with a warning; none tells of weights, for whether an edge has one
        is private. The graph's own nodes, isolated ones included, are thereby declared public, unless ``nodes`` lists
        others.

        Args:
            graph: any NetworkX graph.
            nodes: the public nodes, as for :meth:`from_edges`; labels may be any hashable values.

        Raises:
            TypeError: ``nodes`` is neither a number nor a list.
            ValueError: ``nodes`` lists one twice.

        >>> import networkx
        >>> Graph.from_networkx(networkx.path_graph(4))
        Graph(nodes=4)
        """
        names, source, target = graphs.of_networkx(graph)
        graphs.warn_of_directions(graph.is_directed())
        return _graph_of_edges(cls, *place_ends(names, source, target, nodes))

    @classmethod
    def from_igraph(cls, graph: Any, nodes: int | Iterable[Any] | None = None) -> Graph:
        """Return an igraph graph; directions, weights and parallel edges go.

        One that is directed is read with a warning; none tells of weights, for one edge can bring their attribute.

        Its own vertices, isolated ones included, by name where they have names, are thereby declared public, unless
        ``nodes`` lists others.

        Raises:
            TypeError: not an igraph graph; ``nodes`` is neither a number nor a list.
            ValueError: two vertices have one name.
        """
        names, source, target = graphs.of_igraph(graph)
        graphs.warn_of_directions(graph.is_directed())
        return _graph_of_edges(cls, *place_ends(names, source, target, nodes))

    @classmethod
    def from_scipy(cls, matrix: Any) -> Graph:
        """Return the graph of a square sparse matrix: every non-zero entry is an edge, nodes are 0 .. n-1.

        A symmetric matrix holds each edge twice, so half of its entries count as duplicates. NaN is not an edge. A
        matrix of other numbers than booleans is read with a warning, whatever is in it.

        Raises:
            TypeError: not a sparse matrix.
            ValueError: the matrix is not square.

        >>> from scipy.sparse import eye_array
        >>> Graph.from_scipy(eye_array(3, k=1, dtype=bool)).degrees
        array([1, 2, 1])
        """
        size, source, target = graphs.of_scipy(matrix)
        graphs.warn_of_entries(matrix)
        return cls.from_edges(source, target, nodes=size)

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
    ) -> Graph:
        """Return the graph of an edge file: a table (``.parquet``, ``.csv``, ``.tsv``, ``.xlsx``) or one of a graph.

        That is ``.txt``, ``.edges``, ``.mtx``, ``.net``, ``.gml``, ``.graphml`` or ``.gexf``; text may end in ``.gz``.
        Directions that the head of a file names, and a column named weight, are left out with a warning.

        Args:
            path: the file; see ``dpselect.sources.edges.read`` for its form. A line that is not an edge is left out.
            nodes: the public nodes, as for :meth:`from_edges`, or the Path of a file of a graph that lists them. So
                many are 1 .. n in a ``.mtx`` or ``.net`` file, which counts from 1.
            ends: the columns of the two ends in a table.
            separator, encoding, where: how a table is read, as for :meth:`dpselect.data.Column.read`.
            label: the attribute that names nodes in a ``.graphml``, ``.gml``, ``.gexf`` or ``.net`` file; without it,
                nodes are their ids.

        Raises:
            PrivacyError: ``nodes`` is missing.
            FileNotFoundError, ImportError, TypeError, ValueError: no such file; no library; no list; no such columns.
        """
        size, labels = declared_nodes(edges.public_nodes(path, nodes, label))
        kind, reading = edges.kind_of(labels), FileOptions.of(separator, encoding=encoding, where=where)
        edges.require_labels(path, labels, label)
        source, target, dropped = edges.read(path, kind=kind, ends=ends, reading=reading, label=label)
        graphs.warn_of_directions(edges.direction(path) is True)
        graphs.warn_of_weights(edges.columns(path, reading))
        graph = cls.from_edges(source, target, nodes=size if labels is None else labels)
        return replace(graph, unknown_nodes_dropped=graph.unknown_nodes_dropped + dropped)

    @classmethod
    def from_name(cls, name: str) -> Graph:
        """Return a graph that ships with NetworkX, such as ``"lesmis"`` or ``"karate"``.

        Raises:
            ValueError: no such graph; the message lists them.
            ImportError: networkx is not installed.

        >>> Graph.from_name("lesmis")
        Graph(nodes=77)
        """
        return cls.from_networkx(graphs.shipped_graph(name))

    def __len__(self) -> int:
        return self.indptr.size - 1

    @property
    def candidates(self) -> Sequence[Any]:
        """Return the public nodes, by label."""
        return range(len(self)) if self.labels is None else self.labels

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """Return the number of neighbours of each node, shape (n,)."""
        return _read_only(np.diff(self.indptr))

    def __repr__(self) -> str:
        return f"Graph(nodes={len(self)})"


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array


def _graph_of_edges(
    make: type[Graph],
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    size: int,
    labels: Sequence[Any] | None,
) -> Graph:
    from scipy.sparse import coo_matrix

    narrow = np.int32 if size < 2**31 else np.int64
    known = (source >= 0) & (target >= 0)
    mask = known & (source != target)
    a, b = source[mask].astype(narrow), target[mask].astype(narrow)
    # Each edge once, smaller end first; compressing drops the repetitions.
    ones = np.ones(a.size, dtype=bool)
    half = coo_matrix((ones, (np.minimum(a, b), np.maximum(a, b))), shape=(size, size)).tocsr()
    half.sum_duplicates()
    whole = (half + half.T).tocsr()
    whole.sort_indices()
    return make(
        indptr=_read_only(whole.indptr.astype(np.int64)),
        indices=_read_only(whole.indices.astype(narrow, copy=False)),
        labels=labels,
        self_loops_dropped=int(known.sum() - a.size),
        duplicates_dropped=int(a.size - half.nnz),
        unknown_nodes_dropped=int(source.size - known.sum()),
    )

"""Graphs truncated to a public maximum degree.

Each node ranks its edges in a public order, and an edge stays if it is among the first D of both of its ends. One edge
more or fewer changes at most 3 edges of what stays. Proof: ``truncated_graph.md``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice, InputError, InputTypeError
from dpselect.kernel.format_exact import count_text
from dpselect.kernel.neighbours import Neighbours
from dpselect.scores.scores import Scores, require_scores
from dpselect.scores.several_steps import of_several_steps
from dpselect.views.graph import Graph
from dpselect.views.graph_like import GraphLike, undirected_graph
from dpselect.views.stored_graph import StoredGraph

# What one edge may change: itself, and the last edge that stayed at each of its ends.
_EDITS = 3
_MOST_NODES = 2**32


class TruncatedGraph:
    """A graph in which each node keeps at most D edges, by a public rule.

    No graph is refused, so nobody has to promise a maximum degree. Which edges stay depends on
    their two ends alone and not on their order in the input: an edge stays if fewer than D other edges come before it
    at each end, in an order that a fixed hash of the two ends decides. One edge of the whole graph then moves up to 3
    of those that stay, and :meth:`scores` pays for that: what is released protects one edge of the whole graph.

    Args:
        graph: the whole graph, also one of NetworkX, igraph or SciPy. The edges of a StoredGraph stream into memory,
            about 120 bytes for each.
        max_degree: D, public: how many edges of each node are read at most.

    Attributes:
        max_degree: D, at most n - 1.
        edits_per_edge: how many edges that stay one edge of the whole graph may change: 3, or 1 where D is n - 1.

    Raises:
        TypeError: not a graph, or one with directions.
        ValueError: ``max_degree`` is not an integer of at least 1; no nodes.

    >>> import dpselect as dps
    >>> star = dps.Graph.from_edges([0, 0, 0, 0], [1, 2, 3, 4], nodes=6)
    >>> truncated = TruncatedGraph(star, max_degree=3)
    >>> scores = truncated.scores(dps.utilities.open_pairs)
    >>> scores.values.tolist(), scores.sensitivity.ceiling
    ([3, 0, 0, 0, 0, 0], 6.0)

    Limits: A truncated graph costs three edges. One edge of the whole graph may push out another at each of its ends,
    so the sensitivity is the sum of three values, even where a metric moves by less (a degree by 2). Of nodes with more
    edges than the bound only some edges are seen, worst errors and p-values are about the truncated graph, and metrics
    that need no bound gain nothing. It is for the privacy of an edge: a node with all of its edges may still change D
    edges of others.
    """

    def __init__(self, graph: GraphLike, max_degree: int) -> None:
        whole = undirected_graph(graph)
        if whole is None:
            raise InputTypeError(
                "Edges without direction are truncated: pass a dpselect.Graph, a dpselect.data.StoredGraph, a graph of "
                "NetworkX or igraph, or a sparse matrix."
            )
        self.max_degree = _public(max_degree, len(whole))
        self.edits_per_edge = _EDITS if self.max_degree < len(whole) - 1 else 1
        whole = whole.to_graph() if isinstance(whole, StoredGraph) else whole
        self._graph = _first_of_both(
            whole, self.max_degree, f"at most {count_text(self.max_degree, 'edge')} of each node stay"
        )

    def scores(self, utility: Callable[..., Scores], **options: Any) -> Scores:
        """Return what a utility of graphs gives here, with the sensitivity that one edge of the whole graph has.

        What is said of errors and p-values of a release is about these scores, not about those of the whole graph.

        Args:
            utility: from ``dpselect.utilities``, or yours: a function of a Graph that gives Scores of edge neighbours.
                ``max_degree`` is passed to those that take it.
            options: passed on.

        Raises:
            TypeError: what it gives is not Scores.
            ValueError: its neighbours are not edges; a ``max_degree`` below that of this graph; whatever it raises.
        """
        if "max_degree" in inspect.signature(utility).parameters:
            bound = options.setdefault("max_degree", self.max_degree)
            # It would depend on the edges whether the utility refuses.
            if isinstance(bound, (int, np.integer)) and bound < self.max_degree:
                raise InputError(f"Nodes keep up to {count_text(self.max_degree, 'edge')} here: leave max_degree out.")
        scores = require_scores(utility(self._graph, **options))
        if scores.neighbours is not Neighbours.EDGE:
            raise InputError("A truncated graph protects edges: pass a utility whose neighbours are edges.")
        return of_several_steps(scores, self.edits_per_edge)

    def __len__(self) -> int:
        return len(self._graph)

    @property
    def candidates(self) -> Sequence[Any]:
        """Return the public nodes, by label."""
        return self._graph.candidates

    def __repr__(self) -> str:
        return f"TruncatedGraph(nodes={len(self)}, max_degree={self.max_degree})"


def _public(max_degree: Any, nodes: int) -> int:
    """Return the public number of edges that a node keeps, at most n - 1, or say what is wrong with it."""
    if isinstance(max_degree, bool) or not isinstance(max_degree, (int, np.integer)) or max_degree < 1:
        raise InputError(Advice("{max_degree} must be an integer of at least 1: how many edges a node keeps."))
    if not 1 < nodes <= _MOST_NODES:
        raise InputError(f"A graph with edges to truncate has from 2 to {_MOST_NODES} nodes.")
    return min(int(max_degree), nodes - 1)


def _first_of_both(graph: Graph, most: int, rule: str) -> Graph:
    """Return the graph of the edges that are among the first of both of their ends."""
    stay = np.ones(graph.indices.size, dtype=np.bool_)
    a, b = _beyond(graph, most)
    # Rows are sorted, so entries ascend by row and column: each edge goes from both of its rows.
    entries = _pair_numbers(np.repeat(np.arange(len(graph)), graph.degrees), graph.indices)
    for row, column in ((a, b), (b, a)):
        stay[np.searchsorted(entries, _pair_numbers(row, column))] = False
    indptr = np.concatenate(([0], np.cumsum(stay)))[graph.indptr]
    indices = graph.indices[stay]
    for array in (indptr, indices):
        array.setflags(write=False)
    return Graph(indptr, indices, graph.labels, metadata={**graph.metadata, "truncated": rule})


def _beyond(graph: Graph, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the edges that are not among the first of an end: that end, and the other."""
    nodes = np.flatnonzero(graph.degrees > most)
    lengths = graph.degrees[nodes]
    starts = np.cumsum(lengths) - lengths
    owner = np.repeat(nodes, lengths)
    other = graph.indices[np.arange(owner.size) + np.repeat(graph.indptr[nodes] - starts, lengths)].astype(np.int64)
    # By owner first; within one, by the public order.
    order = np.lexsort((_rank(owner, other), owner))
    late = order[np.arange(owner.size) - np.repeat(starts, lengths) >= most]
    return owner[late], other[late]


def _pair_numbers(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.uint64]:
    """Return one number for each ordered pair of nodes, ascending as the pairs do."""
    pairs: NDArray[np.uint64] = a.astype(np.uint64) << np.uint64(32) | b.astype(np.uint64)
    return pairs


def _rank(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return where each edge stands in the public order, which no two share: pairs, mixed by a fixed bijection.

    The mixing is that of SplitMix64 (Steele, Lea and Flood 2014), so that small ids are not preferred.
    """
    mixed = _pair_numbers(np.minimum(a, b), np.maximum(a, b)) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ mixed >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ mixed >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    ranks: NDArray[np.uint64] = mixed ^ mixed >> np.uint64(31)
    return ranks

"""Core number: how deep in the graph a node sits, also called its coreness or k-shell.

core_number(v) = the largest k such that v belongs to a subgraph in which every node has at least k neighbours.

Neighbours: edge. Ceiling: 1. Reach: 0. Range bound 1: one more edge lowers no core number. No maximum degree is needed.

References: Seidman 1983; peeled in linear time as Batagelj and Zaversnik 2003.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.scores.scores import Scores
from dpselect.utilities import ego_arrays
from dpselect.utilities.loops import compile_loop
from dpselect.utilities.undirected_graphs import require_undirected
from dpselect.views import Graph, StoredGraph
from dpselect.views.graph_like import GraphLike


def core_number(graph: GraphLike) -> Scores:
    """Return the core number of every node, as exact integers, shape (n,).

    It tells members of a dense core from hubs whose neighbours know nobody else, where degree does not, and one edge
    moves it as little as degree. Many nodes of the innermost core tie: which of them are named is left to chance.

    Args:
        graph: over public nodes. The edges of a StoredGraph stream into memory, about 120 bytes for each.

    Raises:
        ImportError: numba is not installed, which more than 4,096 nodes need.

    >>> triangle_and_tail = Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], nodes=5)
    >>> core_number(triangle_and_tail).values
    array([2, 2, 2, 1, 0])
    """
    graph = require_undirected(graph)
    if isinstance(graph, StoredGraph):
        graph = graph.to_graph()
    return Scores(
        _core_numbers(graph),
        sensitivity=1,
        candidates=graph.candidates,
        neighbours="edge",
        range_bound=1,
        metadata=graph.metadata,
        zero="worst",
    )


def _core_numbers(graph: Graph) -> NDArray[np.int64]:
    # Nothing is compiled for few public nodes.
    if len(graph) <= ego_arrays.CORES:
        return ego_arrays.core_numbers(graph)
    core = np.empty(len(graph), dtype=np.int64)
    compile_loop(_peel)(graph.indptr, graph.indices, core)
    return core


def _peel(indptr: Any, indices: Any, core: Any) -> None:
    """Take nodes away in the order of the neighbours they have left; what they have left then is their core number."""
    widest = 0
    for v in range(core.size):
        core[v] = indptr[v + 1] - indptr[v]
        widest = max(widest, core[v])
    # Nodes sorted by neighbours left; first[k] is where those with k begin among the nodes not yet taken.
    first = np.zeros(widest + 2, dtype=np.int64)
    for v in range(core.size):
        first[core[v] + 1] += 1
    for k in range(widest):
        first[k + 1] += first[k]
    order, place = np.empty(core.size, dtype=np.int64), np.empty(core.size, dtype=np.int64)
    for v in range(core.size):
        place[v] = first[core[v]]
        order[place[v]] = v
        first[core[v]] += 1
    for k in range(widest, 0, -1):
        first[k] = first[k - 1]
    first[0] = 0
    for step in range(core.size):
        v = order[step]
        for e in range(indptr[v], indptr[v + 1]):
            w = indices[e]
            k = core[w]
            if k > core[v]:
                # One neighbour less: w changes places with the first of its own, which then begin one later.
                at = first[k]
                other = order[at]
                order[at], order[place[w]] = w, other
                place[other], place[w] = place[w], at
                first[k] = at + 1
                core[w] = k - 1

"""Two-step reach: how many nodes are one step away, and half of those that are two steps away.

two_step_reach(v) = d + h / 2, with d = d(v) neighbours and h nodes at distance exactly 2. Scores are twice that,
2 d + h: integers, in halves of a node.

delta(G, t) = 2 + min(Dmax(G) + t, D - 1) halves for every node, Dmax(G) the largest degree in the graph, D a public
maximum degree.
Neighbours: edge. Ceiling: D + 1 halves. Reach: D - 1. Range bound 1: one more edge brings no node farther away.

References: ours, a truncated form of harmonic centrality (Boldi and Vigna 2014), whose sensitivity grows with n.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice, InputError
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import Floats, Sensitivity, profiles
from dpselect.utilities import ego_arrays
from dpselect.utilities.ego_betweenness import declared_degree, require_degrees
from dpselect.utilities.loops import compile_loop
from dpselect.utilities.undirected_graphs import require_undirected
from dpselect.views import Graph, StoredGraph
from dpselect.views.graph_like import GraphLike

# Blocks for each thread, of about equal work; each marks its nodes in an array of its own.
_BLOCKS = 16


def two_step_reach(graph: GraphLike, max_degree: int | None = None, workers: int = 1) -> Scores:
    """Return twice the two-step reach of every node, as exact integers, shape (n,): 2 d + nodes at distance 2.

    It finds who is close to many, through neighbours who have many neighbours. One edge may bring as many nodes closer
    as any node has neighbours, so its sensitivity is that of the largest hub, for every node the same: mechanisms
    rank by the score itself.

    Args:
        graph: over public nodes. The edges of a StoredGraph stream into memory, about 120 bytes for each.
        max_degree: a public bound on the degree of every graph that might have been held. Never read it from
            the private graph. Bounds beyond n - 1 count as n - 1.
        workers: threads.

    Raises:
        PrivacyError: ``max_degree`` is missing.
        ValueError: ``max_degree`` is not an integer >= 1, or exceeded by the graph; ``workers`` is not an
            integer >= 1.
        ImportError: numba is not installed, which more than 4,096 nodes need.

    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3], nodes=5)
    >>> two_step_reach(path, max_degree=4).values
    array([3, 5, 5, 3, 0])
    """
    graph = require_undirected(graph)
    from dpselect.utilities.egos import require_workers

    bound = declared_degree(max_degree, "Two-step reach")
    if bound < 1:
        raise InputError(Advice("With {max_degree} below 1 no edge may exist: pass a public bound of at least 1."))
    bound = max(1, min(bound, len(graph) - 1))
    require_workers(workers)
    if isinstance(graph, StoredGraph):
        graph = graph.to_graph()
    require_degrees(graph, bound)
    return Scores(
        2 * graph.degrees + _two_steps_away(graph, workers),
        sensitivity_of_largest(int(graph.degrees.max(initial=0)), bound),
        candidates=graph.candidates,
        neighbours="edge",
        range_bound=1,
        metadata=graph.metadata,
        zero="worst",
    )


def sensitivity_of_largest(degree: int, max_degree: int) -> Sensitivity:
    """Return delta(G, t) where the largest degree is this one: one row for all nodes, sums in closed form."""
    most = max_degree - 1
    start = min(degree, most)

    def rows(t: NDArray[np.int64]) -> Floats:
        values: Floats = (2 + np.minimum(start + t[:, None], most)).astype(np.float64)
        return values

    def total(t: NDArray[np.int64]) -> Floats:
        # It rises by 1 a step up to the ceiling: whole numbers to the end.
        steps = t[:, None]
        rising = np.minimum(steps, most - start)
        sums: Floats = ((2 + most) * steps - rising * (most - start) + rising * (rising - 1) // 2).astype(np.float64)
        return sums

    return profiles(rows, ceiling=float(2 + most), reach=most, total=total)


def _two_steps_away(graph: Graph, workers: int) -> NDArray[np.int64]:
    """Return how many nodes are at distance exactly 2 from each, shape (n,)."""
    # Nothing is compiled for few public nodes.
    if len(graph) <= ego_arrays.REACH:
        return ego_arrays.two_steps_away(graph)
    count = np.empty(len(graph), dtype=np.int64)
    kernel = compile_loop(_count_two_steps)
    if workers == 1:
        kernel(graph.indptr, graph.indices, 0, len(graph), count)
        return count
    # The work of a node is the degrees of its neighbours, counted by edges.
    ends = np.concatenate(([0], np.cumsum(graph.degrees[graph.indices])))
    work = ends[graph.indptr] + np.arange(len(graph) + 1)
    cuts = np.unique(np.searchsorted(work, np.linspace(0, work[-1], _BLOCKS * workers + 1)))

    def run(start: int, stop: int) -> None:
        kernel(graph.indptr, graph.indices, start, stop, count)

    with ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(run, cuts[:-1].tolist(), cuts[1:].tolist()):
            pass
    return count


def _count_two_steps(indptr: Any, indices: Any, start: int, stop: int, count: Any) -> None:
    # Who was seen last from which node: nothing has to be cleared in between.
    seen = np.full(indptr.size - 1, -1, dtype=np.int64)
    for v in range(start, stop):
        seen[v] = v
        for e in range(indptr[v], indptr[v + 1]):
            seen[indices[e]] = v
        found = 0
        for e in range(indptr[v], indptr[v + 1]):
            w = indices[e]
            for f in range(indptr[w], indptr[w + 1]):
                x = indices[f]
                found += seen[x] != v
                seen[x] = v
        count[v] = found

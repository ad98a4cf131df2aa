"""Triangles: how many pairs of a node's neighbours are adjacent, so that the three know each other.

delta(G, t, v) = min(max(C(v) + t, [d(v) >= 2]), D - 1), with C(v) the most neighbours that v shares with any other
node, adjacent or not, d the degree and D a public maximum degree.
Neighbours: edge. Ceiling: D - 1. Reach: D - 1. Range bound 1: one more edge closes triangles and opens none.

References: ours; of the local sensitivity of all triangles of a graph, Nissim, Raskhodnikova and Smith 2007.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import Floats, Sensitivity, profiles
from dpselect.utilities.ego_betweenness import public_degree, require_degrees
from dpselect.utilities.overlaps import widest_overlaps
from dpselect.utilities.undirected_graphs import require_undirected
from dpselect.views import StoredGraph
from dpselect.views.graph_like import GraphLike


def triangles(graph: GraphLike, max_degree: int | None = None, workers: int = 1) -> Scores:
    """Return the number of triangles at every node, as exact integers, shape (n,).

    Args:
        graph: over public nodes. The edges of a StoredGraph stream into memory, about 120 bytes for each.
        max_degree: a public bound on the degree of every graph that might have been held. Never read it from
            the private graph. Bounds beyond n - 1 count as n - 1.
        workers: threads.

    Raises:
        PrivacyError: ``max_degree`` is missing.
        ValueError: ``max_degree`` is not an integer, below 2, or exceeded by the graph; the graph has fewer
            than 3 nodes; ``workers`` is not an integer >= 1.
        ImportError: numba is not installed, which more than 4,096 nodes need.

    >>> import dpselect as dps

    >>> triangle_and_tail = dps.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], nodes=4)
    >>> triangles(triangle_and_tail, max_degree=3).values
    array([1, 1, 1, 0])
    """
    graph = require_undirected(graph)
    from dpselect.utilities.egos import links_of_egos, require_workers

    bound = public_degree(max_degree, len(graph), "The count of triangles")
    require_workers(workers)
    if isinstance(graph, StoredGraph):
        graph = graph.to_graph()
    require_degrees(graph, bound)
    return Scores(
        links_of_egos(graph, workers, "triangles"),
        sensitivity_of_overlaps(lambda: widest_overlaps(graph, workers), graph.degrees, bound),
        candidates=graph.candidates,
        neighbours="edge",
        range_bound=1,
        metadata=graph.metadata,
        # Dampened, nodes would be ranked by other things: triangles.md.
        default_mechanism="permute-and-flip",
        zero="worst",
    )


def sensitivity_of_overlaps(
    overlaps: Callable[[], NDArray[np.int64]], degrees: NDArray[np.int64], max_degree: int
) -> Sensitivity:
    """Return delta(G, t, v) for nodes of these overlaps: one row for each, and one for centres of stars.

    Args:
        overlaps: returns them; called when a mechanism reads the sensitivity.
    """
    most = max_degree - 1

    @cache
    def known() -> tuple[NDArray[np.int64], NDArray[np.intp]]:
        overlap = overlaps()
        star = (overlap == 0) & (degrees >= 2)
        distinct, profile = np.unique(2 * overlap + star, return_inverse=True)
        return distinct, profile

    def rows(t: NDArray[np.int64]) -> Floats:
        widest, least = np.divmod(known()[0], 2)
        values: Floats = np.minimum(np.maximum(widest + t[:, None], least), most).astype(np.float64)
        return values

    def total(t: NDArray[np.int64]) -> Floats:
        # C + (C + 1) + .. as long as it rises, and the ceiling from there on; a star has 1 at first, not 0.
        widest, least = np.divmod(known()[0], 2)
        start = np.minimum(widest, most)
        stop = np.minimum(start + t[:, None], most)
        rising = (stop * (stop - 1) - start * (start - 1)) // 2
        beyond = (t[:, None] - (stop - start)) * most
        sums: Floats = (rising + beyond + least * (t[:, None] > 0)).astype(np.float64)
        return sums

    return profiles(rows, profile=lambda: known()[1], ceiling=float(most), reach=most, total=total, size=degrees.size)

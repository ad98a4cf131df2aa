"""Open pairs: how many pairs of a node's neighbours are not adjacent, the pairs that it alone may connect.

open_pairs(v) = d (d - 1) / 2 - links among the neighbours of v, d = d(v) the degree.

delta(G, t, v) = min(d(v) + t, D - 1), D a public maximum degree.
Neighbours: edge. Ceiling: D - 1. Reach: D - 1. Range bound 2.

References: ours. Ego betweenness (Everett and Borgatti 2005) weighs the same pairs by 1 / (1 + their common
neighbours), so it is never more than this count.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import Floats, Sensitivity, profiles
from dpselect.utilities.ego_betweenness import public_degree, require_degrees
from dpselect.utilities.undirected_graphs import require_undirected
from dpselect.views import StoredGraph
from dpselect.views.graph_like import GraphLike


def open_pairs(graph: GraphLike, max_degree: int | None = None, workers: int = 1) -> Scores:
    """Return the number of pairs of neighbours that are not adjacent, as exact integers, shape (n,).

    To name brokers, who connect others, draw with ``local-dampening-flip``: one edge moves this by about the
    degree, where it moves ego betweenness by up to a quarter of its square.

    Args:
        graph: over public nodes. Of a StoredGraph only degrees and triangles leave the engine.
        max_degree: a public bound on the degree of every graph that might have been held. Never read it from
            the private graph. Bounds beyond n - 1 count as n - 1.
        workers: threads; an engine has its own.

    Raises:
        PrivacyError: ``max_degree`` is missing.
        ValueError: ``max_degree`` is not an integer, below 2, or exceeded by the graph; the graph has fewer
            than 3 nodes; ``workers`` is not an integer >= 1.
        ImportError: numba is not installed, which more than 4,096 nodes need.

    >>> import dpselect as dps

    >>> triangle_and_tail = dps.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], nodes=4)
    >>> open_pairs(triangle_and_tail, max_degree=3).values
    array([0, 0, 2, 0])

    Limits: A maximum degree is a promise. ``open_pairs``, ``linear_decay``, ``triangles``, ``two_step_reach``,
    ``ego_betweenness`` in ``utilities`` and in ``papers``, and ``papers.private_sql`` refuse a graph that exceeds the
    public ``max_degree``: no claim covers it, and a bound that some possible graph exceeds makes that refusal depend on
    an edge. Pass a bound that holds by construction, such as the number of nodes minus one, or truncate the graph to it
    (``dps.data.TruncatedGraph``, ``--truncate``). The same goes for ``families`` of ``tdt``: for each family a marker
    counts at most two transmissions.
    """
    graph = require_undirected(graph)
    bound = public_degree(max_degree, len(graph), "The count of open pairs")
    from dpselect.utilities.egos import links_of_egos, require_workers

    require_workers(workers)
    if isinstance(graph, StoredGraph):
        # The engine joins; two queries on one state of the table.
        with graph.warehouse.reading():
            require_degrees(graph, bound)
            degrees, links = graph.degrees, graph.links
    else:
        require_degrees(graph, bound)
        links, degrees = links_of_egos(graph, workers, "open pairs"), graph.degrees
    return Scores(
        degrees * (degrees - 1) // 2 - links,
        sensitivity_of_degrees(degrees, bound),
        candidates=graph.candidates,
        neighbours="edge",
        metadata=graph.metadata,
        zero="worst",
    )


def sensitivity_of_degrees(degrees: NDArray[np.int64], max_degree: int) -> Sensitivity:
    """Return delta(G, t, v) for nodes of these degrees: one row per degree, sums in closed form."""
    distinct, profile = np.unique(degrees, return_inverse=True)
    most = max_degree - 1

    def rows(t: NDArray[np.int64]) -> Floats:
        values: Floats = np.minimum(distinct + t[:, None], most).astype(np.float64)
        return values

    def total(t: NDArray[np.int64]) -> Floats:
        # d + (d + 1) + .. as long as it rises, and the ceiling from there on: whole numbers to the end.
        start = np.minimum(distinct, most)
        stop = np.minimum(start + t[:, None], most)
        rising = (stop * (stop - 1) - start * (start - 1)) // 2
        sums: Floats = (rising + (t[:, None] - (stop - start)) * most).astype(np.float64)
        return sums

    return profiles(rows, profile=profile, ceiling=float(most), reach=most, total=total)

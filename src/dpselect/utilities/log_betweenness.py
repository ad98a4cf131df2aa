"""Log betweenness: ego betweenness on a scale on which one edge counts at most 1, whatever the degrees.

log_betweenness(v) = log2(EBC(v) + d(v) + 1), EBC the ego betweenness and d the degree.

Neighbours: edge. Ceiling: 1. Reach: 0. Range bound 2. No maximum degree is needed.

References: ours; of ego betweenness Everett and Borgatti 2005.
"""

from __future__ import annotations

import numpy as np

from dpselect.scores.scores import Scores
from dpselect.utilities.undirected_graphs import require_undirected
from dpselect.views import StoredGraph
from dpselect.views.graph_like import GraphLike


def log_betweenness(graph: GraphLike, workers: int = 1) -> Scores:
    """Return log2(ego betweenness + degree + 1) of every node, shape (n,), never below 0.

    Its order is nearly that of ego betweenness, as degrees are small beside it where it is large.

    Args:
        graph: over public nodes. The edges of a StoredGraph stream into memory, about 120 bytes for each.
        workers: threads.

    Raises:
        ValueError: ``workers`` is not an integer >= 1.
        ImportError: numba is not installed, which more than 384 nodes need.

    >>> import dpselect as dps

    >>> star = dps.Graph.from_edges([0, 0, 0, 0, 0], [1, 2, 3, 4, 5], nodes=7)
    >>> log_betweenness(star).values
    array([4., 1., 1., 1., 1., 1., 0.])
    """
    graph = require_undirected(graph)
    if isinstance(graph, StoredGraph):
        graph = graph.to_graph()
    from dpselect.utilities.egos import betweenness_of_egos

    values = np.log2(betweenness_of_egos(graph, workers) + graph.degrees + 1.0)
    return Scores(
        values, sensitivity=1, candidates=graph.candidates, neighbours="edge", metadata=graph.metadata, zero="worst"
    )

"""Degree: the number of neighbours of a node.

Neighbours: edge. Ceiling: 1. Reach: 0. Range bound 1: one more edge raises two degrees and lowers none.

References: Farias et al. (PrivPareto), section 7.4.
"""

from __future__ import annotations

from dpselect.scores.scores import Scores
from dpselect.utilities.undirected_graphs import require_undirected
from dpselect.views.graph_like import GraphLike


def degree(graph: GraphLike) -> Scores:
    """Return the degree of every node, as exact integers, shape (n,).

    >>> import dpselect as dps

    >>> degree(dps.Graph.from_edges([0, 0], [1, 2], nodes=4)).values
    array([2, 1, 1, 0])
    """
    graph = require_undirected(graph)
    return Scores(
        graph.degrees,
        sensitivity=1,
        candidates=graph.candidates,
        neighbours="edge",
        range_bound=1,
        metadata=graph.metadata,
        zero="worst",
    )

"""Weighted degree: how much a node has to do with others, each pair counted up to a public cap.

weighted_degree(v) = sum over the other nodes w of min(W, all weights between v and w), W the cap.

Neighbours: edge, which is one pair with whatever weight. Ceiling: W. Reach: 0. Range bound 1: one pair that comes, goes
or changes its weight moves its two ends by the same amount, and no other node.

References: ours.
"""

from __future__ import annotations

from dpselect.kernel.errors import InputTypeError
from dpselect.scores.scores import Scores
from dpselect.views import WeightedGraph


def weighted_degree(graph: WeightedGraph) -> Scores:
    """Return the weights of each node's edges, added up, shape (n,): exact multiples of a unit, or exact integers.

    Protected is everything between two nodes: whether they have to do with each other at all, and how much.

    Raises:
        TypeError: a graph without weights.

    >>> calls = WeightedGraph.from_edges([0, 0, 1], [1, 1, 2], [2, 3, 40], nodes=4, cap=10)
    >>> weighted_degree(calls).values
    array([ 5., 15., 10.,  0.])

    Limits: A weighted edge is a pair. ``weighted_degree`` protects everything between two nodes, and costs the cap for
    it; what lies above the cap is not seen. Real weights are rounded down, row by row, to multiples of a power of two
    that is at most cap / 2^19: a row that weighs less than that counts for nothing. Weighted graphs are read in memory,
    not in an engine.
    """
    if not isinstance(graph, WeightedGraph):
        raise InputTypeError("Weights are added up where edges have weights: pass a dpselect.data.WeightedGraph.")
    return Scores(
        # The unit of real weights is a power of two: nothing is rounded.
        graph.units if graph.kind == "integer" else graph.units * float(graph.unit),
        sensitivity=graph.cap,
        candidates=graph.candidates,
        neighbours="edge",
        range_bound=1,
        metadata=graph.metadata,
        zero="worst",
    )

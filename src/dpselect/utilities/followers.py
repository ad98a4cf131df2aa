"""Followers: the number of others that point to a node.

Neighbours: person. Ceiling: 1. Reach: 0. Range bound 1: one person's list of edges more raises the nodes on it, by 1
each, and lowers none. So a list may have any length.
"""

from __future__ import annotations

from dpselect.kernel.errors import InputTypeError
from dpselect.scores.scores import Scores
from dpselect.views.graph_like import GraphLike, directed_graph


def followers(graph: GraphLike) -> Scores:
    """Return how many different others point to each node, as exact integers, shape (n,).

    Protected is whom one person points to: all edges that leave a node at once, however many. The nodes are public. Who
    points to a node is protected for each of those who do, one by one, and not for the node.

    Args:
        graph: a directed graph, or a table of edges in an engine, whose first end points to its second.

    Raises:
        TypeError: a graph without directions.

    >>> import dpselect as dps

    >>> names = ["ann", "bob", "eve"]
    >>> graph = dps.data.DirectedGraph.from_edges(["ann", "bob", "bob"], ["eve", "eve", "ann"], nodes=names)
    >>> followers(graph).values
    array([1, 0, 2])
    """
    pointed = directed_graph(graph)
    if pointed is None:
        raise InputTypeError(
            "Followers are counted where edges have directions: pass a dpselect.data.DirectedGraph, or a directed "
            "graph of NetworkX or igraph."
        )
    return Scores(
        pointed.followers,
        sensitivity=1,
        candidates=pointed.candidates,
        neighbours="person",
        range_bound=1,
        metadata=pointed.metadata,
        zero="worst",
    )

"""Conditions of metrics of undirected edges, and what else is refused."""

from __future__ import annotations

from dpselect.kernel.errors import InputTypeError
from dpselect.views import Graph, StoredGraph
from dpselect.views.graph_like import GraphLike, undirected_graph


def require_undirected(graph: GraphLike) -> Graph | StoredGraph:
    """Return a graph without directions, read from another library if need be: others have their own metric.

    Raises:
        TypeError: not a graph, or one with directions or weights.
    """
    result = undirected_graph(graph)
    if result is None:
        raise InputTypeError(
            "This metric counts undirected edges without weights: pass a dpselect.Graph, a graph of NetworkX or "
            "igraph, or a sparse matrix."
        )
    return result

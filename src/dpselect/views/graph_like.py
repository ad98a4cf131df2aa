"""Graphs of NetworkX, igraph and SciPy, taken wherever a graph of this library is.

Passing one declares its nodes public, as by the readers that are called here; what these drop, they say.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from dpselect.views.directed_graph import DirectedGraph
from dpselect.views.graph import Graph
from dpselect.views.stored_graph import StoredGraph

# A Graph, a StoredGraph, a graph of NetworkX or igraph, or a sparse matrix: the others have no type in common.
GraphLike: TypeAlias = object


def undirected_graph(graph: GraphLike) -> Graph | StoredGraph | None:
    """Return a graph without directions, ``None`` for what is none or has a class of its own here.

    >>> import networkx
    >>> undirected_graph(networkx.path_graph(3))
    Graph(nodes=3)
    """
    if isinstance(graph, (Graph, StoredGraph)):
        return graph
    match _library(graph):
        case "igraph":
            return Graph.from_igraph(graph)
        case "networkx":
            return Graph.from_networkx(graph)
        case "scipy":
            return Graph.from_scipy(graph)
    return None


def directed_graph(graph: GraphLike) -> DirectedGraph | StoredGraph | None:
    """Return a graph with directions, ``None`` for what is none; a sparse matrix does not say whether it has them.

    >>> import networkx
    >>> directed_graph(networkx.DiGraph([("ann", "bob")])).followers
    array([0, 1])
    """
    if isinstance(graph, (DirectedGraph, StoredGraph)):
        return graph
    foreign: Any = graph
    library = _library(graph)
    if library not in ("igraph", "networkx") or not foreign.is_directed():
        return None
    return DirectedGraph.from_igraph(graph) if library == "igraph" else DirectedGraph.from_networkx(graph)


def _library(graph: object) -> str:
    """Return whose graph it is, by what it can do: nothing is imported."""
    if hasattr(graph, "tocsr"):
        return "scipy"
    if hasattr(graph, "vs") and hasattr(graph, "get_edgelist"):
        return "igraph"
    return "networkx" if all(hasattr(graph, name) for name in ("nodes", "edges", "adj", "is_directed")) else ""

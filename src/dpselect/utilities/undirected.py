"""What metrics of undirected edges count on, and what else is refused."""

from __future__ import annotations

from typing import Any

from dpselect.views import Graph, StoredGraph


def require_undirected(graph: Any) -> None:
    """Refuse what is not a graph of this library without directions: another one has its own metric."""
    if not isinstance(graph, (Graph, StoredGraph)):
        raise TypeError(
            "This metric counts undirected edges without weights: pass a dpselect.Graph, such as "
            "dpselect.Graph.from_networkx(graph)."
        )

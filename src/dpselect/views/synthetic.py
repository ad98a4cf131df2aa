"""Data that public facts alone allow: a release of them spends and promises what one of the true rows does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from dpselect.views.graph import Graph

AnyGraph = TypeVar("AnyGraph")


def synthetic_table(domains: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return a table of one row.

    Args:
        domains: for each column its values or its lower and upper bound; ``None`` for what tells persons apart.

    >>> synthetic_table({"age": (18, 120), "job": ["nurse", "cook"], "who": None})
    {'age': [18], 'job': ['nurse'], 'who': [0]}
    """
    return {name: [0 if domain is None else domain[0]] for name, domain in domains.items()}


def synthetic_graph(
    nodes: Any,
    kind: type[AnyGraph] = Graph,  # type: ignore[assignment]
    weights: Mapping[str, Any] | None = None,
) -> AnyGraph:
    """Return a graph without edges.

    Args:
        nodes: how many there are, or their names.
        kind: ``Graph``, ``DirectedGraph`` or ``WeightedGraph``.
        weights: ``cap`` and ``kind`` of a graph with weights.
    """
    make: Any = kind
    lists = 2 if weights is None else 3
    graph: AnyGraph = make.from_edges(*[[]] * lists, nodes=nodes, **(weights or {}))
    return graph

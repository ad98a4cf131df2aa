"""Scores of the nodes of a public graph by a metric, and of a neighbour: remembered, as no epsilon changes them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from dpselect import utilities
from dpselect.kernel.errors import InputError
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.registry import default_mechanism, require_mechanism
from dpselect.queries import metrics
from dpselect.scores.margin import margin
from dpselect.scores.scores import Scores
from dpselect.utilities.undirected_graphs import require_undirected
from dpselect.views import Graph, StoredGraph

# By the names that ``dpselect top-k`` has; the others are of directed or weighted graphs.
METRICS = tuple(name for name in metrics.METRICS if name not in (metrics.FOLLOWERS, metrics.WEIGHTED))
# So many nodes and paths of length two are scored while somebody waits, and so many without loops that are compiled.
_NODES, _PATHS, _FEW = 20_000, 20_000_000, 400
# What looks at the neighbours of two nodes that are adjacent takes as many steps as the smaller degree, squared, for
# each edge: 600 million a second, in loops as in arrays.
EVERY = "all metrics"
_STEPS, _STEPPED = 500_000_000, frozenset({"ego_betweenness", "linear_decay", EVERY})
# Pairs of so many of the best nodes are tried for the most telling edge; it is found at this epsilon.
_TRIED, _TELLING = 4, Fraction(1)


@dataclass(frozen=True)
class Ranking:
    """A ranking that is asked of a graph; all of it is public.

    Attributes:
        metric: its name.
        most: the public maximum degree.
        k: how many nodes are named.
        mechanism: its name; ``None`` for the metric's own.
    """

    metric: str
    most: int
    k: int
    mechanism: str | None = None

    @property
    def by_margin(self) -> bool:
        """Return whether margins are ranked, and not scores."""
        return self.mechanism is None and metrics.METRICS[self.metric].by_margin

    @property
    def needs_max_degree(self) -> bool:
        """Return whether the metric needs the maximum degree."""
        return metrics.METRICS[self.metric].bounded

    @property
    def function(self) -> str:
        """The function of ``dpselect.utilities``."""
        return self.metric.replace("-", "_")

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the call beside the graph."""
        found: dict[str, Any] = {"max_degree": self.most} if self.needs_max_degree else {}
        if self.metric == "ego-betweenness":
            # The tighter ones must not be shifted.
            found["sensitivity"] = "degree" if "shifted" in (self.mechanism or "") else "refined"
        return found

    def drawn_with(self, scores: Scores) -> Mechanism:
        """Return the mechanism."""
        return default_mechanism(scores) if self.mechanism is None else require_mechanism(self.mechanism)


@dataclass(frozen=True, eq=False)
class Edge:
    """One step to a neighbour.

    Attributes:
        one, other: the two nodes, by their positions.
        added: whether the neighbour has the edge and the graph has not.
        scores: on the neighbour.
    """

    one: int
    other: int
    added: bool
    scores: Scores


@lru_cache(maxsize=4)
def public_graph(given: Any) -> Graph:
    """Return the graph without directions.

    Raises:
        ValueError: it has directions or weights, or is too large for a page.
    """
    try:
        graph = require_undirected(given)
    except TypeError as error:
        raise InputError(str(error)) from None
    graph = graph.to_graph() if isinstance(graph, StoredGraph) else graph
    if len(graph) < 3:
        raise InputError("A graph of fewer than 3 nodes has nobody to compare: take a larger one.")
    if len(graph) > _NODES:
        raise InputError(
            f"A page shows graphs of up to {_NODES:,} nodes: take a sample of the {len(graph):,} here, or call "
            "dpselect.accuracy.recommend_metric in Python, which takes the time that it needs."
        )
    return graph


def rank_nodes(graph: Graph, ranking: Ranking) -> Scores:
    """Return what the mechanism ranks, shape (n,).

    Raises:
        ValueError: the graph exceeds the maximum degree, or would keep a user waiting.
    """
    scores = score_nodes(graph, ranking.function, tuple(ranking.arguments.items()))
    return _margin(scores, ranking.k) if ranking.by_margin else scores


@lru_cache(maxsize=32)
def score_nodes(graph: Graph, function: str, arguments: tuple[tuple[str, Any], ...]) -> Scores:
    """Return the scores of a function of ``dpselect.utilities``, called with a graph and these arguments.

    Raises:
        ValueError: as :func:`rank_nodes`.
    """
    require_short(graph, function)
    scores: Scores = getattr(utilities, function)(graph, **dict(arguments))
    return scores


@lru_cache(maxsize=32)
def _margin(scores: Scores, k: int) -> Scores:
    return margin(scores, k)


def require_short(graph: Graph, what: str) -> None:
    """Refuse what would keep a user waiting (``ValueError``).

    Args:
        graph: a public one.
        what: a function of ``dpselect.utilities``, or ``EVERY`` for the comparison of metrics.
    """
    paths = int((graph.degrees.astype(np.float64) ** 2).sum())
    instead = (
        "set Compare metrics to no, name a sample of the graph, or call dpselect.accuracy.recommend_metric in Python, "
        "which takes the time that it needs."
        if what == EVERY
        else "take degree, or a sample of the graph."
    )
    if what != "degree" and paths > _PATHS:
        raise InputError(f"This graph has {paths:,} paths of two edges and a page follows {_PATHS:,}: {instead}")
    if what in _STEPPED and _steps(graph) > _STEPS:
        raise InputError(
            f"Neighbours in this graph have many neighbours in common, {_steps(graph):,} steps, and a page takes "
            f"{_STEPS:,}: {instead}"
        )


@lru_cache(maxsize=8)
def _steps(graph: Graph) -> int:
    """Return over all edges, from both ends, the sum of the smaller degree squared."""
    degrees = graph.degrees.astype(np.float64)
    smaller = np.minimum(np.repeat(degrees, graph.degrees), degrees[graph.indices])
    return int((smaller**2).sum())


@lru_cache(maxsize=32)
def toggle_edge(graph: Graph, one: int, other: int) -> Graph:
    """Return the neighbour that has the edge between two nodes if the graph has not, and has it not if the graph has.

    >>> toggle_edge(Graph.from_edges([0, 1], [1, 2], nodes=3), 0, 1).degrees
    array([0, 1, 1])
    """
    source = np.repeat(np.arange(len(graph)), graph.degrees)
    once = source < graph.indices
    a, b = source[once], graph.indices[once].astype(np.int64)
    low, high = sorted((one, other))
    there = (a == low) & (b == high)
    a, b = (a[~there], b[~there]) if there.any() else (np.append(a, low), np.append(b, high))
    return replace(Graph.from_edges(a, b, nodes=len(graph)), labels=graph.labels)


def has_edge(graph: Graph, one: int, other: int) -> bool:
    """Return whether two nodes are adjacent."""
    return bool((graph.indices[graph.indptr[one] : graph.indptr[one + 1]] == other).any())


@lru_cache(maxsize=64)
def neighbour(graph: Graph, ranking: Ranking, one: int, other: int) -> Edge:
    """Return the step that adds or removes the edge between two nodes.

    Raises:
        ValueError: it would exceed the maximum degree.
    """
    added = not has_edge(graph, one, other)
    if added and graph.degrees[[one, other]].max() >= ranking.most:
        raise InputError(
            "One more edge would exceed the maximum degree, and no promise covers such a graph: choose another pair of "
            "nodes, or a larger maximum degree."
        )
    return Edge(one, other, added, rank_nodes(toggle_edge(graph, one, other), ranking))


@lru_cache(maxsize=32)
def telling(graph: Graph, ranking: Ranking) -> Edge:
    """Return the edge between two of the best few nodes that changes a chance most, at epsilon 1.

    Where a score takes long, or there are more than 400 nodes, only the best two are tried.

    Raises:
        ValueError: none of them leads to a graph within the maximum degree.
    """
    scores = rank_nodes(graph, ranking)
    quick = len(graph) <= _FEW and _steps(graph) <= _STEPS // 10
    best = np.argsort(-scores.values, kind="stable")[: _TRIED if quick else 2].tolist()
    here = ranking.drawn_with(scores).log_pmf(scores, _TELLING)
    moved: list[tuple[float, Edge]] = []
    for one, other in itertools.combinations(best, 2):
        try:
            edge = neighbour(graph, ranking, one, other)
        except ValueError:
            continue
        there = ranking.drawn_with(edge.scores).log_pmf(edge.scores, _TELLING)
        moved.append((float(np.abs(here - there).max()), edge))
    if not moved:
        raise InputError("The best nodes have as many neighbours as the maximum degree allows: pass a larger one.")
    return max(moved, key=lambda pair: pair[0])[1]

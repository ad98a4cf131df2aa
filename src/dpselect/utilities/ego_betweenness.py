"""Ego betweenness centrality (EBC): how often a node connects two of its neighbours.

EBC(c) = sum over pairs of neighbours of c that are not adjacent of 1 / (1 + their common neighbours within
the neighbours of c). Unordered pairs; c itself is the 1 in the denominator.

Three sensitivities, the tightest first; D is a public maximum degree, d(v) the degree, C(v) the most neighbours that
v shares with any other node, B(d) = max(d (d - 1) / 4, d):

    refined    as the next, with what a new neighbour could take from the pairs that it shares, up to distance 63
    overlap    min(max(d(v) + t, (C(v) + t) (C(v) + t - 1) / 4), B(D - 1))
    degree     min(B(d(v) + t), B(D - 1))

Neighbours: edge. Ceiling: B(D - 1). Reach: D - 1. Range bound 2.

References: Everett and Borgatti 2005; Farias et al. 2023, Definition 6.1.1 and Lemmas 6.3.1 to 6.3.3, for the
last of the three; the others are ours. Errata: Lemma 6.3.2 prints the global sensitivity as B(D), it is B(D - 1);
a cap read from the private graph is not admissible.

Limits: A refined bound takes time where neighbours are connected. The default of ``ego_betweenness`` looks at every
pair that two nodes share, so its time follows the squares of overlaps: about 3 processor seconds on Enron and 6 on
GitHub, and much more on a million edges in dense communities. Each thread takes up to 48 MB beside the graph.
``sensitivity="overlap"`` is one pass over paths of two edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice, InputError, PrivacyError
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import Floats, Sensitivity, profiles
from dpselect.utilities.highest_pairs import most_open_pairs
from dpselect.utilities.overlap_sensitivity import DISTANCES, by_overlap, refined_sensitivity
from dpselect.utilities.overlaps import losses, widest_overlaps
from dpselect.utilities.undirected_graphs import require_undirected
from dpselect.views import Graph, StoredGraph
from dpselect.views.graph_like import GraphLike

SENSITIVITIES = ("refined", "overlap", "degree")


def ego_betweenness(
    graph: GraphLike, *, max_degree: int | None = None, workers: int = 1, sensitivity: str = "refined"
) -> Scores:
    """Return the ego betweenness of every node, shape (n,), in pairs of neighbours.

    Without noise, permute-and-flip and the other mechanisms of one constant name the top nodes by ego betweenness,
    whatever ``sensitivity`` is. Local dampening does not: it divides each score by its own sensitivity. Shifted
    dampening on ``"degree"`` ranks nearly by degree; on the other two it ranks by what nodes share, so do not shift
    them. :func:`dpselect.utilities.margin` of any of the three keeps the order, and so does drawing from
    :func:`dpselect.sensitivity.flatten` of it.

    Args:
        graph: over public nodes. The edges of a StoredGraph stream into memory, about 120 bytes for each.
        max_degree: a public bound on the degree of every graph that might have been held. Never read it from
            the private graph. Bounds beyond n - 1 count as n - 1.
        workers: threads.
        sensitivity: ``"refined"``; ``"overlap"``, which takes a tenth of the time and is a few times as large on
            real hubs; or ``"degree"``, the published one, which is tens to hundreds of times as large there.

    Raises:
        PrivacyError: ``max_degree`` is missing.
        ValueError: ``max_degree`` is not an integer, below 2, or exceeded by the graph; the graph has fewer
            than 3 nodes; ``workers`` is not an integer >= 1; another ``sensitivity``.
        ImportError: numba is not installed, which more than 384 nodes need.

    >>> star = Graph.from_edges([0, 0, 0, 0], [1, 2, 3, 4], nodes=6)
    >>> ego_betweenness(star, max_degree=5).values
    array([6., 0., 0., 0., 0., 0.])
    """
    graph = require_undirected(graph)
    bound = public_degree(max_degree, len(graph))
    if sensitivity not in SENSITIVITIES:
        raise InputError(f"sensitivity is one of {', '.join(SENSITIVITIES)}, not {sensitivity!r}.")
    if isinstance(graph, StoredGraph):
        graph = graph.to_graph()
    require_degrees(graph, bound)
    from dpselect.utilities.egos import betweenness_of_egos

    values = betweenness_of_egos(graph, workers)
    if sensitivity == "refined":
        delta = refined_sensitivity(graph.degrees, lambda: losses(graph, min(DISTANCES, bound), workers), bound)
    elif sensitivity == "overlap":
        delta = by_overlap(graph.degrees, lambda: widest_overlaps(graph, workers), bound)
    else:
        delta = sensitivity_of_degrees(graph.degrees, bound)
    return Scores(
        values,
        delta,
        candidates=graph.candidates,
        neighbours="edge",
        metadata=graph.metadata,
        # Dampened, the order is not their own.
        default_mechanism="margin",
        zero="worst",
        upper_envelope=most_open_pairs(graph, workers),
    )


def sensitivity_of_degrees(degrees: NDArray[np.int64], max_degree: int) -> Sensitivity:
    """Return delta(G, t, v) for nodes of these degrees: one row per degree, sums in closed form."""
    distinct, profile = np.unique(degrees, return_inverse=True)
    ceiling = quarter_bound(np.int64(max_degree - 1)) / 4

    def rows(t: NDArray[np.int64]) -> Floats:
        reached: Floats = np.minimum(distinct + t[:, None], max_degree - 1)
        values: Floats = quarter_bound(reached) / 4
        return values

    def total(t: NDArray[np.int64]) -> Floats:
        stop = distinct + t[:, None]
        inside = _sum_of_quarter_bounds(np.minimum(distinct, max_degree), np.minimum(stop, max_degree)) / 4
        beyond = np.maximum(stop - max_degree, 0)
        sums: Floats = inside + beyond * ceiling
        return sums

    return profiles(rows, profile=profile, ceiling=float(ceiling), reach=max_degree - 1, total=total)


def quarter_bound(d: Any) -> Any:
    """Return 4 B(d) = max(d (d - 1), 4 d): an integer."""
    return np.maximum(d * (d - 1), 4 * d)


def _sum_of_quarter_bounds(start: NDArray[np.int64], stop: NDArray[np.int64]) -> Floats:
    """Return the sum of 4 B(d) over start <= d < stop, in floats: cubes of degrees leave 64 bits.

    Terms are never subtracted from larger ones, so the relative error is about 1e-15, and 0 below 2^53.
    """
    # 4 B(d) is 4 d up to d = 5 and d (d - 1) from there on.
    a, b = np.minimum(start, 6), np.minimum(stop, 6)
    small = 2 * (b * (b - 1) - a * (a - 1))
    a = np.maximum(start, 6).astype(np.float64)
    k = np.maximum(stop - a, 0)
    large = a * (a - 1) * k + (2 * a - 1) * (k * (k - 1) / 2) + (k - 1) * k * (2 * k - 1) / 6
    both: Floats = small + large
    return both


def require_degrees(graph: Graph | StoredGraph, bound: int) -> None:
    """Refuse a graph that breaks the public promise about its degrees: no claim covers it."""
    if graph.degrees.max(initial=0) > bound:
        raise InputError(
            Advice(
                "For the curator: the graph exceeds {max_degree}, so the claim does not cover it; pass a public "
                "bound that every possible graph keeps, or truncate it ({dpselect.data.TruncatedGraph|--truncate})."
            )
        )


def public_degree(max_degree: Any, nodes: int, what: str = "Ego betweenness") -> int:
    """Return the public maximum degree, at most n - 1, or say what is wrong with it."""
    bound = declared_degree(max_degree, what)
    if bound < 2:
        raise InputError(
            Advice(
                "With {max_degree} below 2 no node connects two neighbours and the sensitivity is "
                "always zero: pass a public bound of at least 2."
            )
        )
    if nodes < 3:
        raise InputError(f"{what} needs at least 3 nodes: with fewer, its sensitivity is always zero.")
    return min(bound, nodes - 1)


def declared_degree(max_degree: Any, what: str) -> int:
    """Return a public maximum degree that was passed, or say what it is."""
    if max_degree is None:
        raise PrivacyError(
            Advice(
                what + " needs {max_degree=|--max-degree}: a public bound "
                "on the number of neighbours of any node, never read from the private graph; if you know none, pass "
                "the number of nodes minus one."
            )
        )
    if isinstance(max_degree, bool) or not isinstance(max_degree, (int, np.integer)):
        raise InputError(Advice("{max_degree} must be an integer: a public bound on the number of neighbours."))
    return int(max_degree)

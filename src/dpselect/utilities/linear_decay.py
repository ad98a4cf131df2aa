"""Linear decay: pairs of neighbours that are not adjacent, each worth less the more nodes connect it already.

linear_decay(v) = sum over pairs of neighbours of v that are not adjacent of max(0, K - their common neighbours within
the neighbours of v), K public: exact integers, in K-th parts of a pair.

delta(G, t, v) = min(max(K (d(v) + t), (C(v) + t) (C(v) + t - 1) / 2), ceiling), d(v) the degree, C(v) the most
neighbours that v shares with any other node, D a public maximum degree.
Neighbours: edge. Ceiling: max(K (D - 1), (D - 1) (D - 2) / 2). Reach: D - 1. Range bound 2.

References: ours. Ego betweenness (Everett and Borgatti 2005) halves a pair at its first other connection; K = 2 has its
sensitivity. Open pairs are the limit of large K.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpselect.kernel.errors import Advice, InputError
from dpselect.scores.scores import Scores
from dpselect.utilities.ego_betweenness import public_degree, require_degrees
from dpselect.utilities.highest_pairs import most_open_pairs
from dpselect.utilities.overlap_sensitivity import by_overlap
from dpselect.utilities.overlaps import decayed_pairs, widest_overlaps
from dpselect.utilities.undirected_graphs import require_undirected
from dpselect.views import StoredGraph
from dpselect.views.graph_like import GraphLike

# Scores stay below this: sums are exact.
_MOST = 2**61


def linear_decay(graph: GraphLike, max_degree: int | None = None, *, decay: int = 20, workers: int = 1) -> Scores:
    """Return, in units of 1 / ``decay``, what pairs of neighbours that are not adjacent are worth, shape (n,).

    A pair that no other node connects is worth ``decay`` units, and each other connection takes one of them. So the
    score asks what ego betweenness asks, but one edge moves a pair by 1 / ``decay`` of itself and not by half.

    Args:
        graph: over public nodes. The edges of a StoredGraph stream into memory, about 120 bytes for each.
        max_degree: a public bound on the degree of every graph that might have been held. Never read it from
            the private graph. Bounds beyond n - 1 count as n - 1.
        decay: K, a public number: from so many common neighbours on a pair counts nothing.
        workers: threads.

    Raises:
        PrivacyError: ``max_degree`` is missing.
        ValueError: ``max_degree`` is not an integer, below 2, or exceeded by the graph; the graph has fewer than 3
            nodes; ``decay`` is not an integer >= 1, or so large that scores leave 61 bits; ``workers`` is not an
            integer >= 1.
        ImportError: numba is not installed, which more than 384 nodes need.

    >>> import dpselect as dps

    >>> wheel = dps.Graph.from_edges([0, 0, 0, 0, 1, 2], [1, 2, 3, 4, 2, 3], nodes=6)
    >>> linear_decay(wheel, max_degree=5, decay=10).values
    array([39,  0,  9,  0,  0,  0])
    """
    graph = require_undirected(graph)
    bound = public_degree(max_degree, len(graph), "Linear decay")
    k = _public_decay(decay, bound)
    from dpselect.utilities.egos import require_workers

    require_workers(workers)
    if isinstance(graph, StoredGraph):
        graph = graph.to_graph()
    require_degrees(graph, bound)
    pairs, most = most_open_pairs(graph, workers), _MOST // k
    return Scores(
        decayed_pairs(graph, k, workers),
        by_overlap(graph.degrees, lambda: widest_overlaps(graph, workers), bound, pair=k, share=2),
        candidates=graph.candidates,
        neighbours="edge",
        metadata=graph.metadata,
        # Dampened, the order is not their own.
        default_mechanism="margin",
        zero="worst",
        # Exact integers, cut where no score comes.
        upper_envelope=lambda t, at: k * np.minimum(pairs(t, at), most),
    )


def _public_decay(decay: Any, bound: int) -> int:
    """Return the public decay, or say what is wrong with it."""
    if isinstance(decay, bool) or not isinstance(decay, (int, np.integer)) or decay < 1:
        raise InputError(Advice("{decay} counts common neighbours: pass a public integer >= 1, such as 20."))
    if int(decay) * bound**2 >= _MOST:
        raise InputError(
            Advice("{decay} times the square of {max_degree} must stay below 2^61: pass smaller public numbers.")
        )
    return int(decay)

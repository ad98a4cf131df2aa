"""Ego betweenness with the printed bound: how often a node connects two of its neighbours.

The score is that of ``dpselect.utilities.ego_betweenness``, and

    delta(G, t, v) = min(B(d(v) + t), B(D)),  B(d) = max(d (d - 1) / 4, d),

d(v) the degree, D a public maximum degree.
Neighbours: edge. Ceiling: B(D). Reach: D. Range bound 2.

References: Farias et al. 2023, Definition 6.1.1 and Lemmas 6.3.1 to 6.3.3. Erratum: the paper reads D from the private
graph, and such a cap is not admissible. The ceiling is as printed in Lemma 6.3.2; B(D - 1) suffices.
"""

from __future__ import annotations

from dpselect import utilities
from dpselect.scores.scores import Scores
from dpselect.utilities.ego_betweenness import public_degree, sensitivity_of_degrees
from dpselect.utilities.undirected_graphs import require_undirected
from dpselect.views import StoredGraph
from dpselect.views.graph_like import GraphLike


def ego_betweenness(graph: GraphLike, *, max_degree: int | None = None, workers: int = 1) -> Scores:
    """Return the ego betweenness of every node, shape (n,), with the sensitivity that the paper prints.

    Args:
        graph: over public nodes. The edges of a StoredGraph stream into memory.
        max_degree: a public bound on the degree of every graph that might have been held. Never read it from the
            private graph. Bounds beyond n - 1 count as n - 1.
        workers: threads.

    Raises:
        PrivacyError, ValueError, ImportError: as :func:`dpselect.utilities.ego_betweenness`.

    >>> import dpselect as dps

    >>> star = dps.Graph.from_edges([0, 0, 0, 0], [1, 2, 3, 4], nodes=6)
    >>> scores = ego_betweenness(star, max_degree=5)
    >>> scores.values, scores.sensitivity.ceiling
    (array([6., 0., 0., 0., 0., 0.]), 5.0)
    """
    graph = require_undirected(graph)
    bound = public_degree(max_degree, len(graph))
    if isinstance(graph, StoredGraph):
        graph = graph.to_graph()
    scores = utilities.ego_betweenness(graph, max_degree=bound, workers=workers, sensitivity="degree")
    # One degree more: this bound ends at B(D) where the corrected one ends at B(D - 1).
    printed = sensitivity_of_degrees(graph.degrees, bound + 1)
    facts = scores.metadata
    return Scores(
        scores.values, printed, candidates=scores.candidates, neighbours="edge", metadata=facts, zero=scores.zero
    )

"""Ego density: the share of pairs of a node's neighbours that know each other.

density(v) = links among the neighbours of v / (d (d - 1) / 2), and 0 when d <= 1 (our convention).

delta(G, t, v) = 2 / max(d(v) - t, 2), d(v) the degree.
Neighbours: edge. Ceiling: 1. Reach: n - 3. Range bound 2. The sensitivity follows the degree and not the
density, so neither direction of shifting helps: use unshifted dampening.

References: Farias et al. (PrivPareto), Lemma 7.2. Erratum: the printed sensitivity breaks A2 at d - t = 3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import Floats, Sensitivity, profiles
from dpselect.utilities.undirected_graphs import require_undirected
from dpselect.views import StoredGraph
from dpselect.views.graph_like import GraphLike


def ego_density(graph: GraphLike) -> Scores:
    """Return the ego density of every node, shape (n,), between 0 and 1.

    Raises:
        ValueError: fewer than 3 nodes, where no density can change.
        ImportError: numba is not installed, which more than 4,096 nodes need.

    >>> import dpselect as dps

    >>> triangle_and_tail = dps.Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3], nodes=4)
    >>> ego_density(triangle_and_tail).values.round(3)
    array([1.   , 1.   , 0.333, 0.   ])
    """
    graph = require_undirected(graph)
    if len(graph) < 3:
        raise InputError("Ego density needs at least 3 nodes: with fewer, its sensitivity is always zero.")
    if isinstance(graph, StoredGraph):
        # The engine joins; two queries on one state of the table.
        with graph.warehouse.reading():
            degrees, links = graph.degrees, graph.links
    else:
        from dpselect.utilities.egos import links_of_egos

        links, degrees = links_of_egos(graph), graph.degrees
    pairs = np.maximum(degrees * (degrees - 1) // 2, 1)
    sensitivity = sensitivity_of_degrees(degrees, len(graph))
    density = links / pairs
    return Scores(
        density, sensitivity, candidates=graph.candidates, neighbours="edge", metadata=graph.metadata, zero="worst"
    )


def sensitivity_of_degrees(degrees: NDArray[np.int64], nodes: int) -> Sensitivity:
    """Return delta(G, t, v) for nodes of these degrees: one row per degree, sums in closed form."""
    distinct, profile = np.unique(degrees, return_inverse=True)
    # Sums of 2 / j run backwards through the harmonic numbers; below j = 2 every term is 1.
    harmonic, lost = _harmonic(int(distinct.max(initial=1)))

    def rows(t: NDArray[np.int64]) -> Floats:
        left: Floats = 2.0 / np.maximum(distinct - t[:, None], 2)
        return left

    def total(t: NDArray[np.int64]) -> Floats:
        steps = np.minimum(t[:, None], np.maximum(distinct - 2, 0))
        between = (harmonic[distinct] - harmonic[distinct - steps]) + (lost[distinct] - lost[distinct - steps])
        sums: Floats = 2.0 * between + (t[:, None] - steps)
        return sums

    return profiles(rows, profile=profile, ceiling=1.0, reach=max(nodes - 3, 0), total=total)


def _harmonic(last: int) -> tuple[Floats, Floats]:
    """Return H(0) .. H(last) as floats, and what rounding took from each.

    Differences of large ones can be as small as 1 / last; with both parts their relative error is 1e-15.
    """
    terms = 1.0 / np.arange(1, last + 1)
    sums = np.concatenate(([0.0], np.cumsum(terms)))
    before, after = sums[:-1], sums[1:]
    # What each addition rounded away, recovered exactly (Knuth's two-sum; cumsum adds from left to right).
    added = after - before
    rounded = (before - (after - added)) + (terms - added)
    return sums, np.concatenate(([0.0], np.cumsum(rounded)))

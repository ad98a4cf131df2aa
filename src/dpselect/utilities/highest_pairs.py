"""The largest number of open pairs of a node some edges away: o + d t + t (t - 1) / 2.

o are the pairs of neighbours that are not adjacent, d is the degree. Whatever weighs these pairs by at most 1 is never
more. Proof: ``ego_betweenness.md``.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from dpselect.scores.scores import Highest
from dpselect.views import Graph


def most_open_pairs(graph: Graph, workers: int = 1) -> Highest:
    """Return the bound as ``Scores(highest=)`` takes it; pairs are counted when it is first asked for."""
    from dpselect.utilities.egos import links_of_egos

    degrees = graph.degrees

    @cache
    def pairs() -> NDArray[np.int64]:
        return np.asarray(degrees * (degrees - 1) // 2 - links_of_egos(graph, workers, "open pairs"))

    def highest(t: NDArray[np.int64], at: NDArray[np.intp]) -> NDArray[np.int64]:
        return np.asarray(pairs()[at] + degrees[at] * t + t * (t - 1) // 2)

    return highest

"""A sensitivity capped by the maximum degree of the private graph: the cap moves with the graph."""

import numpy as np

from dpselect import Scores, audit
from tests.contracts.faults.toys import admissibility, rows

DETECTOR = "admissibility"
UNIVERSE = audit.graphs(4)


def squared(graph: object, most: int) -> Scores:
    """u(v) = d(v)^2, which an added edge moves by 2 d + 1, d + t capped so that d + t + 1 <= most."""
    degree = np.diff(graph.indptr)
    reached = np.minimum(degree + np.arange(6)[:, None], most - 1)
    return Scores(degree**2, rows(2.0 * np.maximum(reached, 0) + 1))


def detect() -> str:
    """The graph's own maximum degree."""
    return admissibility(lambda graph: squared(graph, int(np.diff(graph.indptr).max())), UNIVERSE)


def repaired() -> str:
    """All others, n - 1, which is public."""
    return admissibility(lambda graph: squared(graph, 3), UNIVERSE)

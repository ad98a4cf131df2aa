"""`003` Lemma 7.2: 2 / (d - t - 2), or 1 once d - t <= 2. It falls from 2 to 1, so A2 breaks at d - t = 3.

To test A2 and not the fall, the toy takes the printed value at distance 0 only, where d = 3 and d = 2 are neighbours.
"""

import numpy as np

from dpselect import Scores, audit
from tests.contracts.faults.toys import admissibility, rows

DETECTOR = "admissibility"
UNIVERSE = audit.graphs(4)


def density(graph: object) -> tuple[np.ndarray, np.ndarray]:
    """Ego density and degree of every node, from the adjacency matrix."""
    n = len(graph)
    matrix = np.zeros((n, n))
    for v in range(n):
        matrix[v, graph.indices[graph.indptr[v] : graph.indptr[v + 1]]] = 1
    degree = matrix.sum(axis=1)
    links = np.diag(matrix @ matrix @ matrix) / 2
    return links / np.maximum(degree * (degree - 1) / 2, 1), degree


def printed(graph: object) -> Scores:
    """The printed values, made to rise with t by their running maximum."""
    values, degree = density(graph)
    left = degree - np.arange(4)[:, None]
    table = np.where(left > 2, 2 / np.maximum(left - 2, 1), 1.0)
    # Rising by force still leaves d = 3 at 2 and its neighbour d = 2 at 1 one distance further.
    return Scores(values, rows(np.maximum.accumulate(table)))


def corrected(graph: object) -> Scores:
    """2 / max(d - t, 2)."""
    values, degree = density(graph)
    return Scores(values, rows(2 / np.maximum(degree - np.arange(4)[:, None], 2)))


def detect() -> str:
    """The printed sensitivity."""
    return admissibility(printed, UNIVERSE)


def repaired() -> str:
    """The corrected sensitivity."""
    return admissibility(corrected, UNIVERSE)

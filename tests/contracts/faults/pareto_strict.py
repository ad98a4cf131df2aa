"""Dominators that may be won counted with > where the score counts >=: a tie within reach is overlooked."""

from collections.abc import Callable

import numpy as np

from dpselect import Scores
from tests.contracts.faults.toys import admissibility, chain, rows

DETECTOR = "admissibility"
UNIVERSE = chain(3)
# Candidate 0 stays; candidate 1 reaches it in one step, in both objectives.
VALUES = np.array([[2, 0], [2, 1], [2, 2]])
LONGEST = 5


def scores(x: int, compare: Callable[..., np.ndarray]) -> Scores:
    """The Pareto score with the width of what lies within reach; the second candidate moves by 1 a step."""
    values = VALUES[x]
    now = (values[None, :] >= values[:, None]).sum(axis=1) - 1
    table = []
    for t in range(LONGEST):
        far = (t + 1) * np.array([0, 1])
        possible = compare((values + far)[None, :], (values - far)[:, None])
        certain = (values - far)[None, :] >= (values + far)[:, None]
        np.fill_diagonal(possible, False)
        np.fill_diagonal(certain, False)
        table.append(possible.sum(axis=1) - certain.sum(axis=1))
    return Scores(-now, rows(np.maximum.accumulate(np.maximum(np.array(table, dtype=float), 0))))


def detect() -> str:
    """Strictly larger."""
    return admissibility(lambda x: scores(x, np.greater), UNIVERSE)


def repaired() -> str:
    """At least as large."""
    return admissibility(lambda x: scores(x, np.greater_equal), UNIVERSE)

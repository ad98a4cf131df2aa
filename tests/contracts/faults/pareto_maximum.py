"""Pareto score with max(lost dominators, new dominators) in place of their interval: both can happen within t steps."""

import numpy as np

from dpselect import Scores
from tests.contracts.faults.toys import admissibility, chain, exact, rows

DETECTOR = "admissibility"
DRAW = np.random.default_rng(1)
UNIVERSE = chain(6)
OBJECTIVES = DRAW.integers(0, 6, (2, 6, 6)).astype(float)  # objective, database, candidate
EXACT = [exact(UNIVERSE, values) for values in OBJECTIVES]
LONGEST = 8


def reach(x: int, t: int) -> np.ndarray:
    """S_i^t(r): how far each objective of each candidate can get in t + 1 steps, shape (objectives, candidates)."""
    return np.array([sum(e[min(j, len(e) - 1), x] for j in range(t + 1)) for e in EXACT])


def dominators(x: int, shift: float, t: int) -> np.ndarray:
    """How many others are at least as good in every objective, all moved apart by ``shift`` times their reach."""
    values, moved = OBJECTIVES[:, x], shift * reach(x, t)
    better = (values + moved)[:, None, :] >= (values - moved)[:, :, None]
    return better.all(axis=0).sum(axis=1) - 1


def scores(x: int, combine) -> Scores:
    """The Pareto score with a sensitivity made of possible and certain dominators."""
    now = dominators(x, 0, 0)
    table = []
    for t in range(LONGEST):
        lost, new = now - np.minimum(dominators(x, -1, t), now), dominators(x, 1, t) - now
        table.append(combine(lost, new))
    return Scores(-now.astype(float), rows(np.maximum.accumulate(np.array(table, dtype=float))))


def detect() -> str:
    """The larger of the two numbers."""
    return admissibility(lambda x: scores(x, np.maximum), UNIVERSE)


def repaired() -> str:
    """Their sum: the width of the interval of scores within reach."""
    return admissibility(lambda x: scores(x, np.add), UNIVERSE)

"""Dampening u - max u with the sensitivity of u: a candidate of tiny sensitivity moves by many units with the shift."""

import numpy as np

from dpselect import Scores, mechanism
from tests.contracts.faults.toys import chain, exact, loss, rows

DETECTOR = "loss"
UNIVERSE = chain(4)
VALUES = np.array([(0.0, -1.0), (1.0, -1.1), (2.0, -1.0), (3.0, -1.1)])
EXACT = exact(UNIVERSE, VALUES)
EPSILON = 1


def law(x: int, shift: float) -> np.ndarray:
    """Local dampening of shifted scores."""
    return mechanism("local-dampening").pmf(Scores(VALUES[x] - shift, rows(EXACT[:, x], ceiling=1.0)), EPSILON)


def detect() -> str:
    """Shift by the private maximum."""
    return loss(lambda x: law(x, VALUES[x].max()), UNIVERSE, EPSILON)


def repaired() -> str:
    """Shift by a public number."""
    return loss(lambda x: law(x, 3.0), UNIVERSE, EPSILON)

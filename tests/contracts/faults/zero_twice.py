"""Dampening a zero that is safe for T steps to 2 T, as if the steps of the winner and of its rival both counted."""

import numpy as np

from dpselect import Scores, mechanism
from dpselect.kernel.units import TICKS, floor_ticks
from tests.contracts.faults.toys import chain, exact, loss, rows

DETECTOR = "loss"
VALUES = np.array([(min(0.0, 3.0 - x), min(0.0, x - 2.0)) for x in range(6)])
UNIVERSE = chain(len(VALUES))
EXACT = exact(UNIVERSE, VALUES)
EPSILON = 5


def law(x: int, times: int) -> np.ndarray:
    """Local dampening with zeros dampened to so many times T."""
    made = mechanism("local-dampening")
    scores = Scores(VALUES[x], rows(EXACT[:, x], ceiling=1.0, reach=len(EXACT)), zero="best")
    units = made.effective(scores).ticks / TICKS
    return np.exp(made.unit_log_pmf(floor_ticks(np.where(VALUES[x] == 0, times * units, units), 2), EPSILON))


def detect() -> str:
    """Twice."""
    return loss(lambda x: law(x, 2), UNIVERSE, EPSILON)


def repaired() -> str:
    """Once."""
    return loss(lambda x: law(x, 1), UNIVERSE, EPSILON)

"""Range bound 1 for the Pareto score because every objective only rises: one score falls while all others rise."""

import numpy as np

from dpselect import Scores, mechanism
from dpselect.multiobjective import pareto
from tests.contracts.faults.toys import chain, loss

DETECTOR = "loss"
UNIVERSE = chain(2)
# Of five candidates the first is ahead of a queue; in one step all others pass it, side by side. Nothing falls.
QUEUE = np.arange(5)
VALUES = [
    np.where(QUEUE == 0, 50, [QUEUE, QUEUE]),
    np.where(QUEUE == 0, 50, [60 + QUEUE, 70 - QUEUE]),
]


def law(x: int, range_bound: int) -> np.ndarray:
    """The exponential mechanism on the Pareto score of two objectives that only rise."""
    both = pareto([Scores(part, 70, range_bound=1) for part in VALUES[x]], sensitivity="global")
    return mechanism("exponential").pmf(Scores(both.values, both.sensitivity, range_bound=range_bound), 1)


def detect() -> str:
    """Range bound 1 kept."""
    return loss(lambda x: law(x, 1), UNIVERSE, 1)


def repaired() -> str:
    """Range bound 2."""
    return loss(lambda x: law(x, 2), UNIVERSE, 1)

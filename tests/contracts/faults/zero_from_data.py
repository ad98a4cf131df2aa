"""Local dampening whose zero is the best on some databases and the worst on others: each alone is private."""

import numpy as np

from dpselect import Scores, mechanism
from tests.contracts.faults.toys import chain, exact, loss, rows

DETECTOR = "loss"
VALUES = np.array([(0.0, 2.0), (0.0, 1.0), (0.0, 0.0), (0.0, 0.0), (1.0, 0.0), (2.0, 0.0)])
UNIVERSE = chain(len(VALUES))
EXACT = exact(UNIVERSE, VALUES)
EPSILON = 1


def law(x: int, zero: str) -> np.ndarray:
    """Local dampening with that zero."""
    bounds = rows(EXACT[:, x], ceiling=1.0, reach=len(EXACT))
    return mechanism("local-dampening").pmf(Scores(VALUES[x], bounds, zero=zero), EPSILON)


def detect() -> str:
    """The best where no score is above zero, which looks harmless, and else the worst."""
    return loss(lambda x: law(x, "worst" if VALUES[x].max() > 0 else "best"), UNIVERSE, EPSILON)


def repaired() -> str:
    """One zero for all databases."""
    return loss(lambda x: law(x, "worst"), UNIVERSE, EPSILON)

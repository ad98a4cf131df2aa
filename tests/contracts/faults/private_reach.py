"""Shifted dampening with a reach read from the data: C jumps when the reach does."""

import numpy as np

from dpselect import Scores, mechanism
from tests.contracts.faults.toys import chain, exact, loss, rows

DETECTOR = "loss"
UNIVERSE = chain(3)
VALUES = np.array([(0.0, 0.0), (1.0, 0.0), (2.0, 4.0)])
EXACT = exact(UNIVERSE, VALUES)
EPSILON = 1


def law(x: int, reach: int) -> np.ndarray:
    """Shifted local dampening at that reach."""
    table = np.minimum(EXACT[:, x], [1.0, 4.0])
    return mechanism("shifted-local-dampening").pmf(Scores(VALUES[x], rows(table, ceiling=4.0, reach=reach)), EPSILON)


def detect() -> str:
    """A reach that jumps by 12 between neighbours."""
    return loss(lambda x: law(x, 3 + 12 * (x == 1)), UNIVERSE, EPSILON)


def repaired() -> str:
    """One public reach."""
    return loss(lambda x: law(x, 15), UNIVERSE, EPSILON)

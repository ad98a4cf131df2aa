"""A bound that is at least LS at every distance and yet breaks A2: necessary is not sufficient."""

import numpy as np

from dpselect import Scores
from tests.contracts.faults.toys import admissibility, chain, exact, rows

DETECTOR = "admissibility"
UNIVERSE = chain(4)
VALUES = np.array([[0.0], [1.0], [3.0], [3.0]])
EXACT = exact(UNIVERSE, VALUES)


def detect() -> str:
    """On one database the bound jumps higher than any neighbour answers for."""
    return admissibility(
        lambda x: Scores(VALUES[x], rows(EXACT[:, x] + (5.0 if x == 0 else 0.0), ceiling=9.0)), UNIVERSE
    )


def repaired() -> str:
    """The exact sensitivity."""
    return admissibility(lambda x: Scores(VALUES[x], rows(EXACT[:, x], ceiling=9.0)), UNIVERSE)

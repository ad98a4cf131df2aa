"""A utility that declares what zero means after looking at its scores."""

import numpy as np

from dpselect import Scores, audit
from tests.contracts.faults.toys import chain, exact, rows

DETECTOR = "admissibility"
VALUES = np.array([(0.0, 2.0), (0.0, 1.0), (0.0, 0.0), (0.0, -1.0)])
UNIVERSE = chain(len(VALUES))
EXACT = exact(UNIVERSE, VALUES)


def scores(x: int, zero: str) -> Scores:
    """Exact sensitivities, and that zero."""
    return Scores(VALUES[x], rows(EXACT[:, x], ceiling=1.0, reach=len(EXACT)), zero=zero)


def detect() -> str:
    """The best where no score is above zero."""
    return audit.admissible(lambda x: scores(x, "neutral" if VALUES[x].max() > 0 else "best"), UNIVERSE).counterexample


def repaired() -> str:
    """The same everywhere."""
    return audit.admissible(lambda x: scores(x, "neutral"), UNIVERSE).counterexample

"""The code released with `003` adds the sensitivity of the first objective twice and never that of the second."""

import numpy as np

from dpselect import Scores
from tests.contracts.faults.toys import admissibility, chain, exact, rows

DETECTOR = "admissibility"
UNIVERSE = chain(5)
VALUES = np.random.default_rng(4).integers(0, [[[2]], [[9]]], (2, 5, 3)).astype(float)
EXACT = [exact(UNIVERSE, values) for values in VALUES]


def scores(x: int, first: int, second: int) -> Scores:
    """The sum of two objectives with the sum of two sensitivities."""
    at = [each[:, x] for each in EXACT]
    longest = max(map(len, at))
    at = [np.vstack((each, np.repeat(each[-1:], longest - len(each), axis=0))) for each in at]
    return Scores(VALUES[:, x].sum(axis=0), rows(at[first] + at[second]))


def detect() -> str:
    """The first twice."""
    return admissibility(lambda x: scores(x, 0, 0), UNIVERSE)


def repaired() -> str:
    """Each once."""
    return admissibility(lambda x: scores(x, 0, 1), UNIVERSE)

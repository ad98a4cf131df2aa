"""A sensitivity capped by the number of records of the private table: one more record moves the score beyond it."""

import numpy as np

from dpselect import Scores, audit
from tests.contracts.faults.toys import admissibility, counts_of, rows

DETECTOR = "admissibility"
MOST = 5
UNIVERSE = audit.multisets(range(2), MOST)


def squared(records: np.ndarray, most: int) -> Scores:
    """u(r) = n_r^2, which one more record moves by 2 n_r + 1, capped as if there were at most ``most`` records."""
    counts = counts_of(records, 2)
    reached = np.minimum(counts + np.arange(8)[:, None], max(most - 1, 0))
    return Scores(counts**2, rows(2.0 * reached + 1))


def detect() -> str:
    """The private number of records."""
    return admissibility(lambda records: squared(records, len(records)), UNIVERSE)


def repaired() -> str:
    """The public bound on it."""
    return admissibility(lambda records: squared(records, MOST), UNIVERSE)

"""`000` Lemma 5.3: the percentile stays for 2j + 1 steps, j the ranks to the nearest other value. Too late."""

import numpy as np

from dpselect import Scores, audit
from tests.contracts.faults.toys import admissibility, exact, rows, steps

DETECTOR = "admissibility"
P, GRID = 75, (0, 1)
UNIVERSE = audit.multisets(GRID, 12)


def at_percentile(records: np.ndarray) -> np.ndarray:
    """1 for the value of rank floor(p n / 100) + 1, else 0."""
    if not len(records):
        return np.zeros(len(GRID))
    return (np.array(GRID) == records[P * len(records) // 100]).astype(float)


def published(records: np.ndarray) -> Scores:
    """LS is 0 until t = 2j + 1."""
    n = len(records)
    if not n:
        return Scores(at_percentile(records), steps(0))
    rank = P * n // 100
    same = np.flatnonzero(records == records[rank])
    j = min(rank - same[0], same[-1] - rank)
    # Removing everybody takes n steps whatever the window says: not the fault that is planted here.
    return Scores(at_percentile(records), steps(min(2 * int(j) + 1, n - 1)))


EXACT = exact(UNIVERSE, np.array([at_percentile(x) for x in UNIVERSE]))
PLACE = {tuple(x.tolist()): i for i, x in enumerate(UNIVERSE)}


def detect() -> str:
    """The published window."""
    return admissibility(published, UNIVERSE)


def repaired() -> str:
    """The exact window."""
    return admissibility(
        lambda x: Scores(at_percentile(x), rows(EXACT[:, PLACE[tuple(x.tolist())]], ceiling=1.0)), UNIVERSE
    )

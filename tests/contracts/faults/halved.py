"""Half of the true sensitivity: scores of counts that move by 1, with a bound of 1/2."""

from dpselect import Scores, audit
from tests.contracts.faults.toys import admissibility, counts_of

DETECTOR = "admissibility"
UNIVERSE = audit.multisets(range(2), 3)


def detect() -> str:
    """The faulty bound."""
    return admissibility(lambda records: Scores(counts_of(records, 2), 0.5), UNIVERSE)


def repaired() -> str:
    """The true bound."""
    return admissibility(lambda records: Scores(counts_of(records, 2), 1), UNIVERSE)

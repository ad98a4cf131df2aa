"""`000` Theorem 7.3: the winner stays for as many steps as it leads by. One too late when its rival comes first."""

import numpy as np

from dpselect import Scores, audit
from tests.contracts.faults.toys import admissibility, counts_of, steps

DETECTOR = "admissibility"
UNIVERSE = audit.multisets(range(3), 5)


def winner(records: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Scores 0/1, the counts, and who wins; ties go to the lowest index."""
    counts = counts_of(records, 3)
    best = int(counts.argmax())
    return (np.arange(3) == best).astype(float), counts, best


def published(records: np.ndarray) -> Scores:
    """T* = the lead over the second."""
    values, counts, best = winner(records)
    return Scores(values, steps(int(counts[best] - np.delete(counts, best).max())))


def corrected(records: np.ndarray) -> Scores:
    """T* = min over rivals of the lead, less one when the rival precedes the winner."""
    values, counts, best = winner(records)
    return Scores(values, steps(min(int(counts[best] - counts[i]) - (i < best) for i in range(3) if i != best)))


def detect() -> str:
    """The published step."""
    return admissibility(published, UNIVERSE)


def repaired() -> str:
    """The corrected step."""
    return admissibility(corrected, UNIVERSE)

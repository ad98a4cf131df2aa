"""Range bound 1 because every objective has it, though one record raises one and lowers the other."""

import numpy as np

from dpselect import Scores, audit, mechanism
from dpselect.multiobjective import aggregate
from tests.contracts.faults.toys import counts_of, loss

DETECTOR = "loss"
UNIVERSE = audit.multisets(range(1), 4)


def law(records: np.ndarray, range_bound: int) -> np.ndarray:
    """A record lifts the first candidate in one objective and pushes the second down in the other."""
    (size,) = counts_of(records, 1)
    rises, falls = Scores([size, 0], 1, range_bound=1), Scores([0, -size], 1, range_bound=1)
    # No candidate is moved by both, so the largest sensitivity is enough.
    both = aggregate([rises, falls], max_changed="one", range_bound=range_bound)
    return mechanism("exponential").pmf(both, 1)


def detect() -> str:
    """Range bound 1 declared."""
    return loss(lambda records: law(records, 1), UNIVERSE, 1)


def repaired() -> str:
    """Range bound 2."""
    return loss(lambda records: law(records, 2), UNIVERSE, 1)

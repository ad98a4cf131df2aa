"""`000` Theorem 7.2: the exponential mechanism with smooth sensitivity in place of the global one is not private."""

import numpy as np

from dpselect import audit
from tests.contracts.faults.toys import counts_of, loss

DETECTOR = "loss"
UNIVERSE = audit.multisets(range(2), 8)
EPSILON = 0.5


def law(records: np.ndarray, smooth: bool) -> np.ndarray:
    """Softmax of epsilon u / 2S for the 0/1 score of the winner."""
    counts = counts_of(records, 2)
    best = int(counts.argmax())
    left = int(counts[best] - counts[1 - best]) - (best == 1)
    scale = np.exp(-EPSILON * left) if smooth else 1.0
    weights = np.exp(EPSILON * (np.arange(2) == best) / (2 * scale))
    return weights / weights.sum()


def detect() -> str:
    """S moves with the database."""
    return loss(lambda records: law(records, smooth=True), UNIVERSE, EPSILON)


def repaired() -> str:
    """The global sensitivity, 1."""
    return loss(lambda records: law(records, smooth=False), UNIVERSE, EPSILON)

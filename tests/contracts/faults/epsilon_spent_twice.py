"""Two picks at epsilon each under a claim of epsilon for the list."""

from fractions import Fraction

import numpy as np

from dpselect import Scores, audit, mechanism
from dpselect.audit.privacy_loss import top_k_log_pmf
from tests.contracts.faults.toys import counts_of, loss

DETECTOR = "loss"
UNIVERSE = audit.multisets(range(3), 6)
MECHANISM = mechanism("permute-and-flip")


def law(records: np.ndarray, epsilon: Fraction) -> np.ndarray:
    """The joint law of the first and second pick, epsilon for both together."""
    unit = MECHANISM.effective(Scores(counts_of(records, 3), 1, range_bound=1))
    return np.exp(top_k_log_pmf(MECHANISM, unit, 2, epsilon))


def detect() -> str:
    """Twice the claim is spent."""
    return loss(lambda records: law(records, Fraction(2)), UNIVERSE, 1)


def repaired() -> str:
    """Half of the claim a pick."""
    return loss(lambda records: law(records, Fraction(1)), UNIVERSE, 1)

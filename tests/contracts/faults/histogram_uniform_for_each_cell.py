"""The total with noise for one cell's share of it: the sensitivity of a mean."""

from fractions import Fraction

import numpy as np

from dpselect.histograms.uniform import estimate
from dpselect.kernel.bound import Bound
from tests.histograms.transcript import counterexample

DETECTOR = "loss"


def averaged(counts: np.ndarray, epsilon: Fraction, draws) -> np.ndarray:
    """A record moves the mean by 1/cells, but the noise is on the total."""
    return draws.counts(counts.sum(keepdims=True).reshape(1), epsilon, Bound(Fraction(1, counts.size)))


def detect() -> str:
    """The total moves by 1, whatever it is divided by afterwards."""
    return counterexample(averaged, (2,))


def repaired() -> str:
    """Noise for a total that moves by 1."""
    return counterexample(estimate, (2,))

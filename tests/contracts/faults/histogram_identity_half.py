"""Noise of half the scale on every cell."""

from dpselect.histograms.identity import estimate
from tests.histograms.transcript import counterexample

DETECTOR = "loss"


def detect() -> str:
    """Each count takes twice the epsilon that is claimed."""
    return counterexample(lambda counts, epsilon, draws: estimate(counts, 2 * epsilon, draws), (2,))


def repaired() -> str:
    """The claimed epsilon."""
    return counterexample(estimate, (2,))

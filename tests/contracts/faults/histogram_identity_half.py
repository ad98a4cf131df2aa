"""Noise of half the scale on every cell."""

from fractions import Fraction

from dpselect.histograms.identity import estimate
from dpselect.kernel.bound import Bound
from tests.histograms.transcript import counterexample

DETECTOR = "loss"


def detect() -> str:
    """A record is said to move the counts by one half, so that each takes twice the epsilon that is claimed."""
    return counterexample(lambda counts, epsilon, draws: draws.counts(counts, epsilon, Bound(Fraction(1, 2))), (2,))


def repaired() -> str:
    """By one."""
    return counterexample(estimate, (2,))

"""Haar coefficients with noise for the differences only: log2(n) instead of 1 + log2(n)."""

from fractions import Fraction

import numpy as np

from dpselect.histograms.privelet import estimate, haar_transform
from dpselect.kernel.bound import Bound
from tests.histograms.transcript import counterexample

DETECTOR = "loss"


def forgotten(counts: np.ndarray, epsilon: Fraction, draws) -> None:
    """The total is released beside the differences and moves too."""
    draws.counts(haar_transform(counts), epsilon, Bound(int(np.log2(counts.size))))


def detect() -> str:
    """Four cells: three coefficients move."""
    return counterexample(forgotten, (4,))


def repaired() -> str:
    """One more than the number of levels."""
    return counterexample(estimate, (4,))

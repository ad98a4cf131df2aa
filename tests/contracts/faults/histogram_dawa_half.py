"""DAWA's partition with noise of scale 2/epsilon1: the move of one cost, though two costs are compared."""

from fractions import Fraction

import numpy as np

from dpselect.histograms.dawa import partition
from dpselect.kernel.bound import Bound
from tests.histograms.transcript import counterexample

DETECTOR = "loss"


class Halved:
    """Draws whose partition believes in half the bound."""

    def __init__(self, draws) -> None:
        self.draws = draws

    def partition(self, candidates, costs, epsilon, bound):
        """Half of it."""
        return self.draws.partition(candidates, costs, epsilon, Bound(bound.total / 2))


def halved(counts: np.ndarray, epsilon: Fraction, draws) -> None:
    """Eight cells, the partition alone."""
    partition(counts, epsilon, Fraction(1), Halved(draws))


def detect() -> str:
    """Two intervals with the changed cell move apart by more than 2."""
    return counterexample(halved, (8,), most=1, every=21)


def repaired() -> str:
    """Noise of scale 4/epsilon1."""
    return counterexample(
        lambda counts, epsilon, draws: partition(counts, epsilon, Fraction(1), draws), (8,), most=1, every=21
    )

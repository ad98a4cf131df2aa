"""MWEM as it was published: the number of records is public, though a record more or fewer is the neighbour."""

from fractions import Fraction

import numpy as np

from dpselect import mechanism
from dpselect.histograms import Workload
from dpselect.histograms.mwem import estimate
from dpselect.kernel.bound import Bound
from tests.histograms.transcript import counterexample

DETECTOR = "loss"
RUN = {"queries": Workload.cells((2,)), "rounds": 1, "mechanism": mechanism("permute-and-flip")}


class Free:
    """Draws that give the total away."""

    def __init__(self, draws) -> None:
        self.draws, self.first = draws, True

    def counts(self, values, epsilon, bound):
        """The first time as if a record moved next to nothing, so with next to no noise."""
        scale, self.first = (10**6 if self.first else 1), False
        return self.draws.counts(values, epsilon, Bound(bound.total / scale))

    def choose(self, scores, epsilon, mechanism):
        """As it should be."""
        return self.draws.choose(scores, epsilon, mechanism=mechanism)


def free(counts: np.ndarray, epsilon: Fraction, draws) -> None:
    """The estimate begins with the true total."""
    estimate(counts, epsilon, Free(draws), **RUN)


def detect() -> str:
    """The total tells a record from none."""
    return counterexample(free, (2,))


def repaired() -> str:
    """5% pays for it."""
    return counterexample(lambda counts, epsilon, draws: estimate(counts, epsilon, draws, **RUN), (2,))

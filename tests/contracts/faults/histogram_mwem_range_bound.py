"""MWEM's selection with range bound 1, because queries are counts: distances to an estimate move both ways."""

from fractions import Fraction

import numpy as np

from dpselect import Scores, mechanism
from dpselect.histograms import Workload
from tests.histograms.transcript import counterexample

DETECTOR = "loss"
# In the exponential mechanism a bound too small by half is paid in full.
MECHANISM = mechanism("exponential")


def chosen(counts: np.ndarray, epsilon: Fraction, draws, range_bound: int) -> None:
    """One selection of the query that an estimate of 1 everywhere answers worst."""
    asked = Workload.prefixes(counts.shape)
    behind = np.abs(asked.answers(counts) - asked.answers(np.ones(counts.shape, dtype=np.int64)))
    draws.choose(Scores(behind, sensitivity=1, range_bound=range_bound), epsilon, mechanism=MECHANISM)


def detect() -> str:
    """A record raises the answer to a query that was too high and to one that was too low."""
    return counterexample(lambda *given: chosen(*given, 1), (3,))


def repaired() -> str:
    """Range bound 2."""
    return counterexample(lambda *given: chosen(*given, 2), (3,))

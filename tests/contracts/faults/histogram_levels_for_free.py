"""A hierarchy with the whole epsilon on every level, as if levels were disjoint."""

from fractions import Fraction

import numpy as np

from dpselect.histograms.count_arrays import ONE
from dpselect.histograms.hb import measure_blocks
from dpselect.histograms.hierarchy import block_sums
from tests.histograms.transcript import counterexample

DETECTOR = "loss"


def every_level(counts: np.ndarray, epsilon: Fraction, draws) -> None:
    """Blocks of one level are disjoint, blocks of several are not; the session believes what it is told."""
    levels = block_sums(counts, 2)
    with draws.disjoint(len(levels)) as parts:
        for part, level in zip(parts, levels, strict=True):
            part.counts(level, epsilon, ONE)


def detect() -> str:
    """One record is in a block of each level."""
    return counterexample(every_level, (4,))


def repaired() -> str:
    """The levels share epsilon."""
    return counterexample(lambda counts, epsilon, draws: measure_blocks(counts, 2, epsilon, draws), (4,))

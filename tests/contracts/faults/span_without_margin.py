"""Float scores floored to ticks with a span of 2 T: half a tick of rounding and the floor need 2 T + 2."""

from fractions import Fraction

import numpy as np

from dpselect import mechanism
from dpselect.mechanisms import UnitScores
from tests.contracts.faults.toys import chain, loss

DETECTOR = "loss"
UNIVERSE = chain(2)
TICKS, OTHERS = 4, 5000
# One candidate rises by a unit and all others fall by one; every score is computed within half a tick.
ROUNDED = {0: (-0.5, TICKS + 0.5), 1: (TICKS + 0.5, -0.5)}


def law(x: int, margin: int) -> np.ndarray:
    """The exponential sampler on floored ticks."""
    own, others = ROUNDED[x]
    ticks = np.floor(np.array([own] + [others] * OTHERS)).astype(np.int64)
    unit = UnitScores(ticks, Fraction(TICKS), Fraction(2 * TICKS + margin), 2)
    return np.exp(mechanism("exponential").unit_log_pmf(unit, 1))


def detect() -> str:
    """No margin."""
    return loss(lambda x: law(x, 0), UNIVERSE, 1)


def repaired() -> str:
    """A margin of two ticks."""
    return loss(lambda x: law(x, 2), UNIVERSE, 1)

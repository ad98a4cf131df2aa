"""One number makes mean shares into chances: the slope, found by a few noisy Newton steps.

The mean over random trees is too timid: its order is right, its distance from even shares is not. Chances are in
proportion to it, raised to a slope. The log-likelihood is concave in the slope, and each step asks for the sums of its
first two derivatives over the records, each at the shares of leaves that did not count that record.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bound import Bound, SquaredBound
from dpselect.learn.boosted.noise import Moves, SumNoise
from dpselect.views.leaves import LARGEST, SLOPE_UNIT

Integers = NDArray[np.int64]
STEPS = 3
# Each of the two sums, in units of 2^-10, moves by this much at most: views/leaves.md.
ONE_SUM = Moves(Bound(LARGEST), SquaredBound(LARGEST**2))
# Of a step's price, what second derivatives have.
_SECOND = Fraction(1, 4)
# The slope without evidence, how far it may lie from that, and the steps and slopes that are possible.
_START, _SPREAD, _STEP, _LEAST, _MOST = 2.0, 1.0, 1.5, 0.25, 6.0
# About the least second derivative of a record.
_FLAT = 0.02


@dataclass(frozen=True)
class Prices:
    """The cost of each step: of first and of second derivatives."""

    first: Fraction
    second: Fraction

    @classmethod
    def of(cls, total: Fraction) -> Prices:
        """Return the prices of steps that cost so much together."""
        return cls(total / STEPS * (1 - _SECOND), total / STEPS * _SECOND)


def fitted_slope(slopes: Callable[[int], Integers], draws: Any, noise: SumNoise, prices: Prices, records: float) -> int:
    """Return the slope in units of 2^-8.

    Args:
        slopes: both sums at a slope: private.
        noise, prices: what is spent, ``STEPS`` times.
        records: about how many there are; released.
    """
    slope = _START
    spread = noise.deviation(prices.first, ONE_SUM) / LARGEST
    for _ in range(STEPS):
        first, second = slopes(round(slope * SLOPE_UNIT))
        rise = int(noise.noisy(draws, np.array([first]), prices.first, ONE_SUM)[0]) / LARGEST
        bend = int(noise.noisy(draws, np.array([second]), prices.second, ONE_SUM)[0]) / LARGEST
        bend = max(bend, _FLAT * records)
        # A step is the shorter, the more of it may be noise.
        step = rise / (bend + spread**2 / (bend * _SPREAD**2))
        slope = min(max(slope + min(max(step, -_STEP), _STEP), _LEAST), _MOST)
    return round(slope * SLOPE_UNIT)

"""Integer scores, of which one neighbour moves each by a known number of ticks: what samplers take.

Proof of the margins: ``units.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

# Ticks per unit of a score that is not exact. Rounding costs a relative 2^-20 of epsilon, taken into the span.
TICKS = 2**20
# A public clip, so that no size of a private score is ever refused: clipping is 1-Lipschitz.
UNIT_CLIP = 2.0**30
TICK_CLIP = 2**61
# Floating point takes at most this rate, so that gap * rate stays finite: beyond it every positive gap is a
# certain tail or an undecided coin, and undecided coins use the Fraction.
LARGEST_RATE = 1e250


def double(rate: Fraction) -> float:
    """Return a positive rate as floating point takes it."""
    try:
        return min(float(rate), LARGEST_RATE)
    except OverflowError:
        return LARGEST_RATE


@lru_cache(maxsize=256)
def _quotient(numerator: int, denominator: int, over: int, under: int) -> Fraction:
    """Return the quotient of two public fractions that is often asked for."""
    return Fraction(numerator * under, denominator * over)


@dataclass(frozen=True, repr=False, eq=False)
class UnitScores:
    """Integer scores of which one neighbour moves each by at most ``per_unit`` ticks, rounding aside.

    The coin of candidate r is Bernoulli(exp(-epsilon (max ticks - ticks_r) / span)). For exact scores the
    span is range_bound * per_unit; otherwise it is range_bound * per_unit + 2, which pays for the rounding
    of the score (half a tick at most) and for the floor, or + 3 where scores are measured from the best.

    Attributes:
        ticks: shape (m,), int64.
        per_unit: ticks in one unit.
        span: the most by which one neighbour can move the gap between two candidates, in ticks.
        range_bound: 1 or 2.
    """

    ticks: NDArray[np.int64]
    per_unit: Fraction
    span: Fraction
    range_bound: int

    def rate(self, epsilon: Fraction) -> Fraction:
        """Return epsilon / span: what a gap of one tick costs in the exponent."""
        return _quotient(epsilon.numerator, epsilon.denominator, self.span.numerator, self.span.denominator)

    def __len__(self) -> int:
        return int(self.ticks.size)

    def __repr__(self) -> str:
        return (
            f"UnitScores(candidates={len(self)}, per_unit={self.per_unit}, "
            f"span={self.span}, range_bound={self.range_bound})"
        )


def exact_ticks(values: NDArray[np.int64], per_unit: Fraction | float, range_bound: int) -> UnitScores:
    """Return integer scores as they are: no rounding, no margin; sizes beyond 2^61 are clipped."""
    ticks = np.minimum(values, TICK_CLIP)
    np.maximum(ticks, -TICK_CLIP, out=ticks)
    return UnitScores(ticks, exact := Fraction(per_unit), range_bound * exact, range_bound)


def floor_ticks(units: NDArray[np.float64], range_bound: int) -> UnitScores:
    """Return unit scores floored to ticks of 2^-20, with a span of range_bound * 2^20 + 2.

    ``units`` must be within half a tick of the true score; infinities are clipped, and NaN counts as the
    lowest. Why the margin is 2: each database adds half a tick of error, and a floor less than one, so an
    integer move lies strictly within 2 ticks of the true one, hence within [-T-1, T+1].
    """
    clipped = np.minimum(np.fmax(units, -UNIT_CLIP), UNIT_CLIP)
    clipped *= TICKS
    ticks = np.floor(clipped, out=clipped).astype(np.int64)
    return UnitScores(ticks, Fraction(TICKS), Fraction(range_bound * TICKS + 2), range_bound)

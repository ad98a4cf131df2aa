"""Parts of the line of sums, from the top down, and the chance that a tick plus exponential noise lies in one.

A sum is an integer and the rank of its fraction, uniform in [0, 1): larger integers first, then larger ranks.
Proof: ``ordered_groups.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import exponential_between
from dpselect.kernel.units import double

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# Exponents beyond this are taken for it in floating point, so that chances come out too large, never too small.
FARTHEST = 64.0


@dataclass(frozen=True)
class SumRange:
    """The integer ``bar`` with ranks in [1 - done - 2^-tail, 1 - done); at the top all from ``bar`` on.

    Attributes:
        done: the share of the integer that lies in parts above.
    """

    bar: int
    top: bool = True
    done: Fraction = Fraction(0)
    tail: int = 0

    @property
    def revealed_share(self) -> Fraction:
        """Return the share of the integer in this part and those above."""
        return self.done + Fraction(1, 2**self.tail)

    def below(self, ticks: Integers, counts: Integers, rate: Fraction, room: int) -> SumRange:
        """Return the next part: as much again of the integer, or of the next so much that it holds ``room`` or less."""
        if not self.top and self.revealed_share < 1:
            return SumRange(self.bar, False, self.revealed_share, self.tail - (self.done > 0))
        bar = self.bar - 1
        here = float(reaching(bar, ticks, rate)[ticks <= bar] @ counts[ticks <= bar]) * _step(rate)
        return SumRange(bar, False, Fraction(0), math.ceil(math.log2(max(here / room, 1.0))))

    def chances(self, ticks: Integers, rate: Fraction) -> Floats:
        """Return, for every tick, the chance that a sum that is in no part above is in this one, up to rounding."""
        near = reaching(self.bar, ticks, rate)
        if self.top:
            return near
        done, above = float(self.done), _missing(self.bar + 1, ticks, rate)
        left = (1 - done) * above + done * _missing(self.bar, ticks, rate)
        return np.divide(
            near * (2.0**-self.tail * _step(rate)), left, out=np.zeros(ticks.size), where=ticks <= self.bar
        )

    def chance_between(self, tick: int, rate: Fraction, digits: int) -> tuple[Fraction, Fraction]:
        """Return rationals that enclose the chance of a tick up to the bar, or of any at the top."""
        near = _power(rate * max(self.bar - tick, 0), digits)
        above = (Fraction(0), Fraction(0)) if self.top else _power(rate * (self.bar + 1 - tick), digits)
        # The chance rises with the first and falls with the second.
        return self._chance(near[0], above[1]), self._chance(near[1], above[0])

    def _chance(self, near: Fraction, above: Fraction) -> Fraction:
        here = near - above
        return here * Fraction(1, 2**self.tail) / (1 - above - self.done * here)


def reaching(bar: int, ticks: Integers, rate: Fraction) -> Floats:
    """Return the chance that a tick plus noise reaches a bar."""
    return np.asarray(np.exp(np.maximum(np.maximum(bar - ticks, 0) * -double(rate), -FARTHEST)))


def _missing(bar: int, ticks: Integers, rate: Fraction) -> Floats:
    return np.asarray(-np.expm1(np.maximum(np.maximum(bar - ticks, 0) * -double(rate), -FARTHEST)))


def _step(rate: Fraction) -> float:
    """Return the chance that noise is less than 1."""
    return -math.expm1(-double(rate))


def _power(exponent: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    return exponential_between(exponent, digits) if exponent else (Fraction(1), Fraction(1))

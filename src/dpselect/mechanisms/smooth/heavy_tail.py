"""The tail of heavy-tailed noise as it is drawn: in floats of a known error, and in decimals.

Z >= 0 has a density proportional to 1 / (1 + z^gamma), gamma >= 2, or to 1 / (1 + z^2)^2, written gamma = 0: Student t
with three degrees of freedom over sqrt 3. No quadrature: near 0 and far out the tail is a series of positive terms,
each at most half the one before. Proof: ``heavy_tail.md``.
"""

from __future__ import annotations

import decimal
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Decimals carry fifty digits; what they compute here is right to forty-five.
_DIGITS = 50
CONTEXT = decimal.Context(prec=_DIGITS, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, traps=[])
MARGIN = Decimal("1e-40")
# Terms of a series in w <= 1/2: what is left out is below 2^-50 and 2^-178 of the sum.
_FLOAT_TERMS, _DECIMAL_TERMS = 52, 180
# The top of the hazard is known this closely.
_CLOSE = Decimal("1e-12")


@dataclass(frozen=True)
class HeavyTail:
    """One-sided noise of scale 1.

    Attributes:
        gamma: at least 2; 0 for Student t with three degrees of freedom over sqrt 3.
    """

    gamma: int

    @property
    def degree(self) -> int:
        """Return the power of z in the density."""
        return self.gamma or 2

    @property
    def power(self) -> int:
        """Return how the tail falls: like z to minus this, which is also the largest slope of -ln Pr[Z > z] in ln z."""
        return self.gamma - 1 if self.gamma else 3

    def loss(self, z: Floats) -> Floats:
        """Return -ln Pr[Z > z] for z >= 0: an error below 2^-40 of 1 plus its value."""
        z = np.asarray(z, dtype=np.float64)
        near = np.minimum(z, 1.0)
        raised = near**self.degree
        body = near / (1 + raised) * _sum(self._near, raised / (1 + raised)) / self._total
        far = np.maximum(z, 1.0)
        fallen = far**-self.degree
        # ln of 1 + z^degree, and with it the density, without overflow.
        height = self._times * (self.degree * np.log(far) + np.log1p(fallen))
        beyond = height - np.log(far) - np.log(_sum(self._far, fallen / (1 + fallen)) / self._total)
        return np.asarray(np.where(z <= 1.0, -np.log1p(-body), beyond))

    def hazard(self, z: Floats) -> Floats:
        """Return the density over the tail for z >= 0: a relative error below 2^-40."""
        z = np.asarray(z, dtype=np.float64)
        near = np.minimum(z, 1.0)
        raised = near**self.degree
        body = near / (1 + raised) * _sum(self._near, raised / (1 + raised))
        far = np.maximum(z, 1.0)
        fallen = far**-self.degree
        beyond = 1 / (far * _sum(self._far, fallen / (1 + fallen)))
        return np.asarray(np.where(z <= 1.0, (1 + raised) ** -float(self._times) / (self._total - body), beyond))

    def hazard_at(self, z: float) -> float:
        """Return the hazard at one z, faster than ``hazard``."""
        if z > 1.0:
            fallen = z**-self.degree
            return 1 / (z * _sum_at(self._far, fallen / (1 + fallen)))
        raised = z**self.degree
        body = z / (1 + raised) * _sum_at(self._near, raised / (1 + raised))
        return 1 / ((1 + raised) ** self._times * (self._total - body))

    def exact_tail(self, z: Decimal) -> Decimal:
        """Return Pr[Z > z] for z >= 0, a relative error below 10^-45; in the context of this file."""
        raised = z**self.degree
        below = 1 / (1 + raised)
        near, far = _decimal_series(self.gamma)
        total = _decimal_total(self.gamma)
        if z <= 1:
            return 1 - z * below * _exact_sum(near, raised * below) / total
        return z * below**self._times * _exact_sum(far, below) / total

    def exact_hazard(self, z: Decimal) -> Decimal:
        """Return the density over the tail for z >= 0, a relative error below 10^-44; in the context of this file."""
        return 1 / ((1 + z**self.degree) ** self._times * _decimal_total(self.gamma) * self.exact_tail(z))

    def rises(self, z: Decimal) -> bool | None:
        """Return whether the hazard still rises at z > 0; ``None`` where decimals do not tell."""
        slope = self.exact_hazard(z) - self._fall(z, z)
        return None if abs(slope) <= MARGIN else slope > 0

    @cached_property
    def top(self) -> tuple[Decimal, Decimal]:
        """Return numbers between which the hazard is largest: it rises before, and falls after."""
        from scipy.optimize import brentq

        def slope(z: float) -> float:
            fall = self._times * self.degree * z ** (self.degree - 1) / (1 + z**self.degree)
            return self.hazard_at(z) - fall

        with decimal.localcontext(CONTEXT):
            near, away = Decimal(brentq(slope, 1e-3, 2.0, xtol=1e-14)), _CLOSE
            while not (self.rises(near - away) is True and self.rises(near + away) is False):
                away *= 2
            return near - away, near + away

    @cached_property
    def steepest(self) -> Fraction:
        """Return the largest hazard, rounded up.

        >>> float(HeavyTail(2).steepest), float(HeavyTail(4).steepest), float(HeavyTail(0).steepest / HeavyTail(0).root)
        (0.72461..., 2.0527..., 1.06176...)
        """
        with decimal.localcontext(CONTEXT):
            low, high = self.top
            return Fraction(self._fall(high, low) * (1 + MARGIN))

    @property
    def root(self) -> float:
        """Return what one unit of Z is in the units that its name suggests: sqrt 3 for Student t."""
        return 1.0 if self.gamma else 3.0**0.5

    @property
    def _times(self) -> int:
        """Return how often the factor 1 / (1 + z^degree) stands in the density."""
        return 1 if self.gamma else 2

    def _fall(self, high: Decimal, low: Decimal) -> Decimal:
        """Return -(ln density)' at z = high = low, and at least that for any z between low and high."""
        return self._times * self.degree * high ** (self.degree - 1) / (1 + low**self.degree)

    @cached_property
    def _near(self) -> list[float]:
        return [float(x) for x in _near(self.gamma, _FLOAT_TERMS)]

    @cached_property
    def _far(self) -> list[float]:
        return [float(x) for x in _far(self.gamma, _FLOAT_TERMS)]

    @cached_property
    def _total(self) -> float:
        return float(_decimal_total(self.gamma))


def _sum(coefficients: Sequence[float], w: Floats) -> Floats:
    """Return the sum of coefficients times powers of w."""
    total = np.full(np.shape(w), coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total = total * w + coefficient
    return total


def _sum_at(coefficients: Sequence[float], w: float) -> float:
    """Return the same sum at one w."""
    total = 0.0
    for coefficient in reversed(coefficients):
        total = total * w + coefficient
    return total


def _exact_sum(coefficients: Sequence[Decimal], w: Decimal) -> Decimal:
    """Return the same sum in decimals."""
    total = Decimal(0)
    for coefficient in reversed(coefficients):
        total = total * w + coefficient
    return total


def _near(gamma: int, terms: int) -> list[Fraction]:
    """Return the coefficients of the integral of the density from 0, over z / (1 + z^degree)."""
    term, result = Fraction(1), list[Fraction]()
    for k in range(terms):
        term *= 1 if k == 0 else Fraction(k * gamma, k * gamma + 1) if gamma else Fraction(2 * k, 2 * k + 1)
        result.append(term if gamma or k == 0 else term / 2)
    return result


def _far(gamma: int, terms: int) -> list[Fraction]:
    """Return the coefficients of the integral of the density from z on, over z times the density."""
    term, result = Fraction(1, gamma - 1) if gamma else Fraction(1, 3), list[Fraction]()
    for k in range(terms):
        step = Fraction(k * gamma, (k + 1) * gamma - 1) if gamma else Fraction(2 * k + 2, 2 * k + 3)
        term *= 1 if k == 0 else step
        result.append(term)
    return result


@cache
def _decimal_series(gamma: int) -> tuple[list[Decimal], list[Decimal]]:
    with decimal.localcontext(CONTEXT):
        near, far = (
            [Decimal(x.numerator) / Decimal(x.denominator) for x in series(gamma, _DECIMAL_TERMS)]
            for series in (_near, _far)
        )
    return near, far


@cache
def _decimal_total(gamma: int) -> Decimal:
    """Return the integral of 1 / (1 + z^degree), or of its square: what is below 1 and what is above."""
    near, far = _decimal_series(gamma)
    with decimal.localcontext(CONTEXT):
        half = Decimal("0.5")
        return half * _exact_sum(near, half) + half ** (1 if gamma else 2) * _exact_sum(far, half)

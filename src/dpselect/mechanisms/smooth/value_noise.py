"""Noise for one number whose scale follows a smooth bound: the least scale that epsilon allows, and the law.

The number f is released as f + a S Z, S a beta-smooth bound of its local sensitivity and Z of density proportional to
1 / (1 + z^2)^((nu + 1) / 2): nu = 1 is Cauchy noise, nu = 3 Student t over sqrt 3. The worst log-ratio of two databases
is a hyperbolic distance, so the least a is known in closed form. With p = 2 epsilon / (nu + 1) and
q = (nu - 1) / (nu + 1), for beta < epsilon / nu,

    a = max(1 / (2 sinh(p / 2)), sqrt(e^-beta / (2 (cosh(p - q beta) - cosh(beta))))).

References: Nissim, Raskhodnikova and Smith 2007, section 2.3, with larger scales. Proof: ``value_noise.md``.
"""

from __future__ import annotations

import decimal
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import InputError

Floats = NDArray[np.float64]

# Digits of every exponential beyond those that cancel, and bits of the scale after the point.
_DIGITS, _BITS = 40, 192
# From here on an exponential is below 2^-1000, and says no more than that.
_FAR = 1000
# Laws take numbers up to this size.
_LARGEST, _USUAL = Fraction(10**300), 10**100
# Quadrature over a cell that is narrow against its distance from 0.
_NODES = 16


@dataclass(frozen=True)
class ValueNoise:
    """Noise for one number.

    Attributes:
        name: what callers ask for.
        degrees: of freedom, nu.
    """

    name: str
    degrees: int

    @property
    def power(self) -> int:
        """Return the power of 1 + z^2 in the density."""
        return (self.degrees + 1) // 2

    @property
    def gamma(self) -> int:
        """Return by which number the session knows the noise: 2 for Cauchy, 0 for Student t."""
        return 2 if self.degrees == 1 else 0

    def scale(self, epsilon: Fraction, beta: Fraction) -> Fraction:
        """Return a, rounded up: what a beta-smooth bound is multiplied by.

        Raises:
            ValueError: beta is not below epsilon / nu, where no scale is large enough.

        >>> round(float(CAUCHY.scale(Fraction(1), Fraction(1, 2))), 3)
        0.96
        """
        if beta * self.degrees >= epsilon:
            most, cost = (
                ("epsilon", "beta") if self.degrees == 1 else (f"epsilon / {self.degrees}", f"{self.degrees} beta")
            )
            raise InputError(
                f"beta must be below {most} for {self.name} noise: a moving scale costs {cost} of epsilon."
            )
        p, q = 2 * epsilon / (self.degrees + 1), Fraction(self.degrees - 1, self.degrees + 1)
        still = _square(p, p, p)
        moving = _square(p - q * beta + beta, p - q * beta + beta, p - q * beta - beta)
        return Fraction(math.isqrt(math.floor(max(still, moving) * 4**_BITS)) + 1, 2**_BITS)

    def share(self, epsilon: Fraction) -> Fraction:
        """Return a beta by a public rule: half of epsilon / nu, and more where that asks for no larger scale.

        >>> CAUCHY.share(Fraction(1, 10)), CAUCHY.share(Fraction(1))
        (Fraction(1, 20), Fraction(47, 64))
        """
        whole = epsilon / self.degrees
        enough = self.scale(epsilon, whole / 2)
        parts = next((part for part in range(63, 32, -1) if self.scale(epsilon, whole * part / 64) <= enough), 32)
        return whole * parts / 64

    def loss(self, moved: float, one: float, other: float) -> float:
        """Return the worst log-ratio of f + one Z against f + moved + other Z, whatever the answer.

        >>> round(CAUCHY.loss(1, 1, 1), 4)
        0.9624
        """
        distance = 2 * math.asinh(math.hypot(moved, one - other) / (2 * math.sqrt(one) * math.sqrt(other)))
        return (self.degrees + 1) / 2 * distance + (self.degrees - 1) / 2 * math.log(one / other)

    def log_cells(self, cells: ArrayLike, centre: int, scale: Fraction) -> Floats:
        """Return ln Pr[floor(centre + scale Z + 1/2) = cell] of integer cells, shape (k,); relative error 1e-12."""
        away = [int(cell) - centre for cell in np.atleast_1d(np.asarray(cells, dtype=object))]
        middle, half = _over(away, scale), _double(1 / (2 * scale))
        with np.errstate(divide="ignore"):
            narrow = half <= 0.1 * (1 + np.abs(middle))
            points, shares = np.polynomial.legendre.leggauss(_NODES)
            across = middle[:, None] + half * points
            thin = np.log(
                (shares / 2 * np.exp(self.log_density(across) - self.log_density(middle)[:, None])).sum(axis=1)
            )
            thin += self.log_density(middle) - (math.log(scale.numerator) - math.log(scale.denominator))
            # A wide cell far out has the same sign at both ends: the difference of two tails.
            low, high = np.abs(middle) - half, np.abs(middle) + half
            wide = np.log(np.where(low < 0, 1 - self._tail(np.abs(low)), self._tail(np.abs(low))) - self._tail(high))
        return np.where(narrow, thin, wide)

    def log_density(self, z: Floats) -> Floats:
        """Return the logarithm of the density of Z."""
        return np.asarray((math.log(2) if self.degrees == 3 else 0.0) - math.log(math.pi) - self.power * _odds(z))

    def within(self, share: float) -> float:
        """Return the z with Pr[|Z| <= z] = share, 0 < share < 1: how far off answers are, in units of a S."""
        low, high = 0.0, 1.0
        while 2 * float(self._tail(np.array(high))) > 1 - share:
            low, high = high, 2 * high
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if 2 * float(self._tail(np.array(middle))) <= 1 - share else (middle, high)
        return high

    def _tail(self, z: Floats) -> Floats:
        """Return Pr[Z > z] at z >= 0."""
        with np.errstate(divide="ignore"):
            inverse = 1 / z
        near = np.arctan(inverse)
        if self.degrees == 1:
            return np.asarray(near / math.pi)
        # Beyond 8 the two terms cancel: arctan(y) - y / (1 + y^2) = sum of (-1)^k 2k y^(2k+1) / (2k + 1).
        steps = np.arange(1, 16)
        y = np.minimum(inverse, 1 / 8)
        series = (2 * steps * -((-1.0) ** steps) / (2 * steps + 1) * y[..., None] ** (2 * steps + 1)).sum(axis=-1)
        with np.errstate(invalid="ignore"):
            plain = near - np.where(z > 0, z / (1 + z * z), 0.0)
        return np.asarray(np.where(z > 8, series, plain) / math.pi)


CAUCHY, STUDENT = ValueNoise("cauchy", 1), ValueNoise("student-t", 3)
NOISES = {noise.name: noise for noise in (STUDENT, CAUCHY)}


def _odds(z: Floats) -> Floats:
    """Return ln(1 + z^2) where z^2 may overflow."""
    return np.asarray(2 * np.log(np.hypot(1.0, z)))


def _over(integers: list[int], scale: Fraction) -> Floats:
    """Return doubles near integers over a scale, shape (k,)."""
    if not 1 / _USUAL < scale < _USUAL or any(abs(each) > _USUAL for each in integers):
        return np.array([_double(each / scale) for each in integers])
    return np.array(integers, dtype=np.float64) / float(scale)


def _double(number: Fraction) -> float:
    """Return a double near a fraction, at most 10^300 in size."""
    return float(max(-_LARGEST, min(_LARGEST, number)))


def _square(top: Fraction, one: Fraction, other: Fraction) -> Fraction:
    """Return e^-top / ((1 - e^-one) (1 - e^-other)), rounded up."""
    return _falling(top) / ((1 - _falling(one)) * (1 - _falling(other)))


def _falling(exponent: Fraction) -> Fraction:
    """Return e^-exponent, rounded up so little that 1 minus it is right to many digits."""
    if exponent > _FAR:
        return Fraction(1, 2**_FAR)
    lost = max(0, exponent.denominator.bit_length() - exponent.numerator.bit_length() + 1)
    context = decimal.Context(
        prec=_DIGITS + lost // 3, rounding=decimal.ROUND_FLOOR, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, traps=[]
    )
    least = context.divide(decimal.Decimal(exponent.numerator), decimal.Decimal(exponent.denominator))
    # ``decimal`` rounds exp to the nearest, whatever the context says: the next number is above.
    return Fraction(context.next_plus(context.exp(least.copy_negate())))

"""Arrays of intervals whose ends are rounded outwards, and isotone as they are computed.

An operation encloses every result for numbers in its intervals. If each interval of one call lies within that of
another, so does the result: ends are the rounded images of monotone functions, and rounding is monotone. That is true
of the doubles that the machine returns and needs no allowance for errors. Where two enclosures of one set are apart,
the set is empty, and its interval is *crossed*: ``lo`` is above ``hi``.

Proof: ``derived_sensitivity.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_INF = float("inf")
# Integers up to here are doubles.
EXACT = 2**53
# The largest power of two that is a double.
_LARGEST = 2**1023
# Of fewer doubles the next ones below are found one by one, of more by their bits.
_FEW = 1000


@dataclass(frozen=True, eq=False)
class Interval:
    """Intervals of real numbers, shape of ``lo`` and ``hi`` broadcast; an end may be infinite."""

    lo: Floats
    hi: Floats

    @classmethod
    def of(cls, lo: float | Floats, hi: float | Floats) -> Interval:
        """Return intervals between two arrays of doubles."""
        return cls(np.asarray(lo, dtype=np.float64), np.asarray(hi, dtype=np.float64))

    @classmethod
    def around(cls, number: Fraction) -> Interval:
        """Return the least interval of doubles around an exact number."""
        near = _nearest(number)
        exact = Fraction(near) if abs(near) < _INF else Fraction(2**1024 if near > 0 else -(2**1024))
        point = np.asarray(near, dtype=np.float64)
        # No infinity is a lower end above, nor an upper one below, all doubles.
        lo = point if exact <= number and near < _INF else down(point)
        return cls(lo, point if exact >= number and near > -_INF else up(point))

    @cached_property
    def is_zero(self) -> bool:
        """Return whether all of them are the point 0."""
        return not self.lo.any() and not self.hi.any()

    @property
    def is_empty(self) -> Mask:
        """Return which are empty."""
        return np.asarray(self.lo > self.hi)

    def __add__(self, other: Interval) -> Interval:
        if self.is_zero:
            return other
        return self if other.is_zero else Interval(sum_down(self.lo, other.lo), -sum_down(-self.hi, -other.hi))

    def __neg__(self) -> Interval:
        return Interval(-self.hi, -self.lo)

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __mul__(self, other: Interval) -> Interval:
        if self.is_zero or other.is_zero:
            return ZERO
        corners = [_product(a, b) for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        least, most = np.minimum(corners[0], corners[1]), np.maximum(corners[0], corners[1])
        for corner in corners[2:]:
            least, most = np.minimum(least, corner), np.maximum(most, corner)
        up_a, up_b, down_a, down_b = self.lo >= 0, other.lo >= 0, self.hi <= 0, other.hi <= 0
        # A result that cannot be below zero is not rounded there.
        lo, hi = down(least), up(most)
        lo = np.where((up_a & up_b) | (down_a & down_b), np.maximum(lo, 0.0), lo)
        hi = np.where((up_a & down_b) | (down_a & up_b), np.minimum(hi, 0.0), hi)
        zero = ((self.lo == 0) & (self.hi == 0)) | ((other.lo == 0) & (other.hi == 0))
        return Interval(np.where(zero, 0.0, lo), np.where(zero, 0.0, hi))

    def over(self, other: Interval) -> Interval:
        """Return the quotients by numbers above 0; everything where they may be 0 or less."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
            lo = self.lo / np.where(self.lo >= 0, other.hi, other.lo)
            hi = self.hi / np.where(self.hi >= 0, other.lo, other.hi)
        lo = np.where(self.lo >= 0, np.maximum(down(lo), 0.0), down(lo))
        hi = np.where(self.hi <= 0, np.minimum(up(hi), 0.0), up(hi))
        above = other.lo > 0
        return Interval(np.where(above, lo, -_INF), np.where(above, hi, _INF))

    def times(self, factor: Fraction) -> Interval:
        """Return the products by an exact number."""
        if abs(factor) == 1:
            return self if factor > 0 else -self
        return self * Interval.around(factor)

    def cut(self, other: Interval) -> Interval:
        """Return what lies in both; crossed where nothing does."""
        return Interval(np.maximum(self.lo, other.lo), np.minimum(self.hi, other.hi))

    def hull(self, other: Interval) -> Interval:
        """Return the least interval around both."""
        return Interval(np.minimum(self.lo, other.lo), np.maximum(self.hi, other.hi))

    def where(self, mask: Mask, other: Interval) -> Interval:
        """Return these intervals where the mask is true, and the others elsewhere."""
        return Interval(np.where(mask, self.lo, other.lo), np.where(mask, self.hi, other.hi))

    def magnitude(self) -> Floats:
        """Return the largest size of a number in each; infinite where an end is not a number."""
        size = np.maximum(np.abs(self.lo), np.abs(self.hi))
        return np.asarray(np.where(np.isnan(size), _INF, size))


def down(x: Floats) -> Floats:
    """Return the next double below each; ``-inf`` stays."""
    if x.size < _FEW:
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(np.nextafter(x, -_INF))
    x = np.where(x == 0, -0.0, x)
    bits = x.view(np.int64)
    below = (bits - ((bits >> 63) | 1)).view(np.float64)
    return np.asarray(np.where(x == -_INF, x, below))


def up(x: Floats) -> Floats:
    """Return the next double above each; ``inf`` stays."""
    return -down(-x)


def sum_down(a: Floats, b: Floats) -> Floats:
    """Return the largest double that is not above the exact sum (Knuth's error of a rounded sum decides)."""
    with np.errstate(invalid="ignore", over="ignore"):
        total = a + b
        part = total - a
        error = (a - (total - part)) + (b - part)
    return np.asarray(np.where(error >= 0, total, down(total)))


def of_integers(low: NDArray[Any], high: NDArray[Any]) -> Interval:
    """Return intervals around those between exact integers, int64 or objects of Python."""
    return Interval(_integer_down(low), -_integer_down(-high))


def _integer_down(x: NDArray[Any]) -> Floats:
    """Return a double not above each integer, itself up to 2^53; larger integers have no smaller one."""
    x = np.asarray(x)
    if x.dtype == object:
        clipped = [min(max(int(each), -_LARGEST), _LARGEST) for each in x.ravel()]
        beyond = np.array([int(each) < -_LARGEST for each in x.ravel()], dtype=bool).reshape(x.shape)
        near = np.array([float(each) for each in clipped]).reshape(x.shape)
        near = np.where(beyond, -_INF, near)
        small = np.array([abs(each) <= EXACT for each in clipped], dtype=bool).reshape(x.shape)
    else:
        near, small = x.astype(np.float64), np.asarray((x <= EXACT) & (x >= -EXACT))
    if small.all():
        return near
    return np.where(small, near, np.where(near > 0, np.maximum(down(near), EXACT), down(near)))


def _product(a: Floats, b: Floats) -> Floats:
    """Return rounded products; 0 times anything is 0."""
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        product = a * b
    return np.where(np.isnan(product), 0.0, product)


def _nearest(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return _INF if number > 0 else -_INF


ZERO = Interval.of(0.0, 0.0)
EVERYTHING = Interval.of(-_INF, _INF)

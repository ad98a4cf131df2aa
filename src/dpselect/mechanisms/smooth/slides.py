"""The distance by which heavy-tailed noise may be slid: certified, in the units of the noise as it is drawn.

Sliding by t changes no tail by more than e^Lambda(t), Lambda(t) = sup over y >= 0 of ln Pr[Z > y] - ln Pr[Z > y + t].
Floats say where to look, decimals prove what was found. Proof: ``slides.md``.
"""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np

from dpselect.mechanisms.smooth.heavy_tail import CONTEXT, MARGIN, HeavyTail

# Beyond this epsilon the shift of this one is used, which is safe: it is e^200 already for Student t.
LARGEST = 600
# Below this a shift is epsilon over the steepest slope: what that loses is below 2^-40 of it.
_STRAIGHT = Fraction(1, 2**20)
# Bits of a shift. The first try is this far below what floats found, and each next try twice as far.
_BITS, _BELOW = 64, 2.0**-44
# No top of a hazard lies beyond this.
_TOP = Decimal("1.5")


@lru_cache(maxsize=4096)
def shift(tail: HeavyTail, epsilon: Fraction) -> Fraction:
    """Return a shift that costs at most epsilon > 0, rounded down: all but 10^-9 of the largest one.

    >>> float(shift(HeavyTail(0), Fraction(1))), float(shift(HeavyTail(2), Fraction(1, 10**400)) * 10**400)
    (0.551145..., 1.380050...)
    """
    if epsilon < _STRAIGHT:
        return floor_number(epsilon / tail.steepest)
    epsilon = min(epsilon, Fraction(LARGEST))
    near, below = _guess(tail, float(epsilon)), _BELOW
    # The slope of Lambda is what is used for the next guess, so a cost above epsilon is only ever rounding.
    while True:
        t = floor_number(Fraction(near * (1 - below)))
        if slide(tail, t) <= epsilon:
            return t
        below *= 2


def slide(tail: HeavyTail, t: Fraction) -> Fraction:
    """Return Lambda(t) for t > 0, rounded up.

    >>> float(slide(HeavyTail(0), Fraction(1)))
    1.76365...
    """
    with decimal.localcontext(CONTEXT):
        step = Decimal(t.numerator) / Decimal(t.denominator) * (1 + MARGIN)
        y = _furthest(tail, step)
        price = (tail.exact_tail(y) / tail.exact_tail(y + step)).ln()
        slope = tail.exact_hazard(y + step) - tail.exact_hazard(y)
        # The cost is concave between top - t and top, where it is largest; so its tangent at y is above it there.
        price += slope * _TOP if slope > 0 else -slope * y
        return min(Fraction(price + MARGIN), t * tail.steepest)


def most(tail: HeavyTail, t: float) -> float:
    """Return the y from which sliding by t costs most, about."""
    from scipy.optimize import brentq

    def slope(y: float) -> float:
        return tail.hazard_at(y + t) - tail.hazard_at(y)

    top = float(tail.top[0])
    low, high = max(0.0, top - t), top
    # Floats cannot tell where the shift is tiny, nor need they.
    if slope(low) <= 0 or t < 2.0**-40:
        return low
    return float(brentq(slope, low, high, xtol=1e-13)) if slope(high) < 0 else high


def cost(tail: HeavyTail, t: float) -> float:
    """Return Lambda(t), about."""
    if t < float(_STRAIGHT):
        return t * float(tail.steepest)
    y = most(tail, t)
    return float(np.subtract(*tail.loss(np.array([y + t, y]))))


def floor_number(number: Fraction) -> Fraction:
    """Return a positive number rounded down to 64 bits."""
    bits = _BITS - (number.numerator // number.denominator).bit_length() if number >= 1 else _BITS
    bits += (number.denominator // number.numerator).bit_length() if number < 1 else 0
    scale = Fraction(2) ** bits
    return (number * scale).__floor__() / scale


def _furthest(tail: HeavyTail, step: Decimal) -> Decimal:
    """Return nearly the most expensive start of a slide, for which it is proved that y <= top <= y + step."""
    low, high = tail.top
    y = Decimal(most(tail, float(step)))
    return max(min(y, low), high - step, Decimal(0))


def _guess(tail: HeavyTail, epsilon: float) -> float:
    """Return the shift for epsilon in floats, by Newton's method: the slope of Lambda is the hazard at its far end."""
    t = epsilon / float(tail.steepest)
    for _ in range(60):
        slope = tail.hazard_at(most(tail, t) + t)
        # In ln t the cost is convex, so from below the first step goes beyond and all others come back.
        step = (epsilon - cost(tail, t)) / (slope * t)
        t *= float(np.exp(np.clip(step, -1.0, 50.0)))
        # The next step would be its square.
        if abs(step) < 2.0**-24:
            break
    return t

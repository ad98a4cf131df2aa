"""The height of a threshold that hides the names below it: an integer, rounded upwards in exact arithmetic.

References: Durfee and Rogers 2019, whose threshold this is, with another noise and another proof.
"""

from __future__ import annotations

from fractions import Fraction

from dpselect.kernel.bernoulli_exp import exponential_between
from dpselect.kernel.errors import InputError

_DIGITS = 60
# Far beyond any use, and far below where ticks end.
_HIGHEST = 2**60


def domain_threshold(kept: int, epsilon: Fraction, delta: Fraction, rate: Fraction) -> int:
    """Return the least integer h >= epsilon / rate, or hardly more, with kept (1 + e^epsilon) e^(-rate h) / 2 <= delta.

    Args:
        kept: how many names are candidates at most.
        epsilon, delta: of the whole list; positive.
        rate: of the noise, per tick.

    Raises:
        ValueError: there is none below 2^60.

    >>> domain_threshold(100, Fraction(1), Fraction(1, 10**6), Fraction(1, 5))
    96
    """

    def hides(height: int) -> bool:
        exponent = height * rate
        _, far = exponential_between(exponent, _DIGITS)
        # e^(epsilon - exponent), enclosed as a whole: e^epsilon alone may be large.
        _, near = exponential_between(exponent - epsilon, _DIGITS) if exponent > epsilon else (Fraction(1), Fraction(1))
        return kept * (far + near) <= 2 * delta

    low = -(-epsilon // rate)
    high = max(low, 1)
    while not hides(high):
        if high > _HIGHEST:
            raise InputError("epsilon is too small for a list without a public one: pass a larger one, or a smaller k.")
        low, high = high + 1, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if hides(middle) else (middle + 1, high)
    return high

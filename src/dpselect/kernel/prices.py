"""The price of a promise in rho, the largest that its kind can have: rounded up. The proofs are in prices.md.

A selection at a pure promise reaches nothing in this file.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache

from dpselect.kernel.rho_conversion import decimal_context, divide

# Digits of a price, and of the arithmetic behind it.
_SHOWN, _INSIDE = 10, 60
_UP, _DOWN = decimal_context(_INSIDE, ROUND_CEILING), decimal_context(_INSIDE, ROUND_FLOOR)
_ONE = Decimal(1)


@lru_cache(maxsize=4096)
def pure_price(epsilon: Fraction) -> Fraction:
    """Return the rho of any epsilon-differentially private release: epsilon tanh(epsilon / 2).

    >>> float(pure_price(Fraction(1)))
    0.4621171573
    """
    least = _exponential(_DOWN, -epsilon)
    share = _UP.divide(_UP.subtract(_ONE, least), _DOWN.add(_ONE, least))
    return min(_round_price(_UP.multiply(divide(_UP, epsilon), share)), epsilon**2 / 2)


@lru_cache(maxsize=4096)
def bounded_range_price(epsilon: Fraction) -> Fraction:
    """Return the rho of any release of bounded range: s - 1 - ln s with s = epsilon / (1 - e^-epsilon).

    >>> float(bounded_range_price(Fraction(1)))
    0.1233015615
    """
    most = _exponential(_UP, -epsilon)
    if most >= 1:
        return epsilon**2 / 8
    scaled = _UP.divide(divide(_UP, epsilon), _DOWN.subtract(_ONE, most))
    price = _UP.subtract(_UP.subtract(scaled, _ONE), _DOWN.next_minus(_DOWN.ln(scaled)))
    return min(_round_price(price), epsilon**2 / 8)


@lru_cache(maxsize=4096)
def laplace_price(epsilon: Fraction) -> Fraction:
    """Return the rho of what Laplace noise of scale 1 / epsilon dominates: epsilon + e^-epsilon - 1.

    >>> float(laplace_price(Fraction(1)))
    0.3678794412
    """
    price = _UP.subtract(_UP.add(divide(_UP, epsilon), _exponential(_UP, -epsilon)), _ONE)
    return min(_round_price(price), epsilon**2 / 2)


@lru_cache(maxsize=4096)
def geometric_price(rate: Fraction, moves: int) -> Fraction:
    """Return the rho of two-sided geometric noise on integers that move by at most ``moves``, all moves added up.

    It is rate moves - 2 rate (q + ... + q^moves) / (1 + q) with q = e^-rate: randomised response for one move, and
    Laplace noise in the limit of many small ones.

    Args:
        rate: the noise z has a probability proportional to e^(-rate |z|).
        moves: at least 1.

    >>> float(geometric_price(Fraction(1), 1)), float(geometric_price(Fraction(1, 100), 100))
    (0.4621171573, 0.3678899764)
    """
    least, most = _exponential(_DOWN, -rate), _exponential(_UP, -rate * moves)
    saved = _DOWN.divide(
        _DOWN.multiply(least, _DOWN.subtract(_ONE, min(most, _ONE))), _UP.subtract(_ONE, _DOWN.multiply(least, least))
    )
    twice = _DOWN.multiply(divide(_DOWN, 2 * rate), saved)
    price = _UP.subtract(divide(_UP, rate * moves), twice)
    return min(_round_price(price), pure_price(rate * moves))


# By the shape of a promise: what it is beyond pure.
PRICES = (pure_price, laplace_price, bounded_range_price)


def largest_epsilon(price: Callable[[Fraction], Fraction], rho: Fraction) -> Fraction:
    """Return the largest epsilon, to ten digits and rounded down, whose price is at most this rho.

    Args:
        price: one of those above; it rises with epsilon.
        rho: positive.

    >>> float(largest_epsilon(pure_price, Fraction(1, 2)))
    1.043626895
    """
    digits = decimal_context(_SHOWN, ROUND_FLOOR)
    # Every price is at most epsilon^2 / 2.
    low = Fraction(digits.multiply(digits.sqrt(divide(digits, 2 * rho)), 1 - Decimal(1).scaleb(-_SHOWN + 1)))
    high = 2 * low
    while price(high) <= rho:
        low, high = high, 2 * high
    while (middle := Fraction(divide(digits, (low + high) / 2))) > low:
        low, high = (middle, high) if price(middle) <= rho else (low, middle)
    return low


def _exponential(context: Context, power: Fraction) -> Decimal:
    """Return e^power, a power of at most 0, rounded in the direction of the context."""
    if context is _UP:
        return min(_ONE, context.next_plus(context.exp(divide(context, power))))
    return max(Decimal(0), context.next_minus(context.exp(divide(context, power))))


def _round_price(price: Decimal) -> Fraction:
    return Fraction(decimal_context(_SHOWN, ROUND_CEILING).plus(price))

"""The epsilon of a rho, and the rho of an epsilon: rounded against us. The proofs are in guarantee.md."""

from __future__ import annotations

from decimal import (
    ROUND_CEILING,
    ROUND_FLOOR,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
    localcontext,
)
from fractions import Fraction
from functools import lru_cache

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import LEAST

# Digits of an epsilon or rho that is computed, and of the arithmetic behind it.
_SHOWN, _INSIDE = 10, 60
# Named here, because a program may have set other ones for its own decimals.
_TRAPS = [DivisionByZero, InvalidOperation, Overflow]


@lru_cache(maxsize=4096)
def epsilon_of(rho: Fraction, delta: Fraction) -> Fraction:
    """Return an epsilon such that every rho-zCDP release is (epsilon, delta)-private: ten digits, rounded up.

    It is 0 where delta alone covers everything.

    With beta = alpha - 1, rho (1 + beta) + ln beta + ln(1/delta)/beta - (1 + 1/beta) ln(1 + beta) is such an epsilon
    for every beta > 0 (Canonne, Kamath and Steinke 2020). So beta need only be near the best, and then each step of
    the arithmetic is rounded against us. Decimal arithmetic gives the same digits on every machine.

    Args:
        rho: positive.
        delta: between 0 and 1, both excluded.

    >>> float(epsilon_of(Fraction(1, 2), Fraction(1, 10**6)))
    5.221534445
    """
    up, down = decimal_context(_INSIDE, ROUND_CEILING), decimal_context(_INSIDE, ROUND_FLOOR)
    one, inverse = Decimal(1), Fraction(1) / delta
    cost, log = divide(up, rho), up.next_plus(up.ln(divide(up, inverse)))
    beta = _best_beta(cost, log, divide(up, inverse - 1))
    # Decimal's ln is correctly rounded, to the nearest: the next number is on the safe side.
    log_alpha = max(Decimal(0), down.next_minus(down.ln(down.add(one, beta))))
    saved = down.multiply(log_alpha, down.add(one, down.divide(one, beta)))
    paid = up.add(up.multiply(cost, up.add(one, beta)), up.divide(log, beta))
    bound = up.subtract(up.add(paid, up.next_plus(up.ln(beta))), saved)
    return Fraction(decimal_context(_SHOWN, ROUND_CEILING).plus(max(bound, Decimal(0))))


@lru_cache(maxsize=256)
def rho_within(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the largest rho, to ten digits and rounded down, that gives at most this epsilon at delta.

    Raises:
        ValueError: none above 10^-300 does.

    >>> float(rho_within(Fraction(1), Fraction(1, 10**6)))
    0.02435597035
    """
    digits = decimal_context(_SHOWN, ROUND_FLOOR)
    low = Fraction(divide(digits, epsilon))
    while epsilon_of(low, delta) > epsilon:
        low = Fraction(divide(digits, low / 2))
        if low < LEAST:
            raise InputError("No rho gives so small an epsilon at this delta: use a larger epsilon or delta.")
    high = 2 * low
    while epsilon_of(high, delta) <= epsilon:
        low, high = high, 2 * high
    while (middle := Fraction(divide(digits, (low + high) / 2))) > low:
        low, high = (middle, high) if epsilon_of(middle, delta) <= epsilon else (low, middle)
    return low


def _best_beta(cost: Decimal, log: Decimal, most: Decimal) -> Decimal:
    """Return about the root of cost beta^2 + ln(1 + beta) = log, where the derivative of the bound is 0."""
    with localcontext(decimal_context(28, ROUND_CEILING)):
        low, high = Decimal(0), min((log / cost).sqrt(), most)
        for _ in range(30):
            middle = (low + high) / 2
            low, high = (middle, high) if cost * middle * middle + (1 + middle).ln() < log else (low, middle)
        return high


def decimal_context(digits: int, rounding: str) -> Context:
    """Return arithmetic of so many digits that rounds one way."""
    return Context(prec=digits, rounding=rounding, traps=_TRAPS)


def divide(context: Context, number: Fraction) -> Decimal:
    """Return the fraction as a decimal, rounded by the context."""
    return context.divide(Decimal(number.numerator), Decimal(number.denominator))

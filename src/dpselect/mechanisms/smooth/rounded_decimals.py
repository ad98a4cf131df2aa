"""Decimal arithmetic with a direction: constants of calibrations, on the safe side of what they should be.

``decimal`` rounds exp and ln correctly, so the next number on either side encloses them; all else it rounds in the
direction it is given. Decimal arithmetic gives the same digits on every machine.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

# Digits of a constant that is searched for.
_DIGITS = 12
_ENOUGH = 40


class RoundedDecimals:
    """Arithmetic in which every result is rounded one way, up or down.

    Args:
        rounding: ``decimal.ROUND_CEILING`` or ``decimal.ROUND_FLOOR``.
        digits: how many.
    """

    def __init__(self, rounding: str, digits: int) -> None:
        # The environment of a program may have other traps and limits: these are our own.
        self.context = decimal.Context(
            prec=digits, rounding=rounding, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, traps=[]
        )
        self._step = self.context.next_plus if rounding == decimal.ROUND_CEILING else self.context.next_minus

    def exp(self, x: Decimal) -> Decimal:
        """Return e^x, which is never negative."""
        return max(self._step(self.context.exp(x)), Decimal(0))

    def exp_of_minus(self, x: Decimal) -> Decimal:
        """Return e^-x: unary minus would round x to the precision of the caller's context."""
        return self.exp(x.copy_negate())

    def ln(self, x: Decimal) -> Decimal:
        """Return ln x for x > 0."""
        return self._step(self.context.ln(x))

    def of(self, exact: Fraction) -> Decimal:
        """Return a decimal for an exact number."""
        return self.context.divide(Decimal(exact.numerator), Decimal(exact.denominator))


def both(digits: int) -> tuple[RoundedDecimals, RoundedDecimals]:
    """Return arithmetic that rounds down and arithmetic that rounds up."""
    return RoundedDecimals(decimal.ROUND_FLOOR, digits), RoundedDecimals(decimal.ROUND_CEILING, digits)


def digits_for(beta: Decimal, times: int = 1) -> int:
    """Return digits enough to take 1 from e^beta, that many times over, and keep forty."""
    return _ENOUGH + times * max(0, -beta.adjusted())


def largest(holds: Callable[[Decimal], bool], above: Fraction) -> Fraction:
    """Return nearly the largest number of twelve digits below ``above`` for which a condition was seen to hold.

    Args:
        holds: true up to some positive number and false from there on.
        above: a number for which it is false, or one beyond which nobody asks.
    """
    shown = decimal.Context(prec=_DIGITS, rounding=decimal.ROUND_FLOOR, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)
    low = shown.divide(Decimal(above.numerator), Decimal(above.denominator))
    if holds(low):
        return Fraction(low)
    while not holds(low):
        low, high = shown.divide(low, Decimal(2)), low
    while low < (middle := shown.divide(shown.add(low, high), Decimal(2))) < high:
        low, high = (middle, high) if holds(middle) else (low, middle)
    return Fraction(low)

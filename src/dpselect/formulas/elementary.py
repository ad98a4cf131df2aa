"""Elementary functions of one formula: square, root, logarithm, x log x, size, and what bounds cut.

Proof: ``derived_sensitivity.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from dpselect.formulas import functions
from dpselect.formulas.expression import Expression, Largest, Unary, expression
from dpselect.formulas.interval import Interval
from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import exact_public


class Square(Unary):
    """The square of a part."""

    name = "square"

    def value(self, parts: Sequence[Interval]) -> Interval:
        """Return the square."""
        return functions.square(parts[0])

    def step_interval(self, before: Interval, after: Interval, step: Interval) -> Interval:
        """Return d (x + x')."""
        return step * (before + after)

    def exact(self, parts: Sequence[Decimal]) -> Decimal:
        """Return the square."""
        return parts[0] * parts[0]


class SquareRoot(Unary):
    """The square root of a part that is 0 or more."""

    name = "sqrt"

    def value(self, parts: Sequence[Interval]) -> Interval:
        """Return the root."""
        return functions.root(parts[0])

    def step_interval(self, before: Interval, after: Interval, step: Interval) -> Interval:
        """Return d / (root before + root after)."""
        return functions.root_step(before, after, step)

    def exact(self, parts: Sequence[Decimal]) -> Decimal:
        """Return the root; of what rounding has left below 0, 0."""
        return max(parts[0], Decimal(0)).sqrt()


class Logarithm(Unary):
    """The natural logarithm of a part above 0."""

    name = "log"

    def value(self, parts: Sequence[Interval]) -> Interval:
        """Return the logarithm."""
        return functions.logarithm(parts[0])

    def step_interval(self, before: Interval, after: Interval, step: Interval) -> Interval:
        """Return the logarithm of the quotient."""
        return functions.logarithm_step(before, after, step)

    def exact(self, parts: Sequence[Decimal]) -> Decimal:
        """Return the logarithm."""
        return parts[0].ln()


class XLogX(Unary):
    """x log x of a part that is 0 or more, and 0 at 0."""

    name = "xlogx"

    def value(self, parts: Sequence[Interval]) -> Interval:
        """Return x log x."""
        return functions.x_log_x(parts[0])

    def step_interval(self, before: Interval, after: Interval, step: Interval) -> Interval:
        """Return d log(x + d) + x log(1 + d / x)."""
        return functions.x_log_x_step(before, after, step)

    def exact(self, parts: Sequence[Decimal]) -> Decimal:
        """Return x log x; of what rounding has left below 0, 0."""
        return parts[0] * parts[0].ln() if parts[0] > 0 else Decimal(0)


def square(x: Expression) -> Expression:
    """Return the square."""
    return Square(x)


def sqrt(x: Expression) -> Expression:
    """Return the square root; x must be 0 or more whatever the rows are."""
    return SquareRoot(x)


def log(x: Expression) -> Expression:
    """Return the natural logarithm; x must be above 0 whatever the rows are."""
    return Logarithm(x)


def xlogx(x: Expression) -> Expression:
    """Return x log x, 0 at 0; x must be 0 or more whatever the rows are."""
    return XLogX(x)


def absolute(x: Expression) -> Expression:
    """Return the size without its sign."""
    return Largest(x, -x)


def clip(x: Expression, low: float | Fraction, high: float | Fraction) -> Expression:
    """Return a number between two constants, the nearer of them outside (``ValueError``: they are exchanged)."""
    if exact_public(low, "a bound") > exact_public(high, "a bound"):
        raise InputError("The lower bound of clip is above the upper one: exchange them.")
    return -Largest(-Largest(x, expression(low)), -expression(high))

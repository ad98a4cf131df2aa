"""The worst chance, over all databases, that a choice or a list is far off, and its inverse: in decimals, rounded up.

Everything here is a function of public facts. A bound x is lambda times the error, lambda what one unit of the score
costs in the exponent. Decimals of 80 digits lose less than 10^-30 of any chance; every chance is raised by 10^-20 of
itself, and every series is cut where that makes the chance larger. Proof: ``worst_case.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    ROUND_CEILING,
    ROUND_FLOOR,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
)
from fractions import Fraction
from functools import lru_cache

from dpselect.kernel.numbers import LEAST

# How many must be beaten by k winners, and x, to a chance.
Tail = Callable[[int, Decimal, Decimal], Decimal]

_TRAPS = [DivisionByZero, InvalidOperation, Overflow]
_EXACT = Context(prec=80, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=_TRAPS)
_DOWN = Context(prec=80, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=_TRAPS, rounding=ROUND_FLOOR)
_UP = Context(prec=80, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=_TRAPS, rounding=ROUND_CEILING)
_ONE, _MARGIN, _NEGLIGIBLE = Decimal(1), Decimal("1e-20"), Decimal("1e-30")
# No chance asked for is nearer to 0 or 1.
_NEVER = Decimal("1e-310")
# Exponents beyond this one count as this: e^-10^9 is nothing, and decimals still hold it.
_FAR = Fraction(10**9)
# Above Euler's constant; how many terms of a harmonic sum or a product are added one by one.
_EULER, _ONE_BY_ONE = Decimal("0.57721566490153286061"), 1000
# Exponents are rounded up to nine digits, from 10^-300 to 10^10.
_DIGITS, _LOWEST, _STEPS = 10**8, -308, 9 * 10**8


def decimal_below(number: Fraction) -> Decimal:
    """Return the largest decimal of 80 digits that is not above a number."""
    return _DOWN.divide(Decimal(number.numerator), Decimal(number.denominator))


def decimal_above(number: int) -> Decimal:
    """Return the least decimal of 80 digits that is not below an integer."""
    return _UP.create_decimal(number)


def gumbel(k: int, rest: Decimal, x: Decimal) -> Decimal:
    """Return the worst chance that k winners by Gumbel noise (exponential, peeled) are off by x / lambda or more.

    It is 1 - prod_i i / (i + rest e^-x), i from 1 to k, where ``rest`` others follow at that distance.
    """
    c = _EXACT
    weight = c.multiply(rest, c.exp(-x))
    if weight < _MARGIN:
        return _round_up(c.multiply(weight, _harmonic(k)))
    product = _ONE
    for i in range(1, min(k, _ONE_BY_ONE) + 1):
        product = c.multiply(product, c.add(_ONE, c.divide(weight, Decimal(i))))
    if k > _ONE_BY_ONE:
        # A convex function is at most its mean over the unit around.
        low, high = Decimal(_ONE_BY_ONE) + Decimal("0.5"), c.add(Decimal(k), Decimal("0.5"))
        product = c.multiply(product, c.exp(c.subtract(_area(high, weight), _area(low, weight))))
    return _round_up(c.divide(c.subtract(product, _ONE), product))


def exponential(k: int, rest: Decimal, x: Decimal) -> Decimal:
    """Return the worst chance that k winners by exponential noise (permute-and-flip, one-shot) are off by x / lambda.

    It is 1 - F, F = Int_0^1 k y^(k-1) (1 - e^-x y)^rest dy, where ``rest`` others follow at that distance.
    """
    c = _EXACT
    p = c.exp(-x)
    missing, weight, every = c.subtract(_ONE, p), c.multiply(rest, p), c.multiply(c.add(rest, Decimal(k)), p)
    if missing < Decimal("1e-40"):
        # As without any privacy budget: the chance is no smaller then.
        return _round_up(c.subtract(_ONE, c.divide(_ONE, ways(k, rest))))
    if weight <= Decimal("0.5"):
        return _round_up(_near(k, rest, p))
    if every > 4 * k + 200:
        right = c.multiply(c.subtract(_ONE, Decimal("1e-24")), _many(k, rest, p))
    elif k > 1100 and weight > 1500:
        return _ONE
    else:
        right = _few(k, rest, p, missing)
    return _round_up(c.subtract(_ONE, right))


def ways(k: int, rest: Decimal) -> Decimal:
    """Return how many sets of k there are among k + rest; what is far beyond 10^300 may be less."""
    c, product = _EXACT, _ONE
    for i in range(1, k + 1):
        product = c.divide(c.multiply(product, c.add(rest, Decimal(i))), Decimal(i))
        if product > 1 / _NEVER:
            break
    return product


def chance(tail: Tail, k: int, rest: Decimal, x: Fraction) -> Decimal:
    """Return the chance at an exponent, rounded up; never above 1."""
    if not rest:
        return Decimal(0)
    return tail(k, rest, decimal_below(min(x, _FAR)))


@lru_cache(maxsize=4096)
def least_exponent(tail: Tail, k: int, rest: Decimal, probability: Fraction) -> Fraction:
    """Return the least exponent, rounded up to nine digits, at which the chance is at most 1 - probability.

    It is 0 exactly where the wish is met by chance alone.
    """
    if not rest or probability * Fraction(ways(k, rest)) <= 1:
        return Fraction(0)
    allowed, low, high = decimal_below(1 - probability), -1, _STEPS * (10 - _LOWEST - 8)
    # The chance falls in x: low is not enough and high is.
    while high - low > 1:
        middle = (low + high) // 2
        if chance(tail, k, rest, _step(middle)) <= allowed:
            high = middle
        else:
            low = middle
    return max(_step(high), LEAST)


@lru_cache(maxsize=256)
def worst_mean(candidates: int) -> Fraction:
    """Return W((m - 1) / e), rounded up to nine digits: lambda times the worst expected error of one of m candidates.

    W is the y > 0 with y e^y = (m - 1) / e.
    """
    c, low, high = _EXACT, -1, _STEPS * (10 - _LOWEST - 8)
    if candidates == 1:
        return Fraction(0)
    goal = c.multiply(Decimal(candidates - 1), _ONE + _MARGIN)
    while high - low > 1:
        middle = (low + high) // 2
        y = decimal_below(_step(middle))
        low, high = (low, middle) if c.multiply(y, c.exp(c.add(y, _ONE))) >= goal else (middle, high)
    return _step(high)


def _step(index: int) -> Fraction:
    """Return a number of nine digits by its place among them."""
    power, digits = divmod(index, _STEPS)
    return (_DIGITS + digits) * Fraction(10) ** (power + _LOWEST)


def _round_up(value: Decimal) -> Decimal:
    return min(_ONE, _EXACT.multiply(value, _ONE + _MARGIN))


@lru_cache(maxsize=256)
def _harmonic(k: int) -> Decimal:
    """Return 1 + 1/2 + ... + 1/k, rounded up."""
    c = _EXACT
    if k > _ONE_BY_ONE:
        return c.add(c.add(c.ln(Decimal(k)), _EULER), c.divide(_ONE, Decimal(2 * k)))
    total = sum((Fraction(1, i) for i in range(1, k + 1)), Fraction(0))
    return c.add(decimal_below(total), _NEGLIGIBLE)


def _area(y: Decimal, weight: Decimal) -> Decimal:
    """Return a function whose derivative is ln(1 + weight / y)."""
    c, more = _EXACT, _EXACT.add(y, weight)
    return c.subtract(c.multiply(more, c.ln(more)), c.multiply(y, c.ln(y)))


def _near(k: int, rest: Decimal, p: Decimal) -> Decimal:
    """Return the chance where few of the others come near: an alternating series, cut after a term that is added."""
    c, power, total = _EXACT, _ONE, Decimal(0)
    j = 0
    while True:
        j += 1
        power = c.divide(c.multiply(c.multiply(power, p), c.subtract(rest, Decimal(j - 1))), Decimal(j))
        term = c.divide(c.multiply(power, Decimal(k)), Decimal(k + j))
        total = c.add(total, term) if j % 2 else c.subtract(total, term)
        if j % 2 and term <= c.multiply(total, _NEGLIGIBLE):
            return total


def _many(k: int, rest: Decimal, p: Decimal) -> Decimal:
    """Return 1 / (ways p^k), which F falls short of by a share e^-57 where many of the others come near."""
    c, product = _EXACT, _ONE
    for i in range(1, k + 1):
        product = c.divide(c.multiply(c.multiply(product, p), c.add(rest, Decimal(i))), Decimal(i))
        if product > 1 / _NEVER:
            return Decimal(0)
    return c.divide(_ONE, product)


def _few(k: int, rest: Decimal, p: Decimal, missing: Decimal) -> Decimal:
    """Return F, rounded down: (1-p)^rest times a series of positive terms."""
    c, term, total = _EXACT, _ONE, _ONE
    odds = c.divide(p, missing)
    j = 0
    while term > c.multiply(total, _NEGLIGIBLE):
        term = c.divide(c.multiply(c.multiply(term, odds), c.subtract(rest, Decimal(j))), Decimal(k + 1 + j))
        total = c.add(total, term)
        j += 1
    # ln(1 - p) >= -p - p^2 up to p = 1/2.
    log = c.ln(missing) if p > _MARGIN else -c.add(p, c.multiply(p, p))
    return c.multiply(c.exp(c.multiply(rest, log)), total)

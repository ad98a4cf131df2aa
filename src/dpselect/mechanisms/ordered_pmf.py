"""The exact law of lists drawn in one pass, over the rationals.

Exponential noise is -ln U, so the key of candidate r is U / w_r, uniform on (0, 1 / w_r) for the weight
w = e^(rate (tick - best)), and the smallest keys win: chances are integrals of polynomials in pieces.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

# Coefficients, the constant first.
_Polynomial = list[Fraction]
# Weights are known to so many digits; whoever is further behind than this many units of noise counts as so far.
_DIGITS, _FARTHEST = 30, 10_000


def list_log_pmf(ticks: NDArray[np.int64], rate: Fraction, winners: Sequence[int]) -> float:
    """Return the natural logarithm of the probability of this ordered list of winners."""
    weight = weights(ticks, rate)
    losers = sorted(set(range(ticks.size)) - set(winners))
    return _logarithm(list_chance(tuple(weight[r] for r in winners), tuple(sorted(weight[r] for r in losers))))


def gaps_log_density(ticks: NDArray[np.int64], rate: Fraction, winners: Sequence[int], gaps: Sequence[int]) -> float:
    """Return the logarithm of the density of this list with these gaps below its winners, in ticks.

    The gaps that are released are the floors of such gaps.
    """
    weight, k = weights(ticks, rate), len(winners)
    heights = [sum(gaps[i:]) for i in range(k)]
    lowered = [weight[r] * _weight(rate * height) for r, height in zip(winners, heights, strict=True)]
    losers = [weight[r] for r in sorted(set(range(ticks.size)) - set(winners))]
    # The best loser has the key x, and so the winners theirs: each contributes a factor w x. Minus the slope of the
    # product of 1 - w x is the density of x.
    product = _others(losers)
    slope = [Fraction(0)] * k + [-i * each for i, each in enumerate(product) if i]
    total = _integral(slope, Fraction(0), min(1 / each for each in [*losers, *lowered]))
    return _logarithm(total * math.prod(lowered))


def weights(ticks: NDArray[np.int64], rate: Fraction) -> list[Fraction]:
    """Return e^(-rate gap) for every candidate, right to thirty digits."""
    top = int(ticks.max())
    return [_weight(rate * (top - tick)) for tick in ticks.tolist()]


@cache
def list_chance(winners: tuple[Fraction, ...], losers: tuple[Fraction, ...]) -> Fraction:
    """Return the probability of this ordered list of winners, given all positive weights: exact."""
    ends = sorted({1 / each for each in (*winners, *losers)})
    # Pieces of the chance that the keys of the earlier winners rise up to x; beyond the last end it is constant.
    edges, pieces = [Fraction(0), *ends], [[Fraction(1)] for _ in ends]
    for winner in winners[:-1]:
        risen, grown = Fraction(0), []
        for (low, high), piece in zip(pairwise(edges), pieces, strict=True):
            open_ = high <= 1 / winner
            anti = [Fraction(0), *(winner * each / (i + 1) for i, each in enumerate(piece))] if open_ else [Fraction(0)]
            anti[0] = risen - _at(anti, low)
            grown.append(anti)
            risen = _at(anti, high)
        pieces = grown
    stop = min(1 / each for each in (winners[-1], *losers))
    product = _others(losers)
    return winners[-1] * sum(
        (
            _integral(_times(piece, product), low, high)
            for (low, high), piece in zip(pairwise(edges), pieces, strict=True)
            if high <= stop
        ),
        Fraction(0),
    )


def _others(losers: Sequence[Fraction]) -> _Polynomial:
    """Return the product of 1 - w x: the chance that the keys of all losers exceed x."""
    product = [Fraction(1)]
    for weight in losers:
        product = _times(product, [Fraction(1), -weight])
    return product


def _times(one: _Polynomial, other: _Polynomial) -> _Polynomial:
    product = [Fraction(0)] * (len(one) + len(other) - 1)
    for i, left in enumerate(one):
        for j, right in enumerate(other):
            product[i + j] += left * right
    return product


def _at(polynomial: _Polynomial, x: Fraction) -> Fraction:
    value = Fraction(0)
    for each in reversed(polynomial):
        value = value * x + each
    return value


def _integral(polynomial: _Polynomial, low: Fraction, high: Fraction) -> Fraction:
    anti = [Fraction(0), *(each / (i + 1) for i, each in enumerate(polynomial))]
    return _at(anti, high) - _at(anti, low)


def _weight(exponent: Fraction) -> Fraction:
    context = decimal.Context(prec=_DIGITS, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, traps=[])
    near = min(exponent, Fraction(_FARTHEST))
    quotient = context.divide(decimal.Decimal(near.numerator), decimal.Decimal(near.denominator))
    return Fraction(context.exp(quotient.copy_negate()))


def _logarithm(chance: Fraction) -> float:
    return math.log(chance.numerator) - math.log(chance.denominator) if chance else -math.inf

"""Public weights that fall by no more than e^-beta from one distance to the next, and the largest weighted value.

The beta-smooth upper bound of a sensitivity is the largest of w(t) delta(t) over distances t. With rational weights it
is a rational: no exponential is computed, and nothing is rounded. Proof: ``smooth_weights.md``.

References: Nissim, Raskhodnikova and Smith 2007, Definition 2.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_BITS, _BLOCK = 160, 1024
_ONE = 1 << _BITS
# Weights never fall below 2^-80, so that no bound vanishes: a public constant may stand in for any weight.
_FLOOR = 1 << (2 * _BITS - 80)
# Distances that are looked at first; each further stretch is twice as long, up to a block.
_FIRST = 64


def decay(beta: Fraction) -> Fraction:
    """Return a rational q with e^-beta <= q <= 1, above e^-beta by less than 10^-30 of it for beta up to 1.

    >>> float(decay(Fraction(1, 2)))
    0.6065306597126334
    """
    # e^beta is at least any partial sum of its series, and so is each step rounded down.
    exponent, total, term = int(beta * _ONE), _ONE, _ONE
    for k in range(1, 31):
        term = term * exponent // (k * _ONE)
        total += term
    return Fraction(-(-(_ONE**2) // total), _ONE)


class SmoothWeights:
    """w(t) = max(coarse(t div 1024) fine(t mod 1024), 2^-80), whole numbers over 2^320; w(0) = 1."""

    def __init__(self, beta: Fraction) -> None:
        self._step = int(decay(beta) * _ONE)
        self._fine = [_ONE]
        for _ in range(_BLOCK - 1):
            self._fine.append(_up(self._step * self._fine[-1]))
        self._near = np.array([whole / _ONE for whole in self._fine])
        self._coarse = [_ONE]

    def at(self, t: int) -> Fraction:
        """Return w(t)."""
        return Fraction(max(self._block(t // _BLOCK) * self._fine[t % _BLOCK], _FLOOR), _ONE**2)

    def most_from(self, t: int) -> Fraction:
        """Return the largest weight of any distance from t on."""
        return max(self.at(t), self.at((t // _BLOCK + 1) * _BLOCK))

    def near(self, t: int, count: int) -> Floats:
        """Return floats for count weights from t on, all in one block: relative error below 2^-51."""
        near = self._near[t % _BLOCK : t % _BLOCK + count] * (self._block(t // _BLOCK) / _ONE)
        return np.asarray(np.maximum(near, _FLOOR / _ONE**2))

    def _block(self, index: int) -> int:
        """Return the weight that a block begins with; from where it no longer falls it stays."""
        coarse = self._coarse
        while len(coarse) <= index:
            # By its place, as another thread may be here too: what is added twice is then the same.
            place = len(coarse)
            after = _up(_up(self._step * self._fine[-1]) * coarse[place - 1])
            if after == coarse[place - 1]:
                return after
            coarse[place : place + 1] = [after]
        return coarse[index]


def largest(values: Callable[[NDArray[np.int64]], Floats], ceiling: float, horizon: int, beta: Fraction) -> Fraction:
    """Return the largest of w(t) values(t) over distances below the horizon and of w(horizon) ceiling: exact.

    Args:
        values: distances (k,) to numbers from 0 to the ceiling, (k,).
        ceiling: positive and finite.
        horizon: the distance from which every value is the ceiling.
        beta: positive.
    """
    weights, top = _weights(beta), Fraction(ceiling)
    best = weights.at(horizon) * top
    # Values are compared as shares of a power of two near the ceiling, which floats can multiply without overflow.
    power = math.frexp(ceiling)[1]
    for start, count in _stretches(horizon):
        if best >= weights.most_from(start) * top:
            break
        distances = np.arange(start, start + count, dtype=np.int64)
        found = np.asarray(values(distances), dtype=np.float64)
        with np.errstate(under="ignore"):
            shares = weights.near(start, count) * np.ldexp(found, -power)
        bar = max(float(shares.max()), float(best / Fraction(2) ** power)) * (1 - 2.0**-48)
        # Floats only leave out who is certainly not the largest. Of equal values the first has the largest weight.
        may = np.flatnonzero(shares >= bar)
        for i in may[np.unique(found[may], return_index=True)[1]].tolist():
            best = max(best, weights.at(start + i) * Fraction(float(found[i])))
    return best


def _stretches(horizon: int) -> Iterator[tuple[int, int]]:
    """Return first distance and length of stretches that cover what lies below the horizon, each within a block."""
    start, count = 0, _FIRST
    while start < horizon:
        length = min(count, horizon - start, _BLOCK - start % _BLOCK)
        yield start, length
        start, count = start + length, min(2 * count, _BLOCK)


def _up(product: int) -> int:
    """Return a product of two weights as a weight, rounded up."""
    return -(-product >> _BITS)


@lru_cache(maxsize=64)
def _weights(beta: Fraction) -> SmoothWeights:
    return SmoothWeights(beta)

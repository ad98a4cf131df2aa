"""Noise for a budget: a rho by the discrete Gaussian, a pure epsilon by the two-sided geometric law."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bound import Bound, SquaredBound, require_rate, require_variance
from dpselect.kernel.errors import InputError
from dpselect.views.gradient_sums import CLASSES, Loss

Integers = NDArray[np.int64]
# Deviations this small are those of no noise.
_LEAST = 1e-9


@dataclass(frozen=True)
class Moves:
    """A bound on how far one record moves a list of integers. It is made where it is proved.

    Attributes:
        total: all moves added up; ``None`` where that is not bounded, so that pure noise cannot be scaled to it.
        squared: the square of the l2 distance.
    """

    total: Bound | None
    squared: SquaredBound


ONE_CELL = Moves(Bound(1), SquaredBound(1))


def one_cell_of_each(columns: int) -> Moves:
    """Return how far one record moves histograms of so many columns, laid end to end: one cell of each, by 1."""
    return Moves(Bound(1).times(columns), SquaredBound(columns))


def of_gradients(loss: Loss) -> Moves:
    """Return how far one record moves the sums of gradients over a tile."""
    bounded = loss.kind != CLASSES or loss.norm == 1
    return Moves(loss.gradient_bound if bounded else None, SquaredBound(loss.gradient_squared))


def of_hessians(loss: Loss) -> Moves:
    """Return how far one record moves the sums of Hessians over a tile."""
    return Moves(loss.hessian_bound, SquaredBound(loss.hessian_squared))


class SumNoise(Protocol):
    """The noise that a price buys."""

    def noisy(self, draws: Any, values: Integers, price: Fraction, moves: Moves) -> Integers:
        """Return integers plus noise, of their shape, for this price."""
        ...

    def deviation(self, price: Fraction, moves: Moves) -> float:
        """Return the standard deviation of that noise."""
        ...

    def require(self, price: Fraction, moves: Moves) -> None:
        """Refuse a price too small for noise that fits an integer (``ValueError``)."""
        ...


@dataclass(frozen=True)
class Gaussian:
    """Exact discrete Gaussian noise; prices are rhos."""

    def noisy(self, draws: Any, values: Integers, price: Fraction, moves: Moves) -> Integers:
        """Return integers plus noise of variance squared / (2 rho)."""
        return np.asarray(draws.gaussian(values, price, moves.squared))

    def deviation(self, price: Fraction, moves: Moves) -> float:
        """Return the root of the variance; the discrete Gaussian has no more than that."""
        return math.sqrt(max(float(moves.squared.variance(price)), _LEAST))

    def require(self, price: Fraction, moves: Moves) -> None:
        """Refuse a variance that would not fit an integer."""
        require_variance(moves.squared.variance(price))


@dataclass(frozen=True)
class Geometric:
    """Exact two-sided geometric noise; prices are epsilons."""

    def noisy(self, draws: Any, values: Integers, price: Fraction, moves: Moves) -> Integers:
        """Return integers plus noise of rate epsilon / total."""
        return np.asarray(draws.counts(values, price, self._total(moves)))

    def deviation(self, price: Fraction, moves: Moves) -> float:
        """Return the root of 2 q / (1 - q)^2, q = exp(-rate)."""
        rate = float(price / self._total(moves).total)
        return math.sqrt(max(2 * math.exp(-rate), _LEAST)) / -math.expm1(-rate)

    def require(self, price: Fraction, moves: Moves) -> None:
        """Refuse a rate whose noise would not fit an integer."""
        require_rate(price / self._total(moves).total)

    @staticmethod
    def _total(moves: Moves) -> Bound:
        if moves.total is None:
            raise InputError("Pure noise needs a bound of all moves together: clip the l1 norm.")
        return moves.total

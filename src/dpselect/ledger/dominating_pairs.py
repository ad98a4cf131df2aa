"""The best possible totals of a plan: dominating pairs of its parts, composed on a public grid and rounded up.

A privacy loss distribution (PLD) is the law of the loss under the first law of a dominating pair; it says as much as
the trade-off curve (f-DP) of that pair. The proofs are in dominating_pairs.md.

References: Koskela, Jaelkoe and Honkela 2020 (composed losses); Zhu, Dong and Wang 2022 (dominating pairs compose
adaptively); Doroshenko et al. 2022 (masses between grid points); Dong, Durfee and Rogers 2020 (bounded range).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from dpselect.kernel.errors import InputError
from dpselect.kernel.guarantee import PURE, Guarantee
from dpselect.kernel.numbers import exact_delta
from dpselect.kernel.prices import geometric_price
from dpselect.kernel.rho_conversion import epsilon_of
from dpselect.ledger.losses import Grid, LossPmf

# Of one geometric noise: with more, randomised response stands for it.
_MOST_MOVES = 2**16
# Variances of discrete Gaussian noise: up to one its losses are listed, and above another this much smooths it.
_MOST_LISTED, _SMOOTH = 4000, 3
_ROUNDING = 1e-12
# Steps of a grid, and releases of a plan.
_WIDEST, _MOST_RELEASES = 64, 10**5
# What is cut off of a grid is this part of delta at most.
_CUT = 10**4
# Errors of a binomial tail, relative: of itself, and for each release, from that of a chance. Below is none at all.
_TAIL, _TAIL_EACH, _LEAST_TAIL = 1e-12, 1e-15, 1e-290
# Far more than the error of an exponential or a bisection.
_UP = 1 + 1e-9


@dataclass(frozen=True)
class PlanPart:
    """One release of a plan, by what dominates it.

    Args:
        guarantee: what it promises.
        gaussian: whether a promise that states a rho is kept by Gaussian noise. Nothing better than the sum of rhos
            holds for any other one.
        squared: of discrete Gaussian noise, by how much its integers move, the squares added up: as ``SquaredBound``;
            0 for noise on real numbers.
        moves: of two-sided geometric noise of this epsilon, by how much its integers move in all; 0 for other noise.

    Raises:
        ValueError: a promise by rho that is not Gaussian noise, discrete Gaussian noise of a variance of 6 or less that
            moves by more than 1, geometric noise that is not pure, or moves that are not integers of at least 0.
    """

    guarantee: Guarantee
    gaussian: bool = False
    squared: Fraction = Fraction(0)
    moves: int = 0

    def __post_init__(self) -> None:
        if (self.guarantee.stated_rho is not None) != self.gaussian:
            raise InputError("A promise by rho has an optimum as Gaussian noise only: pass gaussian=True for that.")
        if type(self.moves) is not int or self.moves < 0:
            raise InputError("moves must be an integer of at least 0: by how much the integers move in all.")
        if self.moves and (self.gaussian or self.guarantee.delta):
            raise InputError("Geometric noise is pure: pass a guarantee of an epsilon alone.")
        if self.squared and not self.is_exact and self.variance <= 2 * _SMOOTH:
            raise InputError("Discrete Gaussian noise of so small a variance has no optimum here: add up rhos.")

    @property
    def variance(self) -> Fraction:
        """Return the variance of discrete Gaussian noise."""
        return self.squared / (2 * self.guarantee.rho)

    @property
    def is_exact(self) -> bool:
        """Return whether this is noise on one integer that moves by 1, whose losses can be listed."""
        return self.gaussian and 0 < self.squared < 2 and self.variance <= _MOST_LISTED

    @property
    def rho(self) -> Fraction:
        """Return what it costs in rho, but for a delta; of discrete Gaussian noise, that of noise that dominates it."""
        if self.gaussian and self.squared and not self.is_exact:
            return self.squared / (2 * (self.variance - _SMOOTH))
        if self.gaussian:
            return self.guarantee.rho
        if self.moves:
            return geometric_price(self.guarantee.epsilon / self.moves, self.moves)
        return self.guarantee.price(self.guarantee.epsilon)

    def losses(self, grid: Grid) -> LossPmf:
        """Return the law of its loss on a grid."""
        epsilon = self.guarantee.epsilon
        end = float(epsilon)
        if self.gaussian:
            return grid.atoms(_of_one_count(self.variance))
        if 1 < self.moves <= _MOST_MOVES:
            rate, place = end / self.moves, np.arange(self.moves + 1)
            inner = np.where((place == 0) | (place == self.moves), 1.0, -math.expm1(-rate))
            chances = inner * np.exp(-rate * place) / (1 + math.exp(-rate))
            steps = (epsilon - 2 * step * epsilon / self.moves for step in range(self.moves + 1))
            return grid.atoms(zip(steps, chances.tolist(), strict=True))
        if self.guarantee.delta or self.moves or self.guarantee.shape == PURE:
            left = float(1 - self.guarantee.delta)
            truth, lie = left / (1 + math.exp(-end)), left * math.exp(-end) / (1 + math.exp(-end))
            return grid.atoms([(epsilon, truth), (-epsilon, lie)], float(self.guarantee.delta))
        if self.guarantee.bounded_range:
            return grid.sloped_losses(epsilon, -1 / (2 * math.expm1(-end)))
        return grid.sloped_losses(epsilon, 0.25, [(epsilon, 0.5), (-epsilon, math.exp(-end) / 2)])


def optimum(parts: Iterable[PlanPart] | Mapping[PlanPart, int], delta: Any, *, adaptive: bool = True) -> float:
    """Return the least epsilon of all parts together at delta: rounded up, and at most a thousandth too large.

    It holds where the parts and their amounts are fixed in advance. Above half a million, and of more than a hundred
    thousand releases, it is the smaller sum. With ``adaptive=False`` it may be larger where an epsilon is below a
    billionth.

    Args:
        parts: of the plan, one for each release, or how many there are of each.
        delta: of the whole, between 0 and 1.
        adaptive: whether a question may depend on earlier answers. Where none does, a plan of nothing but releases of
            bounded range at one epsilon costs less.

    Raises:
        ValueError: no such delta, parts for several relations, or a number of parts that is not an integer of at least
            1.

    >>> choice = PlanPart(Guarantee(Fraction(1, 10), "add-remove", bounded_range=True))
    >>> print(f"{optimum(100 * [choice], 1e-6):.3f} {optimum(100 * [choice], 1e-6, adaptive=False):.3f}")
    2.419 2.246
    """
    exact, counts = exact_delta(delta), Counter(parts)
    if not exact:
        raise InputError("delta must lie between 0 and 1, for example 1e-6.")
    if not counts:
        return 0.0
    if not all(type(many) is int and many > 0 for many in counts.values()):
        raise InputError("Say how many parts there are of each kind by an integer of at least 1.")
    require_one_relation(part.guarantee.neighbours for part in counts)
    most = _sums(counts, exact)
    if counts.total() > _MOST_RELEASES:
        return most
    if not adaptive and len(counts) == 1:
        choice, many = next(iter(counts.items()))
        if choice.guarantee.bounded_range and not choice.guarantee.delta:
            return min(most, fixed_questions(choice.guarantee.epsilon, many, float(exact)) * _UP)
    largest = sum(many * part.guarantee.epsilon for part, many in counts.items())
    rho = sum((many * part.rho for part, many in counts.items()), Fraction(0))
    reach = float(epsilon_of(rho, exact / _CUT)) + 1
    noisy = [part for part in counts if part.gaussian and not part.is_exact]
    bounded = not any(part.gaussian for part in counts)
    grid = Grid.up_to(min(reach, float(largest)) if bounded else reach, counts.total())
    # So large a loss tells everything anyway, and a cell has no mass that a float can hold.
    if grid.step > _WIDEST:
        return most
    # Gaussian noises add up to one.
    gaussian = sum((counts[part] * part.rho for part in noisy), Fraction(0))
    laws = [grid.normal(float(gaussian))] if noisy else []
    laws += [grid.power(part.losses(grid), many) for part, many in counts.items() if part not in noisy]
    return min(most, grid.epsilon(reduce(grid.compose, laws), float(exact)) * _UP)


def require_one_relation(relations: Iterable[str]) -> None:
    """Refuse promises for several neighbour relations, of which no sum is about any (``ValueError``)."""
    names = sorted({str(each) for each in relations})
    if len(names) > 1:
        raise InputError(f"These releases protect {' and '.join(names)} neighbours: add up each relation apart.")


def _of_one_count(variance: Fraction) -> list[tuple[Fraction, float]]:
    """Return losses and chances of discrete Gaussian noise on an integer that moves by 1; the least are raised."""
    most = 40 * (math.isqrt(math.ceil(variance)) + 1)
    place = np.arange(-most, most + 1)
    weights = np.exp(-(place**2) / (2 * float(variance)))
    chances = weights / weights.sum() * (1 + _ROUNDING)
    return [((1 - 2 * step) / (2 * variance), chance) for step, chance in zip(place.tolist(), chances, strict=True)]


def _sums(counts: Counter[PlanPart], delta: Fraction) -> float:
    """Return the smaller one of the sum of epsilons and of what the sum of rhos gives."""
    deltas = sum((many * part.guarantee.delta for part, many in counts.items()), Fraction(0))
    epsilons = sum((many * part.guarantee.epsilon for part, many in counts.items()), Fraction(0))
    found = float(epsilons) if deltas <= delta else math.inf
    if all(part.gaussian or not part.guarantee.delta for part in counts):
        rho = sum((many * part.rho for part, many in counts.items()), Fraction(0))
        found = min(found, float(epsilon_of(rho, delta)) * _UP)
    return found


def fixed_questions(epsilon: Fraction, count: int, delta: float) -> float:
    """Return the least epsilon at delta of so many releases of bounded range whose questions are fixed in advance."""
    from scipy.special import betainc

    end, low_answers = float(epsilon), np.arange(count)
    error = _TAIL + count * _TAIL_EACH

    def spent(total: float) -> float:
        top = np.clip((total + (low_answers + 1) * end) / (count + 1), 0.0, end)
        # Of a high answer, whose chance may be far too small to be what a low one leaves of 1.
        here = -np.expm1(top - end) / -np.expm1(-end)
        first = betainc(count - low_answers, low_answers + 1, here)
        second = betainc(count - low_answers, low_answers + 1, np.exp(-top) * here)
        second = np.exp(total) * np.where(second < _LEAST_TAIL, 0.0, second)
        return float((first * (1 + error) - second * (1 - error)).max())

    low, high = 0.0, min(count * end, 700.0)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if spent(middle) <= delta * (1 - 1e-9) else (middle, high)
    return high if high < 700.0 else math.inf

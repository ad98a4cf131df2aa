"""The speed at which the scale of heavy-tailed noise may move: slide and dilation are paid for together.

A candidate g behind pays for dilation where g is large and for a slide where g is small; nobody pays for both in full.
With t = b/c, how far scores slide in units of the noise, epsilon pays for everything when

    the scale shrinks:  dilation(g) + slide(g) <= epsilon for every gap g,
    the scale grows:    Lambda(t e^-beta) + beta K <= epsilon, K from ``dilation``.

All gaps are covered by cells: the first part grows with g, the second falls. Proof: ``joint_calibration.md``.
"""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpselect.mechanisms.smooth.dilation import downwards
from dpselect.mechanisms.smooth.heavy_tail import CONTEXT, MARGIN, HeavyTail
from dpselect.mechanisms.smooth.slides import LARGEST, cost, floor_number, shift, slide

Floats = NDArray[np.float64]

# Cells of gaps: even up to the top of the hazard, then geometric to this many times the slide and more.
_EVEN, _CELLS, _FAR = 128, 1536, 1e5
# Below this epsilon costs are taken in proportion, which no rounding can spoil.
_STRAIGHT = 2.0**-10
# Below this, which floats could not hold, beta and t are in proportion to epsilon.
_TINY = Fraction(1, 2**64)
# What is reserved for rounding: of a difference of two losses, for each unit of them, and of anything else.
_ROUNDING, _SAFE = 2.0**-38, 1e-9


@lru_cache(maxsize=1024)
def calibrate_jointly(
    tail: HeavyTail, candidates: int, epsilon: Fraction, share: Fraction
) -> tuple[Fraction, Fraction]:
    """Return beta and t, both rounded down: the scale may move by e^beta, and c = b/t.

    Args:
        tail: the noise.
        candidates: how many, two or more.
        epsilon: what a release may cost, above 0.
        share: the part of epsilon that a slide costs, between 0 and 1: Lambda(t) = share epsilon.

    >>> beta, t = calibrate_jointly(HeavyTail(0), 10, Fraction(1), Fraction(1, 2))
    >>> float(beta), float(t)
    (0.279..., 0.272...)
    """
    if epsilon < _TINY:
        part = epsilon / _TINY * (1 - Fraction(1, 2**50))
        beta, t = calibrate_jointly(tail, candidates, _TINY, share)
        return floor_number(beta * part), floor_number(t * part)
    epsilon = min(epsilon, Fraction(LARGEST))
    t = shift(tail, share * epsilon)
    gaps = _Gaps(tail, t, share * epsilon, float(epsilon))
    beta = gaps.largest_beta()
    if not down(tail, candidates, epsilon, beta, t):
        beta = _largest_down(tail, candidates, epsilon, beta, t)
    return floor_number(beta), t


def is_certain(tail: HeavyTail, candidates: int, epsilon: Fraction, beta: Fraction, t: Fraction) -> bool:
    """Return whether it is certain that a scale moving by e^beta and a slide of t cost at most epsilon together."""
    price = slide(tail, t)
    within = price <= epsilon and down(tail, candidates, epsilon, beta, t)
    return within and _Gaps(tail, t, price, float(epsilon)).holds(float(beta) * (1 + _SAFE))


def down(tail: HeavyTail, candidates: int, epsilon: Fraction, beta: Fraction, t: Fraction) -> bool:
    """Return whether a candidate certainly loses at most epsilon when the scale grows by up to e^beta."""
    with decimal.localcontext(CONTEXT):
        rate = Decimal(beta.numerator) / Decimal(beta.denominator)
        left = (-rate).exp() * Decimal(t.numerator) / Decimal(t.denominator)
    # In the logarithm of the scale the sum is convex, and where the scale stands still it is the slide alone.
    return slide(tail, Fraction(left) * (1 + Fraction(MARGIN))) + beta * downwards(tail, candidates) <= epsilon


class _Gaps:
    """The cost for a candidate, whatever its gap, when the scale shrinks: bounds over cells, for one slide."""

    def __init__(self, tail: HeavyTail, t: Fraction, price: Fraction, epsilon: float) -> None:
        self.tail, self.epsilon, self.straight = tail, epsilon, epsilon < _STRAIGHT
        self.top, self.steepest = float(tail.top[1]) * (1 + _SAFE), float(tail.steepest) * (1 + _SAFE)
        far = _FAR * max(1.0, float(t))
        # Gaps after the scale has shrunk, in units of the noise.
        even = np.linspace(0.0, self.top, _EVEN, endpoint=False)
        self.edges = np.append(even, np.exp(np.linspace(math.log(self.top), math.log(far), _CELLS + 1)))
        self.losses = np.zeros(self.edges.size) if self.straight else tail.loss(self.edges)
        # At the lower end of each cell.
        self.slides = np.minimum(self._slides(float(t)), float(price)) * (1 + _SAFE)

    def _slides(self, t: float) -> Floats:
        hazards = self.tail.hazard(self.edges)
        if self.straight:
            return np.where(self.edges < self.top, np.inf, t * hazards)
        moved = self.tail.loss(self.edges + t)
        # Where the hazard falls over the slide, later slides cost less; elsewhere the largest counts.
        largest = hazards * (1 - _SAFE) <= self.tail.hazard(self.edges + t)
        return np.where(largest, np.inf, moved - self.losses + _ROUNDING * (1 + moved))

    def dilations(self, beta: float) -> Floats:
        """Return what dilation costs at the upper end of each cell, that of the last being infinite."""
        if self.straight:
            # The elasticity z hazard(z) grows; up to its top the hazard counts as if it were the steepest.
            hazards = np.where(self.edges <= self.top, self.steepest, self.tail.hazard(self.edges))
            costs = self.edges * hazards * beta
        else:
            costs = self._steep(self.edges) - self._steep(self.edges * math.exp(-beta)) + _ROUNDING * (1 + self.losses)
        # The last cell has no upper end.
        return np.append(np.minimum(costs, self.tail.power * beta)[1:], self.tail.power * beta) * (1 + _SAFE)

    def _steep(self, gaps: Floats) -> Floats:
        """Return the losses of a tail whose hazard is the steepest up to its top, less a constant."""
        return np.minimum(gaps - self.top, 0.0) * self.steepest + self.tail.loss(np.maximum(gaps, self.top))

    def excess(self, beta: float) -> float:
        """Return by how much the worst cell may exceed epsilon, as a share of it; negative where it does not."""
        return float((self.dilations(beta) + self.slides).max()) / self.epsilon - 1

    def holds(self, beta: float) -> bool:
        """Return whether the worst gap certainly costs at most epsilon."""
        return self.excess(beta) <= -_SAFE

    def largest_beta(self) -> Fraction:
        """Return about the largest beta that holds."""
        from scipy.optimize import brentq

        most = self.epsilon / self.tail.power
        beta, below = float(brentq(self.excess, 0.0, most, xtol=most * 1e-8)), 1e-8
        while not self.holds(beta * (1 - below)):
            below *= 2
        return Fraction(beta * (1 - below))


def _largest_down(tail: HeavyTail, candidates: int, epsilon: Fraction, high: Fraction, t: Fraction) -> Fraction:
    """Return about the largest beta below ``high`` at which growing scales cost at most epsilon."""
    from scipy.optimize import brentq

    price = float(downwards(tail, candidates))

    def excess(beta: float) -> float:
        return (cost(tail, float(t) * math.exp(-beta)) + beta * price) / float(epsilon) - 1

    most = float(high)
    beta = float(brentq(excess, 0.0, most, xtol=most * 1e-9)) if excess(most) > 0 else most
    below = 1e-9
    while not down(tail, candidates, epsilon, Fraction(beta * (1 - below)), t):
        below *= 2
    return Fraction(beta * (1 - below))

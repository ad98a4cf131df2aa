"""Laws of privacy losses on a grid, rounded up: what they are for one release, and for several together.

Proof: ``dominating_pairs.md``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# Grid points between the least and the largest loss that are told apart.
_POINTS = 2**14
# What a mass of one release may have lost by its arithmetic, and one more convolution; both relative.
_SLACK, _SUMS = 1e-10, 3 * _POINTS * 2.0**-52
_ROW, _NODES = 128, 8


@dataclass(frozen=True, eq=False)
class LossPmf:
    """The law of a loss under the first of two laws, at least: on grid points, and at infinity.

    Attributes:
        low: the place of the first mass on the grid.
        masses: shape (n,).
        infinite: what lies above every grid point.
        slack: by which factor masses may be too small.
    """

    low: int
    masses: Floats
    infinite: float = 0.0
    slack: float = 1 + _SLACK


@dataclass(frozen=True)
class Grid:
    """Multiples of a step, up to a largest loss of either sign.

    Attributes:
        step: a power of two, exact.
        most: how many steps the largest loss is.
    """

    step: float
    most: int

    @classmethod
    def up_to(cls, loss: float, count: int) -> Grid:
        """Return the finest grid of few points that reaches the loss of so many releases, each rounded up."""
        step = 2.0 ** math.ceil(math.log2(max(loss, 1e-290) * 2 / _POINTS))
        return cls(step, math.ceil(loss / step) + count + 1)

    def atoms(self, atoms: Iterable[tuple[Fraction, float]], infinite: float = 0.0) -> LossPmf:
        """Return losses of these masses, each divided between the grid points around it."""
        step, found = Fraction(self.step), dict[int, float]()
        whole = -math.expm1(-self.step)
        for loss, mass in atoms:
            place = loss // step
            above = float(loss - place * step)
            below = float((place + 1) * step - loss)
            found[place] = found.get(place, 0.0) + mass * math.exp(-above) * -math.expm1(-below) / whole
            if above:
                found[place + 1] = found.get(place + 1, 0.0) + mass * -math.expm1(-above) / whole
        low = min(found)
        masses = np.zeros(max(found) - low + 1)
        for place, mass in found.items():
            masses[place - low] = mass
        return self._clip(LossPmf(low, masses, infinite))

    def sloped_losses(self, epsilon: Fraction, density: float, atoms: Iterable[tuple[Fraction, float]] = ()) -> LossPmf:
        """Return losses between -epsilon and epsilon of the density ``density e^((loss - epsilon) / 2)``, and atoms."""
        step, end = Fraction(self.step), float(epsilon)
        low, high = math.ceil(-epsilon / step), epsilon // step
        at = self.atoms([*atoms, (-epsilon, 0.0), (epsilon + step, 0.0)])
        masses = at.masses.copy()

        def mass(start: Any, length: float) -> Any:
            return 2 * density * np.exp((start - end) / 2) * math.expm1(length / 2)

        if high < low:
            masses[-1] += mass(-end, 2 * end)
            return LossPmf(at.low, masses)
        cells = mass(np.arange(low, high, dtype=np.float64) * self.step, self.step)
        upper = 1 / (1 + math.exp(-self.step / 2))
        masses[low - at.low : high - at.low] += cells * math.exp(-self.step / 2) * upper
        masses[low + 1 - at.low : high + 1 - at.low] += cells * upper
        # What is left at both ends goes to the next point above it.
        masses[low - at.low] += mass(-end, float(low * step + epsilon))
        masses[high + 1 - at.low] += mass(float(high * step), float(epsilon - high * step))
        return self._clip(LossPmf(at.low, masses))

    def normal(self, rho: float) -> LossPmf:
        """Return the losses of Gaussian noise: divided, or where the grid is coarse at the next point above."""
        from scipy.special import ndtr

        deviation, end = math.sqrt(2 * rho), self.most * self.step
        points = np.arange(-self.most, self.most + 1) * self.step
        below, above = (float(ndtr((-end - rho) / deviation)), float(ndtr((rho - end) / deviation)))
        masses = np.zeros(points.size)
        masses[0] = below
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        within = (nodes + 1) * self.step / 2
        upper = -np.expm1(-within) / -math.expm1(-self.step)
        # A cell is so narrow that its density is a polynomial, to more digits than a float has; or it is raised whole.
        if self.step * (end + rho) > 2 * rho:
            scaled = (points - rho) / deviation
            low, high = ndtr(scaled), ndtr(-scaled)
            masses[1:] += np.where(scaled[1:] > 0, high[:-1] - high[1:], low[1:] - low[:-1])
            return LossPmf(-self.most, masses, above)
        for distance, weight, share in zip(within, weights, upper, strict=True):
            scaled = (points[:-1] + distance - rho) / deviation
            cells = weight * self.step / 2 / (deviation * math.sqrt(2 * math.pi)) * np.exp(-(scaled**2) / 2)
            masses[1:] += cells * share
            masses[:-1] += cells * (1 - share)
        return LossPmf(-self.most, masses, above)

    def compose(self, one: LossPmf, other: LossPmf) -> LossPmf:
        """Return the sums of two independent losses."""
        return self._clip(
            LossPmf(
                one.low + other.low,
                _convolve(one.masses, other.masses),
                one.infinite + other.infinite,
                one.slack * other.slack * (1 + _SUMS),
            )
        )

    def power(self, losses: LossPmf, count: int) -> LossPmf:
        """Return the sum of so many independent losses of one law."""
        result: LossPmf | None = None
        while True:
            if count % 2:
                result = losses if result is None else self.compose(result, losses)
            count //= 2
            if not count:
                assert result is not None
                return result
            losses = self.compose(losses, losses)

    def epsilon(self, losses: LossPmf, delta: float) -> float:
        """Return the least epsilon at delta, infinite where too much lies at infinity."""
        points = (losses.low + np.arange(losses.masses.size)) * self.step
        allowed = delta / losses.slack

        def beyond(epsilon: float) -> float:
            above = points > epsilon
            return float((losses.masses[above] * -np.expm1(epsilon - points[above])).sum()) + losses.infinite

        if losses.infinite >= allowed:
            return math.inf
        low, high = 0.0, max(float(points[-1]), 0.0)
        if beyond(low) <= allowed:
            return 0.0
        while high - low > 1e-12 * high:
            middle = (low + high) / 2
            if middle in (low, high):
                break
            low, high = (low, middle) if beyond(middle) <= allowed else (middle, high)
        return high

    def _clip(self, losses: LossPmf) -> LossPmf:
        """Return losses within the grid: those below it are raised to its end, those above it are infinite."""
        low, masses, infinite = losses.low, losses.masses, losses.infinite
        if (over := low + masses.size - 1 - self.most) > 0:
            infinite, masses = infinite + float(masses[-over:].sum()), masses[:-over]
        if (under := -self.most - low) > 0:
            masses = np.concatenate([[masses[: under + 1].sum()], masses[under + 1 :]])
            low = -self.most
        return LossPmf(low, masses, infinite, losses.slack)


def _convolve(one: Floats, other: Floats) -> Floats:
    """Return sums of products of numbers that are not negative: every one right to ``_SUMS``, as nothing cancels.

    As one product of matrices, rows of one list with all shifts of the other, which is the quickest exact way.
    """
    short, long = sorted((one, other), key=len)
    if short.size < _ROW:
        return np.convolve(long, short)
    rows = np.concatenate([short, np.zeros(-short.size % _ROW)]).reshape(-1, _ROW)
    padded = np.concatenate([np.zeros(_ROW - 1), long, np.zeros(_ROW - 1)])
    shifts = np.lib.stride_tricks.sliding_window_view(padded, long.size + _ROW - 1)[::-1]
    found = np.zeros(rows.size + long.size - 1)
    for place, each in enumerate(rows @ shifts):
        found[place * _ROW : place * _ROW + each.size] += each
    return found[: short.size + long.size - 1]

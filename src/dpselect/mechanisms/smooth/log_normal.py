"""Smooth Noisy Max with one-sided Laplace-log-normal noise X e^(sigma Y): a sound (epsilon, delta), for laws only.

With H = -ln of the tail, kappa = 1 - phi, t = H^-1(kappa epsilon) and c = b / t, beta is the largest number for which

    (m-1) sup over g of tau(g) (1 - e^(epsilon + H(g) - H(g e^beta + t)))_+ <= delta,   tau(g) = Pr[Z' > g + Z],
    H(t e^-l) + l K <= epsilon for all l from 0 to beta,

K the smaller of the two bounds of ``dilation_cost``. Tails are quadratures and suprema are taken on grids, in floats,
with a margin of 10^-6: numeric, not certified, and floats must not be drawn, so nothing is released with it.

Proof of the conditions: docs/mathematics/smooth-noise-refereed.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.mechanisms.smooth.dilation import rival_bound

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

Floats = NDArray[np.float64]

# Logarithms of the noise between which its tail is tabulated; differences that far out are hopeless.
_LEAST, _MOST, _STEPS = -14.0, 24.0, 3801
_NORMAL = np.linspace(-16.0, 16.0, 1601)
# Nothing is less likely than that where candidates are told apart.
_HOPELESS = -600.0
_MARGIN = 1e-6


class NoiseTail:
    """Facts of the noise for its calibration: H, tau and w, tabulated once for each sigma.

    Args:
        sigma: of the logarithm of the scale.
    """

    def __init__(self, sigma: float) -> None:
        from scipy.interpolate import CubicSpline
        from scipy.special import logsumexp

        self.steepest = math.exp(sigma**2 / 2)
        self.log_z = np.linspace(_LEAST, _MOST, _STEPS)
        shares = -(_NORMAL**2) / 2
        shares = shares - logsumexp(shares)
        tail, density = np.empty(_STEPS), np.empty(_STEPS)
        for start in range(0, _STEPS, 200):
            part = slice(start, start + 200)
            terms = shares - np.exp(self.log_z[part])[:, None] * np.exp(-sigma * _NORMAL)
            tail[part], density[part] = logsumexp(terms, axis=1), logsumexp(terms - sigma * _NORMAL, axis=1)
        self.log_tail, self.log_density = tail, density
        self._tail, self._density = CubicSpline(self.log_z, tail), CubicSpline(self.log_z, density)
        self._differences()

    def _differences(self) -> None:
        """Tabulate tau(D) = Pr[Z' > D + Z], and w(D) = -tau'(D) / (1 - tau(D)), at differences D."""
        from scipy.interpolate import CubicSpline

        points, shares = np.polynomial.legendre.leggauss(12)
        edges = np.concatenate(([0.0], np.exp(np.linspace(-9, 20, 120))))
        half = np.diff(edges)[:, None] / 2
        nodes, weights = (edges[:-1, None] + half * (points + 1)).ravel(), (half * shares).ravel()
        mass = np.exp(self._at(self._density, nodes)) * weights
        far = np.exp(self.log_z[200::2])
        self.differences = far[-self.surprise(far) > _HOPELESS]
        self.tau = np.array([mass @ np.exp(-self.surprise(nodes + d)) for d in self.differences])
        falls = np.array([mass @ np.exp(self._at(self._density, nodes + d)) for d in self.differences])
        self.weight = falls / (1 - self.tau)
        self._log_tau = CubicSpline(np.log(self.differences), np.log(self.tau))

    def _at(self, table: CubicSpline, z: Floats) -> Floats:
        return np.asarray(table(np.clip(np.log(np.maximum(z, 1e-300)), _LEAST, _MOST)))

    def surprise(self, z: Floats) -> Floats:
        """Return H(z) = -ln Pr[Z > z]."""
        return -self._at(self._tail, z)

    def chance(self, g: Floats) -> Floats:
        """Return tau(g), for g between the ends of ``differences``."""
        return np.asarray(np.exp(self._log_tau(np.log(g))))

    def shift(self, surprise: float) -> float:
        """Return the t with H(t) = surprise, rounded down: how far scores may slide."""
        low, high = _LEAST, _MOST
        while high - low > 1e-12:
            middle = (low + high) / 2
            low, high = (middle, high) if -float(self._tail(middle)) <= surprise else (low, middle)
        return math.exp(low)

    def elasticity(self, z: float) -> float:
        """Return z times the hazard: what a dilation costs per unit, for a candidate that far behind and no further."""
        at = np.array([z])
        return float(z * np.exp(self._at(self._density, at) + self.surprise(at))[0])


@lru_cache(maxsize=32)
def tail_of(sigma: float) -> NoiseTail:
    """Return the tables of this sigma."""
    return NoiseTail(sigma)


@lru_cache(maxsize=256)
def dilation_cost(m: int, sigma: float) -> float:
    """Return K, the smaller of two bounds: straight lines above curves.

    With q = w f/F and h = -ln F at w: (m-1) sup (q - k h) + k R(m) for any k > 0, as the mean of the sum of h over all
    rivals is at most R(m). With weights w(D) of which the sum is at most f(0): (m-1) sup w(D) (D - k) + k f(0).

    >>> [round(dilation_cost(m, 1.0), 1) for m in (2, 10, 100, 1000)]
    [0.2, 1.6, 5.4, 11.2]
    """
    noise, rivals = tail_of(sigma), m - 1
    z, body = np.exp(noise.log_z), -np.expm1(noise.log_tail)
    # On a cell f and F are at worst those of its lower end, and h that of its upper end; q is never above 1.
    q = np.minimum(z[1:] * np.exp(noise.log_density[:-1]) / body[:-1], 1.0)
    h = -np.log(body[1:])
    w, d = noise.weight[:-1], noise.differences[1:]
    slopes = np.geomspace(1e-3, 300, 600)
    with_surprise = min(rivals * float((q - k * h).max()) + k * float(rival_bound(m)) for k in slopes.tolist())
    with_weights = min(rivals * max(float((w * (d - k)).max()), 0.0) + k * noise.steepest for k in slopes.tolist())
    return float(min(with_surprise, with_weights) * (1 + _MARGIN))


def calibrate(
    candidates: int, epsilon: Fraction, *, range_bound: int, phi: Fraction, delta: Fraction, sigma: float
) -> tuple[Fraction, Fraction]:
    """Return (beta, c) for that many candidates, as good as floats know them."""
    beta, t = _calibrate(max(candidates, 2), float(epsilon), float(phi), float(delta), sigma)
    return Fraction(beta), range_bound / Fraction(t)


@lru_cache(maxsize=256)
def _calibrate(m: int, epsilon: float, phi: float, delta: float, sigma: float) -> tuple[float, float]:
    noise, cost = tail_of(sigma), dilation_cost(m, sigma)
    t = noise.shift((1 - phi) * epsilon) * (1 - _MARGIN)
    low, high = 0.0, epsilon / cost
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        fits = _shrink_loss(noise, m, epsilon, middle, t) <= delta and _growth_loss(noise, t, middle, cost) <= epsilon
        low, high = (middle, high) if fits else (low, middle)
    if not low:
        raise InputError("epsilon or delta is too small for Laplace-log-normal noise: pass a larger one.")
    return low * (1 - _MARGIN), t


def _shrink_loss(noise: NoiseTail, m: int, epsilon: float, beta: float, t: float) -> float:
    """Return what candidates far behind lose when the scale shrinks: the largest over how far behind they are."""

    def lost(log_g: Floats) -> Floats:
        g = np.exp(log_g)
        loss = noise.surprise(g * math.exp(beta) + t) - noise.surprise(g)
        with np.errstate(under="ignore"):
            return noise.chance(g) * np.maximum(0.0, -np.expm1(epsilon - loss))

    return (m - 1) * _supremum(lost, -6.0, math.log(float(noise.differences[-1])) - 1.0)


def _growth_loss(noise: NoiseTail, t: float, beta: float, cost: float) -> float:
    """Return the most that slide and dilation cost together when the scale grows."""
    return _supremum(lambda grown: noise.surprise(t * np.exp(-grown)) + grown * cost, 0.0, beta)


def _supremum(curve: Callable[[Floats], Floats], low: float, high: float) -> float:
    """Return the largest value on a grid that is refined about it."""
    for _ in range(4):
        grid = np.linspace(low, high, 400)
        values = curve(grid)
        best = int(values.argmax())
        low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, grid.size - 1)])
    return float(values.max()) * (1 + _MARGIN)

"""Noise for selection by noisy max: densities, and the exact law of the winner. Nothing is drawn here.

Each noise is the law of |Z|, used as it is (one-sided) or with a fair sign (two-sided).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.units import double
from dpselect.mechanisms.pmf import log_sum
from dpselect.mechanisms.smooth import heavy_pmf
from dpselect.mechanisms.smooth import student_t as heavy_tails
from dpselect.mechanisms.smooth.tails import Tails

Floats = NDArray[np.float64]

_NODES, _BLOCK = 24, 2**20
# Where panels begin: without a sign the integrand has a power of y at 0, with one it is smooth.
_FINEST = {1: 2.0**-20, 2: 0.25}
# Quadrature over the normal exponent of Laplace-log-normal noise: exact to 1e-15 for smooth functions.
_NORMAL = np.arange(-10.0, 10.0 + 1 / 16, 1 / 8)
_SHARES = np.exp(-(_NORMAL**2) / 2) / np.exp(-(_NORMAL**2) / 2).sum()


@dataclass(frozen=True, eq=False)
class NoiseDistribution:
    """A law of |Z|, and whether it carries a sign.

    Attributes:
        name: in words.
        log_density: ln f of |Z| at z >= 0.
        body: Pr[|Z| <= z] at z >= 0, accurate near 0.
        tail: Pr[|Z| > z] at z >= 0, accurate far out.
        sides: 1 or 2.
        finest: the width of the narrowest feature of the density about 0.
        tails: the noise as the session draws it, where it can. unit: one unit of that, in units of this law.
    """

    name: str
    log_density: Callable[[Floats], Floats]
    body: Callable[[Floats], Floats]
    tail: Callable[[Floats], Floats]
    sides: int = 1
    finest: float = 2.0**-20
    tails: Tails | None = None
    unit: float = 1.0

    def log_density_at(self, y: Floats) -> Floats:
        """Return ln f of the noise anywhere (one-sided: for y >= 0)."""
        return self.log_density(np.abs(y)) - (math.log(2.0) if self.sides == 2 else 0.0)

    def log_distribution_at(self, y: Floats) -> Floats:
        """Return ln F of the noise anywhere (one-sided: for y > 0)."""
        far = self.tail(np.abs(y))
        with np.errstate(divide="ignore"):
            if self.sides == 2:
                return np.where(y < 0, np.log(far / 2), np.log1p(-far / 2))
            result = np.log1p(-np.minimum(far, 0.5))
            near = far >= 0.5
            result[near] = np.log(self.body(y[near]))
            return result


def student_t(sides: int = 1) -> NoiseDistribution:
    """Return Student t with three degrees of freedom."""

    def body(z: Floats) -> Floats:
        return np.exp(heavy_tails.log_distribution(z))

    return NoiseDistribution(
        "Student t",
        heavy_tails.log_density,
        body,
        heavy_tails.tail,
        sides,
        _FINEST[sides],
        Tails(0, sides),
        math.sqrt(3.0),
    )


def cauchy(gamma: int, sides: int = 1) -> NoiseDistribution:
    """Return the generalised Cauchy noise, density proportional to 1 / (1 + |z|^gamma), gamma >= 2."""
    height = math.log(gamma * math.sin(math.pi / gamma) / math.pi)
    # Beyond this, z^gamma is as good as infinite.
    most = min(1e30, 10 ** (300 / gamma))

    def odds(z: Floats) -> Floats:
        return np.minimum(z, most) ** gamma

    def log_density(z: Floats) -> Floats:
        # ln(1 + z^gamma) without overflow.
        return np.asarray(height - np.logaddexp(0.0, gamma * np.log(np.maximum(z, 1e-300))))

    # Each half is accurate on its own side of 1 only, where its argument is not close to 1.
    def near(z: Floats) -> Floats:
        from scipy.special import betainc

        return np.asarray(betainc(1 / gamma, 1 - 1 / gamma, odds(z) / (1 + odds(z))))

    def far(z: Floats) -> Floats:
        from scipy.special import betainc

        return np.asarray(betainc(1 - 1 / gamma, 1 / gamma, 1 / (1 + odds(z))))

    def tail(z: Floats) -> Floats:
        return _either(z < 1.0, z, lambda z: 1 - near(z), far)

    def body(z: Floats) -> Floats:
        return _either(z > 1.0, z, lambda z: 1 - far(z), near)

    name = f"generalised Cauchy, gamma = {gamma}"
    return NoiseDistribution(name, log_density, body, tail, sides, _FINEST[sides], Tails(gamma, sides))


def laplace(sides: int = 2) -> NoiseDistribution:
    """Return Laplace noise of scale 1."""
    return NoiseDistribution(
        "Laplace",
        lambda z: -z,
        lambda z: -np.expm1(-z),
        lambda z: np.exp(-z),
        sides=sides,
        finest=_FINEST[sides],
    )


def laplace_log_normal(sigma: float, sides: int = 2) -> NoiseDistribution:
    """Return X e^(sigma Y), X Laplace of scale 1 and Y standard normal."""
    scales = np.exp(sigma * _NORMAL)

    def mixed(z: Floats, of: Callable[[Floats], Floats]) -> Floats:
        flat = np.asarray(z).ravel()
        out = np.empty(flat.size)
        for start in range(0, flat.size, 2**9):
            part = slice(start, start + 2**9)
            out[part] = of(flat[part, None] / scales) @ _SHARES
        return out.reshape(np.shape(z))

    def log_density(z: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(mixed(z, lambda x: np.exp(-x) / scales))

    return NoiseDistribution(
        f"Laplace-log-normal, sigma = {sigma:g}",
        log_density,
        lambda z: mixed(z, lambda x: -np.expm1(-x)),
        lambda z: mixed(z, lambda x: np.exp(-x)),
        sides=sides,
    )


def log_pmf(gaps: NDArray[np.int64], counts: NDArray[np.int64], rate: Fraction, noise: NoiseDistribution) -> Floats:
    """Return log Pr of one candidate of each group; relative error below 1e-8.

    Measured from the best score, Pr[r] = Int rho(y + g_r) prod over s of F(y + g_s)^n_s dy, rho = f / F, on panels
    that double away from 0 and, for noise of two signs, away from every -g_s. One-sided heavy tails have a faster way
    (``heavy_law``), which is as exact and ends where floats hold no densities.
    """
    # Beyond this a candidate's chance is below 10^-300 whatever the noise, and squares are still floats.
    behind = np.minimum(np.asarray(gaps * double(rate), dtype=np.float64), 1e150)
    if noise.sides == 1 and noise.tails is not None:
        swift = heavy_pmf.log_pmf(behind / noise.unit, counts, noise.tails.gamma)
        if swift is not None:
            return swift
    return log_pmf_by_logarithms(behind, counts, noise)


def log_pmf_by_logarithms(behind: Floats, counts: NDArray[np.int64], noise: NoiseDistribution) -> Floats:
    """Return the same for any noise and any gap; ``behind`` is in units of the noise, shape (g,), ascending from 0."""
    centres, nodes, weights = _panels(behind, noise)
    result = np.full(behind.size, -np.inf)
    step = max(1, _BLOCK // behind.size)
    for start in range(0, nodes.size, step):
        own = slice(start, start + step)
        # A centre is minus a gap, so that next to it nothing is lost however large the gap.
        at = nodes[own, None] + (centres[own, None] + behind)
        below = noise.log_distribution_at(at)
        height = np.log(weights[own]) + below @ counts.astype(np.float64)
        with np.errstate(invalid="ignore"):
            terms = height[:, None] + (noise.log_density_at(at) - below)
        # Where F and f have both vanished nothing is left to add.
        terms[np.isnan(terms)] = -np.inf
        result = np.logaddexp(result, log_sum(terms))
    return result


def _either(
    where: NDArray[np.bool_], z: Floats, inside: Callable[[Floats], Floats], outside: Callable[[Floats], Floats]
) -> Floats:
    """Return one function of z where the mask is set and another elsewhere, each computed there alone."""
    result = np.empty(np.shape(z))
    result[where], result[~where] = inside(z[where]), outside(z[~where])
    return result


def _panels(behind: Floats, noise: NoiseDistribution) -> tuple[Floats, Floats, Floats]:
    """Return the centre of each node of Gauss-Legendre quadrature, its distance from that, and its weight."""
    # A candidate far behind wins by noise as large as its gap, or somewhat larger.
    far = max(60.0, math.log2(max(float(behind.max()), 1.0)) + 40.0)
    away = np.concatenate(([0.0], noise.finest * 2.0 ** np.arange(0.0, far - math.log2(noise.finest))))
    points, shares = _rule()
    centres = np.zeros(1) if noise.sides == 1 else np.unique(-behind)
    halves = np.diff(centres) / 2
    parts = []
    for place, centre in enumerate(centres.tolist()):
        right = away if place == halves.size else np.append(away[away < halves[place]], halves[place])
        left = away if place == 0 else np.append(away[away < halves[place - 1]], halves[place - 1])
        edges = right if noise.sides == 1 else np.concatenate((-left[:0:-1], right))
        half = np.diff(edges)[:, None] / 2
        nodes = (edges[:-1, None] + half * (points + 1)).ravel()
        parts.append((np.full(nodes.size, centre), nodes, (half * shares).ravel()))
    own, nodes, weights = (np.concatenate(each) for each in zip(*parts, strict=True))
    return own, nodes, weights


@lru_cache(maxsize=1)
def _rule() -> tuple[Floats, Floats]:
    points, shares = np.polynomial.legendre.leggauss(_NODES)
    return points, shares

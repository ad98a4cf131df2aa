"""The exact law of noisy max with one-sided heavy tails, where floats hold every density: the fast way.

The density is proportional to v^j, v = 1 / (1 + z^d): the body is z v times a series in 1 - v, and the tail z v^j times
one in v, both of positive terms. So no special function is called, and no logarithm of a density.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_NODES = 24
# Entries held at a time: what a processor keeps close by.
_BLOCK = 2**15
# Panels double from here; below it, and in the first of them, the integrand is as good as a polynomial.
_FIRST = -3
# Powers of two up to which densities are floats, with room for products.
_ROOM = 900
# A sum below this has lost digits, or has underflowed.
_LEAST = 1e-280
# Terms of a series in at most 1/2, and in at most 1/16: what is left out is below 2^-50 of the sum.
_TERMS, _FEW, _SMALL = 52, 14, 1 / 16


@dataclass(frozen=True)
class _HalfNoise:
    """|Z|, with a density proportional to 1 / (1 + z^degree)^times.

    Attributes:
        degree, times: in the density, whose integral is ``total``.
        power: how the tail falls: like z to minus this.
        near, far: coefficients of the body and of the tail.
    """

    degree: int
    times: int
    total: float
    power: int
    near: list[float]
    far: list[float]


@lru_cache(maxsize=16)
def _noise(gamma: int) -> _HalfNoise:
    """Return the noise of a gamma; 0 is Student t with three degrees of freedom over sqrt 3."""
    k = np.arange(1.0, _TERMS)
    if gamma:
        inner, outer = k * gamma / (k * gamma + 1), k * gamma / ((k + 1) * gamma - 1)
        total = math.pi / gamma / math.sin(math.pi / gamma)
        return _HalfNoise(gamma, 1, total, gamma - 1, _running(inner), _running(outer, 1 / (gamma - 1)))
    inner, outer = 2 * k / (2 * k + 1), (2 * k + 2) / (2 * k + 3)
    # Of the square the second term is half of what the ratio says, and so all that follow.
    inner[0] /= 2
    return _HalfNoise(2, 2, math.pi / 4, 3, _running(inner), _running(outer, 1 / 3))


def _running(ratios: Floats, first: float = 1.0) -> list[float]:
    """Return coefficients from the first one and the ratios of those that follow."""
    return [first, *(first * np.cumprod(ratios)).tolist()]


def log_pmf(behind: Floats, counts: NDArray[np.int64], gamma: int) -> Floats | None:
    """Return log Pr of one candidate of each group, or ``None`` where a density has no float.

    Pr[r] = Int rho(y + g_r) prod over s of F(y + g_s)^n_s dy, rho = f / F: by panels that double, up to where all that
    is left out is below 2^-50 of the chance of whoever is furthest behind.

    Args:
        behind: how far each group lies behind the best in units of the noise, ascending from 0.
        counts: how many candidates share it.
        gamma: of the noise; 0 is Student t with three degrees of freedom over sqrt 3, as for ``Tails``.
    """
    tail = _noise(gamma)
    number = counts.astype(np.float64)
    reach = float(behind.max()) + float(number.sum()) ** (1 / tail.power) + 1
    last = math.ceil(math.log2(reach) + 50 / tail.power) + 3
    if tail.degree * last > _ROOM:
        return None
    nodes, weights = _quadrature(last)
    mass, top = np.zeros(behind.size), -math.inf
    step = max(1, _BLOCK // behind.size)
    for start in range(0, nodes.size, step):
        own = slice(start, start + step)
        log_below, hazard = _below(nodes[own, None] + behind, tail)
        height = np.log(weights[own]) + log_below @ number
        risen = max(top, float(height.max()))
        mass = mass * math.exp(top - risen) + np.exp(height - risen) @ hazard
        top = risen
    # Below this the smallest terms have lost digits, or are gone.
    return None if mass.min() < _LEAST else np.log(mass) + top


def _below(z: Floats, tail: _HalfNoise) -> tuple[Floats, Floats]:
    """Return ln F and f / F at z > 0."""
    raised = _power(z, tail.degree)
    v = 1 / (1 + raised)
    w = raised * v
    beyond = z > 1.0
    share = _sum(tail.far, np.where(beyond, v, 0.0))
    height = v if tail.times == 1 else v * v
    above = z * height * share / tail.total
    log_below, below = np.log1p(-above), 1 - above
    inside = ~beyond
    if inside.any():
        own = w[inside]
        body = z[inside] * v[inside] * _sum(tail.near, own) / tail.total
        log_below[inside], below[inside] = np.log(body), body
    return log_below, height / (below * tail.total)


def _sum(coefficients: Sequence[float], w: Floats) -> Floats:
    """Return the sum of coefficients times powers of 0 <= w <= 1/2: few terms where w is small."""
    result = _horner(coefficients[:_FEW], w)
    large = w > _SMALL
    if large.any():
        result[large] = _horner(coefficients, w[large])
    return result


def _horner(coefficients: Sequence[float], w: Floats) -> Floats:
    result = np.full(w.shape, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        result *= w
        result += coefficient
    return result


def _power(z: Floats, degree: int) -> Floats:
    """Return z^degree by squaring, which is faster than a power and as exact."""
    result, square = z if degree & 1 else None, z
    while degree := degree >> 1:
        square = square * square
        if degree & 1:
            result = square if result is None else result * square
    return square if result is None else result


@lru_cache(maxsize=64)
def _quadrature(last: int) -> tuple[Floats, Floats]:
    """Return nodes and weights of Gauss-Legendre quadrature on panels that double up to 2^last."""
    points, shares = np.polynomial.legendre.leggauss(_NODES)
    edges = np.append(0.0, 2.0 ** np.arange(_FIRST, last + 1))
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (points + 1)).ravel(), (half * shares).ravel()

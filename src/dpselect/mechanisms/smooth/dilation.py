"""What it costs when the scale of all noises moves with the database: the constants of Smooth Noisy Max.

Scaling m one-sided t noises by e^d moves ln Pr[r] by at most K(m) |d|: by at most 3 upwards, and downwards by
Kc(m) = sup over D of (m-1) D Int f(z) rho(z+D) F(z+D)^(m-1) dz / Int f(z) F(z+D)^(m-1) dz, rho = f / F, all other
candidates at one common gap D. K(m) = max(3, Kc(m)), rounded up.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from dpselect.mechanisms.smooth.student_t import log_density, log_distribution

# Given away against the error of quadrature and of the search for the supremum.
_SAFE = 1e-6
# Up to here the supremum is computed; beyond, the proved bound 3 R(m) is used.
_LARGEST = 10**6


@lru_cache(maxsize=1024)
def dilation_cost(m: int) -> float:
    """Return K(m), rounded up, for m >= 2 candidates.

    >>> dilation_cost(100), round(dilation_cost(1000), 3), round(dilation_cost(10**7), 1)
    (3.0, 5.744, 38.0)
    """
    if m > _LARGEST:
        return max(3.0, 3.0 * proved_bound(m))
    points, shares = np.polynomial.legendre.leggauss(24)
    edges = np.concatenate(([0.0], 2.0 ** np.arange(-20.0, 60.0)))
    half = np.diff(edges)[:, None] / 2
    nodes, weights = (edges[:-1, None] + half * (points + 1)).ravel(), (half * shares).ravel()
    base = np.log(weights) + log_density(nodes)

    def downwards(gap: float) -> float:
        below = log_distribution(nodes + gap)
        mass = base + (m - 1) * below
        mass = np.exp(mass - mass.max())
        return float((m - 1) * gap * (mass * np.exp(log_density(nodes + gap) - below)).sum() / mass.sum())

    gaps = np.exp(np.linspace(math.log(1e-3), math.log(1e4), 120))
    for _ in range(7):
        costs = [downwards(gap) for gap in gaps.tolist()]
        best = int(np.argmax(costs))
        gaps = np.linspace(gaps[max(best - 1, 0)], gaps[min(best + 1, gaps.size - 1)], 25)
    return max(3.0, max(costs) * (1.0 + _SAFE))


def proved_bound(m: int) -> float:
    """Return R(m) = (1 - 1/m) (1 + W0((m - 1) e^(-1 - m/(m-1)))), with Kc(m) <= 3 R(m) for all m >= 2."""
    from scipy.special import lambertw

    return float((1 - 1 / m) * (1 + lambertw((m - 1) * math.exp(-1 - m / (m - 1))).real)) * (1 + 1e-12)

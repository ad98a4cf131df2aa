"""The large margin mechanism: choose among the few best candidates only, where the others are far behind.

Scores f move by at most 1. Laplace noises are Z of scale 3 / epsilon, G of 6 / epsilon and Z_r of 12 / epsilon. The
first r with f_(1) + Z - f_(r+1) + Z_r > T_r + G is taken, or else the number of all candidates. The exponential
mechanism at epsilon / 3 chooses among the r best. With quarters of delta

    t_r = 2 + 6 ln(4 r / delta) / epsilon
    T_r = t_r + 9 ln(2 / delta) / epsilon + 12 ln(2 r (r + 1) / delta) / epsilon.

Guarantee: (epsilon, delta). Z costs epsilon / 3, and so does the first r above a noisy threshold. The noises carry a
margin of at most t_r above T_r with probability at most 3 delta / 4. Above t_r, a candidate that leaves the r best is
at most 2 above f_(r+1): all of these together are named with probability at most delta / 4. The weights of the others
change by a factor of at most e^(epsilon / 6) each, and so does the sum of the r largest weights.
A law alone: this is a baseline and releases nothing.

Reference: Chaudhuri, Hsu and Song 2014, on which Jostle's related work (Imola and Yang 2018) builds; the thresholds are
those of the proof above, lower than theirs.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)


def thresholds(candidates: int, epsilon: float, delta: float) -> Floats:
    """Return T_r for r = 1 .. m - 1.

    >>> thresholds(3, 1, 1e-6).round()
    array([406., 424.])
    """
    r = np.arange(1, candidates)
    margin = 2 + 6 * np.log(4 * r / delta) / epsilon
    noise: Floats = margin + (9 * math.log(2 / delta) + 12 * np.log(2 * r * (r + 1) / delta)) / epsilon
    return noise


def sizes(scores: ArrayLike, epsilon: float, delta: float) -> Floats:
    """Return the probability of every r, shape (m,), by quadrature over Z - G."""
    ordered = np.sort(np.asarray(scores, dtype=float))[::-1]
    short = thresholds(ordered.size, epsilon, delta) - (ordered[0] - ordered[1:])
    a, b = 3 / epsilon, 6 / epsilon
    # Half of all nodes on each side of the kink at 0; beyond 60 scales nothing is left.
    far = 60 * b * ((_NODES + 1) / 2) ** 3
    step = _WEIGHTS / 2 * 60 * b * 3 * ((_NODES + 1) / 2) ** 2
    shared = np.concatenate((-far, far))
    density = np.concatenate((step, step)) * (b * np.exp(-np.abs(shared) / b) - a * np.exp(-np.abs(shared) / a))
    density /= 2 * (b * b - a * a)
    left = (short[:, None] - shared) * epsilon / 12
    passes = np.where(left > 0, np.exp(-np.abs(left)) / 2, 1 - np.exp(-np.abs(left)) / 2)
    until = np.vstack((np.ones(shared.size), np.cumprod(1 - passes, axis=0)))
    passes = np.vstack((passes, np.ones(shared.size)))
    result: Floats = (until * passes) @ density
    return result


def pmf(scores: ArrayLike, epsilon: float, delta: float) -> Floats:
    """Return the probability of each candidate, shape (m,); of equal scores the first ones are among the best.

    Args:
        scores: that one record moves by at most 1, shape (m,), m at least 2.
        epsilon, delta: of the whole choice.

    >>> pmf([900, 0, 0], 1, 1e-6).round(6)
    array([1., 0., 0.])
    """
    values = np.asarray(scores, dtype=float)
    order = np.argsort(-values, kind="stable")
    weights = np.exp((values[order] - values.max()) * epsilon / 6)
    # Of the r best, each has its weight over the sum of r; a candidate is among them from its own place on.
    share = sizes(values, epsilon, delta) / np.cumsum(weights)
    law = np.empty(values.size)
    law[order] = weights * np.cumsum(share[::-1])[::-1]
    return law

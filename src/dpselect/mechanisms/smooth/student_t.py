"""One-sided Student-t noise with three degrees of freedom: |T|, its law as noise, and how far it may be slid.

With x = z / sqrt 3: F(z) = (2/pi) (atan x + x / (1 + x^2)), f(z) = 12 sqrt 3 / (pi (3 + z^2)^2) for z >= 0.

Sliding the noise by t changes no tail probability by more than e^Lambda(t), Lambda(t) = sup over z of
ln Fbar(z - t) / Fbar(z). ``shift_for`` is the inverse of Lambda, rounded down, so that using it is safe.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_ROOT = math.sqrt(3.0)
# Given away against the error of a numerical supremum and root, which is some hundred times smaller.
_SAFE = 1e-9
# The steepest slope of -ln Fbar, 1.06176286 at z = 1.143, rounded up; below this epsilon nothing else is asked.
_STEEPEST, _STRAIGHT = 1.061763, 1e-6


def tail(z: Floats) -> Floats:
    """Return Fbar(z) = Pr[|T| > z], 1 for z <= 0; relative error about 1e-15."""
    from scipy.special import stdtr

    return np.asarray(2.0 * stdtr(3.0, -np.maximum(z, 0.0)), dtype=np.float64)


def log_density(z: Floats) -> Floats:
    """Return ln f(z) for z >= 0."""
    return np.asarray(math.log(12.0 * _ROOT / math.pi) - 2.0 * np.log(3.0 + z * z), dtype=np.float64)


def log_distribution(z: Floats) -> Floats:
    """Return ln F(z) for z > 0, accurate near 0 and in the tail."""
    x = z / _ROOT
    with np.errstate(divide="ignore"):
        near = np.log((2.0 / math.pi) * (np.arctan(x) + x / (1.0 + x * x)))
    return np.where(z < 2.0, near, np.log1p(-tail(z)))


def slide(t: float) -> float:
    """Return Lambda(t): the most that sliding by t changes the logarithm of a tail probability.

    >>> round(slide(0.9546116), 6)
    1.0
    """
    # For z < t the ratio is 1 / Fbar(z), which grows: the supremum is at z >= t. Bracket it, then refine.
    low, high = t, 4.0 * t + 40.0
    for _ in range(12):
        z = np.linspace(low, high, 200)
        values = np.log(tail(z - t)) - np.log(tail(z))
        best = int(values.argmax())
        low, high = float(z[max(best - 1, 0)]), float(z[min(best + 1, z.size - 1)])
    return float(values.max())


@lru_cache(maxsize=1024)
def shift_for(epsilon: float) -> float:
    """Return the largest t with Lambda(t) <= epsilon, rounded down; beyond epsilon = 600 that of 600.

    Lambda grows like 3 ln t, so t would soon leave floating point, and a smaller shift is always safe. Below 10^-6 it
    is epsilon over the steepest slope of -ln Fbar, which no search over floats could improve on.

    >>> round(shift_for(5.0), 6)
    6.715948
    """
    if epsilon < _STRAIGHT:
        return epsilon / _STEEPEST * (1.0 - _SAFE)
    epsilon = min(epsilon, 600.0)
    low, high = 0.0, 1.0
    while slide(high) < epsilon:
        low, high = high, 2.0 * high
    while high - low > _SAFE / 100 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if slide(middle) <= epsilon else (low, middle)
    return low * (1.0 - _SAFE)

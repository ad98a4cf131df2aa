"""One-sided Student-t noise with three degrees of freedom: |T| and its law as noise.

With x = z / sqrt 3: F(z) = (2/pi) (atan x + x / (1 + x^2)), f(z) = 12 sqrt 3 / (pi (3 + z^2)^2) for z >= 0.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_ROOT, _FAR = math.sqrt(3.0), 1e150


def tail(z: Floats) -> Floats:
    """Return Fbar(z) = Pr[|T| > z], 1 for z <= 0; relative error about 1e-15."""
    from scipy.special import stdtr

    return np.asarray(2.0 * stdtr(3.0, -np.maximum(z, 0.0)), dtype=np.float64)


def log_density(z: Floats) -> Floats:
    """Return ln f(z) for z >= 0."""
    near = np.minimum(z, _FAR)
    # Where the square would be more than a float holds, the rest of z counts by itself.
    rest = 4.0 * np.log(np.maximum(z / _FAR, 1.0))
    return np.asarray(math.log(12.0 * _ROOT / math.pi) - 2.0 * np.log(3.0 + near * near) - rest, dtype=np.float64)


def log_distribution(z: Floats) -> Floats:
    """Return ln F(z) for z > 0, accurate near 0 and in the tail."""
    x = z / _ROOT
    with np.errstate(divide="ignore"):
        near = np.log((2.0 / math.pi) * (np.arctan(x) + x / (1.0 + x * x)))
    return np.where(z < 2.0, near, np.log1p(-tail(z)))

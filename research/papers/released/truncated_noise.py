"""Smooth private selection as the notebooks of Yamamoto and Shibuya 2024 run it. Simulated, and not private.

Noise is drawn from the hundredths between -10 and 10, of one sign from 0 on, with weights proportional to
1 / (1 + |z|^gamma), and what beta costs is capped at half of epsilon, whatever smooth bound was found for it.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

END, STEPS = 10, 100


def capped(beta: float, epsilon: float, gamma: int, scales: int) -> tuple[float, float]:
    """Return beta as it is used, and k, the part of epsilon that is left for a slide: at least a half.

    Args:
        scales: how many candidates a change of the scale is paid for.

    >>> capped(1.0, 6.0, 4, 5), capped(0.01, 6.0, 4, 5)
    ((0.2, 0.5), (0.01, 0.975))
    """
    whole = epsilon / (2 * (gamma - 1))
    used = min(beta, whole / scales)
    return used, 1 - scales * used / (2 * whole)


def law(values: Floats, gamma: int, sides: int) -> Floats:
    """Return the exact law of argmax of values, in units of the noise, plus truncated noise; ties are split.

    >>> law(np.array([0.0, 10.5]), 4, 1).tolist()
    [0.0, 1.0]
    """
    z, weights, below = _grid(gamma, sides)
    # In hundredths: how far another's noise may reach for the first to stay ahead.
    lead = (values[:, None] - values) * STEPS
    reach = lead[:, None, :] + np.arange(z.size)[:, None]
    place = np.floor(reach).astype(np.int64)
    strictly = below[np.clip(place, -1, z.size - 1) + 1]
    even = np.where((place == reach) & (place >= 0) & (place < z.size), weights[np.clip(place, 0, z.size - 1)] / 2, 0.0)
    others = strictly - even
    candidates = np.arange(values.size)
    others[candidates, :, candidates] = 1.0
    result: Floats = others.prod(axis=2) @ weights
    return result / result.sum()  # type: ignore[no-any-return]


@lru_cache(maxsize=16)
def _grid(gamma: int, sides: int) -> tuple[Floats, Floats, Floats]:
    """Return the noise, its weights, and the chance of the first n of them, n from 0 on."""
    z = np.arange(-END * STEPS if sides == 2 else 0, END * STEPS + 1) / STEPS
    weights = 1 / (1 + np.abs(z) ** gamma)
    weights /= weights.sum()
    return z, weights, np.concatenate(([0.0], np.cumsum(weights)))

"""Noisy max with heavy-tailed noise in floating point: the one draw that is not exact, so its mechanisms say so."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.coins import Entropy
from dpselect.kernel.units import double
from dpselect.mechanisms.smooth.noise_distributions import Noise


def noisy_max(ticks: NDArray[np.int64], rate: Fraction, entropy: Entropy, noise: Noise) -> int:
    """Draw the largest of ticks * rate + noise, in floating point."""
    rows = noise.words + noise.sides - 1
    words = np.frombuffer(entropy(8 * ticks.size * rows), dtype=np.uint64).reshape(rows, ticks.size)
    uniform = ((words >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    value = noise.drawn(uniform[: noise.words])
    if noise.sides == 2:
        value = np.where(uniform[-1] < 0.5, -value, value)
    behind = (ticks.max() - ticks) * double(rate)
    return int(np.argmax(value - behind))

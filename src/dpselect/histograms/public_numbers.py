"""Public pseudo-random numbers, for workloads and made-up data only: they hide nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpselect.histograms.count_arrays import Floats
from dpselect.kernel.errors import InputError


class PublicNumbers:
    """A reproducible stream of uniform numbers (SplitMix64). Never used for a private draw.

    Args:
        seed: an integer >= 0; the same seed gives the same numbers on every machine.

    >>> PublicNumbers(7).uniform(3).round(3).tolist() == PublicNumbers(7).uniform(3).round(3).tolist()
    True
    """

    def __init__(self, seed: int) -> None:
        self._at = int(np.uint64(require_seed(seed)))

    def uniform(self, count: int) -> Floats:
        """Return numbers in (0, 1), shape (count,)."""
        with np.errstate(over="ignore"):
            state = np.uint64(self._at) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
            self._at = int(state[-1]) if count else self._at
            state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            state ^= state >> np.uint64(31)
        return ((state >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53

    def below(self, bound: int, count: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return integers in [0, bound), shape (count,)."""
        return (self.uniform(count) * bound).astype(np.int64)

    def normal(self, count: int) -> Floats:
        """Return standard normal numbers, shape (count,) (Box and Muller)."""
        radius = np.sqrt(-2 * np.log(self.uniform(count)))
        return np.asarray(radius * np.cos(2 * np.pi * self.uniform(count)))


def require_seed(seed: Any) -> int:
    """Return the seed, or say what to pass."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**63:
        raise InputError("seed must be an integer >= 0: it makes public numbers repeatable.")
    return int(seed)

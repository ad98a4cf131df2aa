"""A walk over distances: the values delta(t) and their running sums b(t), accurate enough for ticks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.scores.sensitivity import Floats, Sensitivity

# Most scores end within a few steps; after that longer stretches cost fewer calls. Plain sums run over one
# stretch only, so their error stays below 64 units in the last place; the carry between stretches is exact to
# twice the precision of a float.
_FIRST, _LONGEST, _CELLS = 4, 64, 2**22
# Where a walk over a longer public reach ends: up to here its rounding stays below an eighth of half a tick.
LONGEST_WALK = 2**24


@dataclass(frozen=True)
class Stretch:
    """Consecutive distances: ``values[i]`` is delta(start + i), ``sums[i]`` is b(start + i), one row per profile.

    ``values`` has shape (k, profiles), ``sums`` (k + 1, profiles).
    """

    start: int
    values: Floats
    sums: Floats


class Walk:
    """Stretches from distance 0 to the public end: the reach, at most 2^24, or 2^20 where none is known.

    Sums beyond floats are infinite, which is more than any score: a walk with such a sum ahead ends before it.

    Attributes:
        end: the distance at which the walk ends.
    """

    def __init__(self, sensitivity: Sensitivity) -> None:
        self.end = min(sensitivity.horizon, LONGEST_WALK)
        self._sensitivity = sensitivity
        self._only: NDArray[np.intp] | None = None
        self._high: Floats = np.zeros(1)
        self._low: Floats = np.zeros(1)

    def narrow(self, kept: NDArray[np.intp]) -> None:
        """Walk on with some rows only: positions among those of the last stretch."""
        self._only = kept if self._only is None else self._only[kept]
        self._high, self._low = self._high[kept], self._low[kept]

    def __iter__(self) -> Iterator[Stretch]:
        start, length = 0, _FIRST
        while start < self.end:
            stop = min(start + length, self.end)
            values = self._sensitivity.by_profile(np.arange(start, stop, dtype=np.int64), self._only)
            if (values[1:] < values[:-1]).any():
                raise InputError("A sensitivity must not fall with the distance: check the function passed.")
            # A sum that overflows stays infinite, and its error is nothing; nobody looks beyond it.
            with np.errstate(over="ignore", invalid="ignore"):
                inner = np.vstack((np.zeros(values.shape[1]), np.cumsum(values, axis=0)))
                sums = self._high + (self._low + inner)
                self._high, error = _two_sum(self._high, inner[-1])
                self._low = np.where(np.isfinite(self._high), self._low + error, 0.0)
            yield Stretch(start, values, sums)
            start = stop
            length = max(1, min(2 * length, _LONGEST, _CELLS // self._high.size))


def walk(sensitivity: Sensitivity) -> Walk:
    """Return the walk over a sensitivity, ready to be iterated once."""
    return Walk(sensitivity)


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the rounded sum and its exact rounding error (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)

"""A walk over distances: the values delta(t) and their running sums b(t), accurate enough for ticks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpselect.core.sensitivity import Floats, Sensitivity

# Most scores end within a few steps; after that longer stretches cost fewer calls. Plain sums run over one
# stretch only, so their error stays below 64 units in the last place; the carry between stretches is exact to
# twice the precision of a float.
_FIRST, _LONGEST, _CELLS = 4, 64, 2**22


@dataclass(frozen=True)
class Stretch:
    """Consecutive distances: ``values[i]`` is delta(start + i), ``sums[i]`` is b(start + i), a row a profile.

    ``values`` has shape (k, profiles), ``sums`` (k + 1, profiles).
    """

    start: int
    values: Floats
    sums: Floats


def walk(sensitivity: Sensitivity) -> Iterator[Stretch]:
    """Yield stretches from distance 0 to the horizon: the public reach, or 2^20 where none is known."""
    start, length = 0, _FIRST
    high: Floats | None = None
    while start < sensitivity.horizon:
        stop = min(start + length, sensitivity.horizon)
        values = sensitivity.profiled(np.arange(start, stop, dtype=np.int64))
        if high is None:
            high, low = np.zeros(values.shape[1]), np.zeros(values.shape[1])
        if (np.diff(values, axis=0) < 0).any():
            raise ValueError("A sensitivity must not fall with the distance: check the function passed.")
        inner = np.vstack((np.zeros(values.shape[1]), np.cumsum(values, axis=0)))
        yield Stretch(start, values, high + (low + inner))
        high, error = _two_sum(high, inner[-1])
        low += error
        start = stop
        length = max(1, min(_LONGEST, _CELLS // values.shape[1]))


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the rounded sum and its exact rounding error (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)

"""The range of the target of a regression: a noisy histogram, and what is read from it by public rules.

The declared range is public and often many times wider than what occurs. Noise is scaled to the range, so a tree works
within the part of it that the survey leaves: what lies outside is cut at its ends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpselect.utilities.splits import Integers
from dpselect.views.targets import STEPS

_LEAST_CELLS, _MOST_CELLS = 4, 256
# Cells are so many that one of them would hold this many times the scale of its noise.
_PER_CELL = 16
# The share of records that the ends of the range may cut off: a fixed part, and one that falls as noise does.
_CUT, _CUT_IN_NOISE = 0.002, 1.5
_NARROWEST, _WIDEST = 0.05, 0.35


@dataclass(frozen=True)
class TargetSummary:
    """The part of the grid that a tree works in, and where targets lie in it: released.

    Attributes:
        low, high: steps of the grid; what is outside is cut.
        centre: of the targets, as a share of that range.
        spread: their standard deviation, as a share of that range; from .05 to .35.
    """

    low: int
    high: int
    centre: float
    spread: float

    @property
    def width(self) -> int:
        """Return the steps of the range."""
        return self.high - self.low


def cells_for(size: int, noise: float) -> int:
    """Return how many cells the histogram of a (noisy) number of records has: a power of 2.

    Args:
        noise: the standard deviation of each count.

    >>> [cells_for(n, 28.0) for n in (0, 1000, 10_000, 100_000, 10**12)]
    [4, 4, 32, 256, 256]
    """
    wanted = max(size, 1) * math.sqrt(2) / noise / _PER_CELL
    return int(2 ** round(math.log2(min(max(wanted, _LEAST_CELLS), _MOST_CELLS))))


def summarize_targets(histogram: Integers, size: int, noise: float) -> TargetSummary:
    """Return what a noisy histogram of the whole grid says; the whole grid where it says nothing.

    An end cell is cut off while even its noise would not make what is cut off more than a public share.

    Args:
        histogram: noisy counts of even cells.
        size: the noisy number of records.
        noise: the standard deviation of each.
    """
    cells, records = histogram.size, max(size, 1)
    most = records * (_CUT + _CUT_IN_NOISE / math.sqrt(max(records * math.sqrt(2) / noise, 1.0)))
    below, above = _cut(histogram, noise, most), _cut(histogram[::-1], noise, most)
    if below + above >= cells:
        below = above = 0
    low, high = below * STEPS // cells, (cells - above) * STEPS // cells
    weight = np.maximum(histogram, 0).astype(np.float64)
    middle = (np.arange(cells) + 0.5) / cells * STEPS
    place = (np.clip(middle, low, high) - low) / (high - low)
    if weight.sum() <= 0:
        return TargetSummary(low, high, 0.5, _WIDEST)
    weight /= weight.sum()
    centre = float(weight @ place)
    spread = math.sqrt(float(weight @ (place - centre) ** 2))
    return TargetSummary(low, high, centre, min(max(spread, _NARROWEST), _WIDEST))


def _cut(histogram: Integers, noise: float, most: float) -> int:
    """Return how many cells may be cut off at the front."""
    held: NDArray[np.float64] = np.cumsum(histogram) + noise * np.sqrt(np.arange(1, histogram.size + 1))
    return int(np.argmin(np.append(held <= most, False)))

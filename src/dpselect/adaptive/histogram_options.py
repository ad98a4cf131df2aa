"""Private histograms to choose among: six algorithms as options over arrays of counts, and what tells them apart.

Sensitivities, one record more or fewer: the total and the non-zero cells move by 1; the roughness (the sum of
|x_i - x_(i+1)| along the line, or along a Hilbert curve) by 2; the standard deviation of k block sums by
sqrt(k - 1) / k.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect import histograms
from dpselect.adaptive.metafeature import Metafeature
from dpselect.adaptive.option import Option
from dpselect.histograms.count_arrays import require_counts
from dpselect.histograms.hilbert import curve
from dpselect.histograms.rates import rehearse
from dpselect.kernel.errors import InputError

Integers = NDArray[np.int64]
# Blocks a side: 16 in all, on a line as on a grid.
_BLOCKS = {1: 16, 2: 4}
# A cell beyond this adds nothing to the spread. sqrt(15) / 16, rounded up.
_SPREAD_CLIP = 2**24
SPREAD = Fraction(242062, 10**6)
# What released counts say together: mass is epsilon times records, the others are 0 for flat and full data.
DERIVED = {
    "mass": "log1p(max(epsilon * total, 0))",
    "density": "log1p(max(epsilon * total, 0) / cells)",
    "sparsity": "1 - min(max(nonzero, 0) / cells, 1)",
    "unevenness": "log1p(16 * max(spread, 0) / max(total, 1))",
    "texture": "min(max(roughness, 0) / max(total, 1), 2)",
}
FEATURES = None
METAFEATURES = "paid"
LEARNER = "forest"


def options(names: Sequence[str] = tuple(histograms.EVERY_ALGORITHM)) -> list[Option]:
    """Return the algorithms as options: from counts and epsilon to estimated counts.

    Raises:
        ValueError: a name that is not one of theirs.
    """
    unknown = [name for name in names if name not in histograms.EVERY_ALGORITHM]
    if unknown:
        raise InputError(f"The histogram {unknown[0]!r} does not exist: take {', '.join(histograms.EVERY_ALGORITHM)}.")
    return [Option(name, _Estimate(name), rehearse=_Estimate(name).rehearse) for name in names]


@dataclass(frozen=True)
class _Estimate:
    """Run one algorithm; processes can be handed it."""

    name: str

    def __call__(self, counts: Integers, epsilon: Fraction) -> NDArray[np.float64]:
        estimate: NDArray[np.float64] = histograms.EVERY_ALGORITHM[self.name](counts, epsilon=epsilon)
        return estimate

    def rehearse(self, counts: Integers, epsilon: Fraction) -> None:
        """Refuse what the algorithm would refuse of the public shape."""
        rehearse(self.name, np.shape(counts), epsilon)


def range_error(counts: Integers, estimate: NDArray[np.float64]) -> float:
    """Return the scaled average error of 2,000 random range queries, as DPBench does."""
    return histograms.scaled_average_error(estimate, counts, _ranges(counts.shape))


LOSS = range_error


def metafeatures() -> list[Metafeature]:
    """Return the public domain size and dimensions, and four facts to be paid for.

    >>> counts = np.array([5, 0, 3, 0])
    >>> {each.name: round(each.value(counts), 2) for each in metafeatures()}
    {'cells': 4.0, 'axes': 1.0, 'total': 8, 'nonzero': 2, 'spread': 1.37, 'roughness': 11}
    """
    return [
        Metafeature("cells", _cells, public=True, scale="log"),
        Metafeature("axes", _axes, public=True),
        Metafeature("total", _total, sensitivity=1, scale="log"),
        Metafeature("nonzero", _nonzero, sensitivity=1, scale="log"),
        Metafeature("spread", _spread, sensitivity=SPREAD, scale="log"),
        Metafeature("roughness", _roughness, sensitivity=2, scale="log"),
    ]


def _cells(counts: Integers) -> int:
    return int(counts.size)


def _axes(counts: Integers) -> int:
    return counts.ndim


def _total(counts: Integers) -> int:
    return int(require_counts(counts).sum())


def _nonzero(counts: Integers) -> int:
    return int(np.count_nonzero(require_counts(counts)))


def _spread(counts: Integers) -> float:
    """Return the population standard deviation of sixteen block sums."""
    # Far from where floats could not tell one record more from none; a clip moves nothing further apart.
    counts = np.minimum(require_counts(counts), _SPREAD_CLIP)
    many = _BLOCKS[counts.ndim]
    block = np.zeros(counts.shape, dtype=np.int64)
    for axis, side in enumerate(counts.shape):
        along = np.arange(side) * many // side
        block = block * many + along.reshape([-1 if other == axis else 1 for other in range(counts.ndim)])
    sums = np.bincount(block.ravel(), weights=counts.ravel(), minlength=16)
    # The mean of sixteen is exact, and so is what stands under the root, up to its own rounding.
    return math.sqrt(math.fsum((16 * each - float(sums.sum())) ** 2 for each in sums.tolist()) / 16**3)


def _roughness(counts: Integers) -> int:
    return int(np.abs(np.diff(require_counts(counts).ravel()[curve(counts.shape)])).sum())


@lru_cache(maxsize=8)
def _ranges(shape: tuple[int, ...]) -> Any:
    return histograms.Workload.random_ranges(shape)

"""DAWA as its authors' program runs it: what won in the literature, and why it is not private. It only computes.

The program (``L1partition_approx`` in the C++ part of DPBench and of ektelo) departs in three places from a partition
of least noisy cost, as it is proved in ``release/partition.md``:

- a noisy cost is at least 1 / epsilon2: every second flat interval costs no more than one cell does, and flat stretches
  melt into one bucket;
- intervals of one cell get no noise, so that a long interval is measured against costs that are known exactly;
- the noise has scale (2 - 1/length - 1/cells) / epsilon1, about half of what one noise for each interval needs.

Each is a switch here. ``apart`` is the exact chance that every cell of a line becomes its own bucket, and
``empty_line_loss`` how much one record changes it on an empty line: with either of the first two switches on, the
partition loses more than epsilon1, and the more the longer the line is.

Source of the algorithm: Li, Hay, Miklau and Wang 2014.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.histograms.hb import branching
from dpselect.histograms.hierarchy import block_sums, consistent
from dpselect.kernel.errors import InputError

Floats = NDArray[np.float64]
_SHARE = 0.25


@dataclass(frozen=True)
class Program:
    """The first stage, with each departure on or off; all on is the program as it was released.

    Attributes:
        floor: a noisy cost is at least 1 / epsilon2.
        exact_cells: intervals of one cell get no noise.
        little_noise: scale (2 - 1/length - 1/cells) / epsilon1; else 4 / epsilon1.
        no_noise: costs without any noise: how well a partition could be found.
    """

    floor: bool = True
    exact_cells: bool = True
    little_noise: bool = True
    no_noise: bool = False

    def scale(self, length: int, cells: int) -> float:
        """Return the scale of the noise on a cost, in units of 1 / epsilon1."""
        if self.no_noise or (self.exact_cells and length == 1):
            return 0.0
        return 2 - 1 / length - 1 / cells if self.little_noise else 4.0

    def edges(self, line: Floats, epsilon: float, numbers: np.random.Generator) -> NDArray[np.int64]:
        """Return the edges of the buckets; every start is tried, as in the program."""
        cells, first, rest = line.size, _SHARE * epsilon, (1 - _SHARE) * epsilon
        costs = []
        for length, deviation in _deviations(line.tobytes()):
            cost = deviation + 1 / rest + numbers.laplace(0, 1, deviation.size) * self.scale(length, cells) / first
            costs.append((np.maximum(cost, 1 / rest) if self.floor else cost).tolist())
        return _cheapest(cells, costs)

    def estimate(self, counts: Any, epsilon: Any, numbers: np.random.Generator) -> Floats:
        """Return the histogram of a line: these buckets, counted as ``dpselect.histograms.dawa`` counts them."""
        line, total = np.asarray(counts, dtype=np.float64), float(Fraction(epsilon))
        edges = self.edges(line, total, numbers)
        factor = branching((edges.size - 1,))
        levels = block_sums(np.add.reduceat(line, edges[:-1]).astype(np.int64), factor)
        scale = len(levels) / ((1 - _SHARE) * total)
        buckets = consistent([level + numbers.laplace(0, scale, level.shape) for level in levels], factor)
        return np.repeat(buckets / np.diff(edges), np.diff(edges))


def apart(counts: Any, epsilon: float, program: Program = Program()) -> float:
    """Return the chance that every cell becomes its own bucket: exact where cells get no noise.

    Every interval of L cells must cost more than its cells do, (L - 1) / epsilon2 more than its own 1 / epsilon2: a
    product of chances, since every interval has a noise of its own.
    """
    if not program.exact_cells:
        raise InputError("Only where cells get no noise is the chance a product: pass a program with exact cells.")
    line, chance = np.asarray(counts, dtype=np.float64), 1.0
    first, rest = _SHARE * epsilon, (1 - _SHARE) * epsilon
    for length, deviation in _deviations(line.tobytes())[1:]:
        needed = ((length - 1) / rest - deviation) * first / program.scale(length, line.size)
        chance *= float(np.prod(np.where(needed > 0, np.exp(-np.abs(needed)) / 2, 1 - np.exp(-np.abs(needed)) / 2)))
    return chance


def empty_line_loss(cells: int, program: Program = Program()) -> float:
    """Return how many epsilon1 the partition of an empty line loses at least, for any epsilon of at most 1.

    It is ln of how much likelier one record makes it that all cells stay apart. On an empty line every interval needs a
    noise in its upper tail for that, with a floor even where cells have noise themselves: their costs only rise. A
    record lowers what the intervals of L cells around it need by 2 (1 - 1/L), still above 0, and each of their chances
    is multiplied by e to the power of that over its scale. Without a floor and exact cells costs of cells may fall, and
    this is not a bound.

    >>> round(empty_line_loss(2), 3), round(empty_line_loss(8), 3), round(empty_line_loss(1024))
    (1.0, 6.147, 1019)
    """
    if not (program.exact_cells or program.floor):
        raise InputError("Without a floor and exact cells one noise hides the record: this loss is not its bound.")
    middle, loss = (cells - 1) // 2, 0.0
    for length in _lengths(cells)[1:]:
        holding = min(middle, cells - length) - max(0, middle - length + 1) + 1
        loss += holding * 2 * (1 - 1 / length) / program.scale(length, cells)
    return loss


def _lengths(cells: int) -> list[int]:
    return [2**power for power in range(cells.bit_length()) if 2**power <= cells]


@lru_cache(maxsize=4)
def _deviations(content: bytes) -> list[tuple[int, Floats]]:
    """Return lengths, and sum |x - mean| of every interval of each, of a line of floats."""
    line, result = np.frombuffer(content, dtype=np.float64), []
    for length in _lengths(line.size):
        blocks = np.lib.stride_tricks.sliding_window_view(line, length)
        result.append((length, np.abs(blocks - blocks.mean(axis=1, keepdims=True)).sum(axis=1)))
    return result


def _cheapest(cells: int, costs: list[list[float]]) -> NDArray[np.int64]:
    """Return the edges of the cheapest partition; among equals the longer last bucket, as in the program."""
    best, came = [0.0] + [np.inf] * cells, [0] * (cells + 1)
    for stop in range(1, cells + 1):
        for power, column in enumerate(costs):
            start = stop - 2**power
            if start < 0:
                break
            total = best[start] + column[start]
            if total <= best[stop]:
                best[stop], came[stop] = total, start
    edges = [cells]
    while edges[-1]:
        edges.append(came[edges[-1]])
    return np.array(edges[::-1], dtype=np.int64)

"""A private partition into even buckets, then a hierarchy on the buckets."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import ceil, prod
from typing import Any

import numpy as np

from dpselect.histograms.count_arrays import COUNT_CLIP, Floats, Integers
from dpselect.histograms.hb import branching, measure_blocks
from dpselect.histograms.hierarchy import height
from dpselect.histograms.hilbert import curve
from dpselect.histograms.release_histogram import release_histogram
from dpselect.kernel.bound import Bound
from dpselect.kernel.numbers import Epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.release.partition import IntervalCandidates
from dpselect.release.session import Session

PARTITION_SHARE = Fraction(1, 4)
# The best of 0 to 3 on most made-up shapes, by up to four times on small ones.
BUCKET_PRICE = 2


def dawa(counts: Any, *, epsilon: Epsilon, ledger: Accountant | None = None) -> Floats:
    """Return even buckets that follow the data: what data with flat stretches want.

    A quarter of epsilon finds a partition into intervals of least cost sum |x - mean| + 1 / epsilon2, the rest is
    epsilon2 and counts the buckets through a hierarchy. A grid is laid along a Hilbert curve first.

    Args, Returns, Raises: as :func:`dpselect.histograms.identity`.

    Guarantee: epsilon-differential privacy, one record more or fewer (proof in ``dawa.md``).

    >>> from dpselect import budget
    >>> with budget(epsilon=1000):
    ...     dawa([5, 5, 5, 5, 900, 900, 0, 0], epsilon=1000).round().tolist()
    [5.0, 5.0, 5.0, 5.0, 900.0, 900.0, 0.0, 0.0]

    Source: Li, Hay, Miklau and Wang 2014 (DAWA), with one noise for each candidate interval.

    Limits: DAWA has no floor. The step that puts it ahead in the literature is not private at the epsilon asked for, so
    ``dawa`` leaves it out.
    """
    return release_histogram("histogram dawa", estimate, least_rate, counts, epsilon, ledger)


def coarse_dawa(counts: Any, *, epsilon: Epsilon, ledger: Accountant | None = None) -> Floats:
    """Return what :func:`dawa` returns, with a public price on every bucket: fewer buckets, better on small data.

    Among many noisy costs the least are mostly lucky noise, and the published cost cuts flat stretches to pieces. Here
    a bucket costs twice the scale of that noise more. The price is public, so the guarantee and its proof are the same.

    Args, Returns, Raises: as :func:`dpselect.histograms.identity`.

    >>> from dpselect import budget
    >>> with budget(epsilon=1000):
    ...     coarse_dawa([5, 5, 5, 5, 900, 900, 0, 0], epsilon=1000).round().tolist()
    [5.0, 5.0, 5.0, 5.0, 900.0, 900.0, 0.0, 0.0]

    Source: ours, after Li, Hay, Miklau and Wang 2014.
    """
    return release_histogram(
        "histogram coarse_dawa", partial(estimate, price=BUCKET_PRICE), least_rate, counts, epsilon, ledger
    )


def least_rate(shape: tuple[int, ...], epsilon: Fraction) -> Fraction:
    """Return the rate of the noise on a cost, or on a bucket among as many levels as there can be."""
    cells, first = prod(shape), PARTITION_SHARE * epsilon
    return min(first / (4 * _padded_length(cells)), (epsilon - first) / height((cells,), 2))


def _padded_length(cells: int) -> int:
    return 1 << (cells - 1).bit_length()


def estimate(counts: Integers, epsilon: Fraction, draws: Session, *, price: int = 0) -> Floats:
    """Return the bucketed histogram; a counted bucket is spread over its cells."""
    order = curve(counts.shape)
    line = counts.ravel()[order]
    first = PARTITION_SHARE * epsilon
    edges = partition(line, first, epsilon - first, draws, price)
    totals = np.add.reduceat(line, edges[:-1])
    buckets = measure_blocks(totals, branching(totals.shape), epsilon - first, draws)
    spread = np.empty(line.size)
    spread[order] = np.repeat(buckets / np.diff(edges), np.diff(edges))
    return spread.reshape(counts.shape)


def partition(line: Integers, epsilon: Fraction, rest: Fraction, draws: Session, price: int = 0) -> Integers:
    """Return the edges of the buckets of least noisy cost.

    Args:
        line: shape (n,), counts.
        epsilon: what the partition may cost.
        rest: what the buckets are counted with, epsilon2.
        draws: where the noise comes from.
        price: of a bucket beside 1 / epsilon2, in scales of the noise.
    """
    cells = _padded_length(line.size)
    # No cost leaves 62 bits: a public clip, and one record still moves a clipped count by at most 1.
    clip = min(COUNT_CLIP, 2**60 // cells**2)
    padded = np.pad(np.minimum(line, clip), (0, cells - line.size))
    costs = deviations(padded) + ceil(cells / rest + price * 4 * cells / epsilon)
    edges = draws.partition(candidates(cells), costs, epsilon, Bound(2 * cells))
    return np.append(edges[edges < line.size], line.size)


def candidates(cells: int) -> IntervalCandidates:
    """Return every candidate interval of a line of ``cells`` cells, a power of two."""
    starts, stops = [], []
    for length in lengths(cells):
        first = np.arange(0, cells - length + 1, max(1, length // 2), dtype=np.int64)
        starts.append(first)
        stops.append(first + length)
    return IntervalCandidates(cells, np.concatenate(starts), np.concatenate(stops))


def lengths(cells: int) -> list[int]:
    """Return 1, 2, 4, ... up to the whole line."""
    return [2**power for power in range(cells.bit_length())]


def deviations(line: Integers) -> Integers:
    """Return sum |x - mean| of every candidate interval, in ticks of 1/cells: exact integers, shape (k,).

    For an interval of length n and sum s it is (cells / n) sum |n x - s|.
    """
    cells, levels = line.size, []
    for length in lengths(cells):
        step = max(1, length // 2)
        blocks = np.lib.stride_tricks.sliding_window_view(line, length)[::step]
        sums = blocks.sum(axis=1, keepdims=True)
        levels.append(np.abs(length * blocks - sums).sum(axis=1) * (cells // length))
    return np.concatenate(levels)

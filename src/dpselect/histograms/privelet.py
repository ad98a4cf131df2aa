"""The Haar wavelet of a histogram, with noise on its coefficients."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from dpselect.histograms.count_arrays import Floats, Integers
from dpselect.histograms.release_histogram import release_histogram
from dpselect.kernel.bound import Bound
from dpselect.kernel.numbers import Epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.release.session import Session


def privelet(counts: Any, *, epsilon: Epsilon, ledger: Accountant | None = None) -> Floats:
    """Return the histogram of noisy Haar coefficients: long ranges cost only logarithmically more than short ones.

    Every coefficient is kept as the integer sum(left half) - sum(right half), beside the total. The published weights
    give the mean difference noise in proportion to 1/length: in integers the same noise on every coefficient.

    Args, Returns, Raises: as :func:`dpselect.histograms.identity`.

    Guarantee: epsilon-differential privacy, one record more or fewer: a record moves 1 + log2(n) coefficients by 1,
    n the side rounded up to a power of two; on a grid the product over both axes.

    >>> from dpselect import budget
    >>> with budget(epsilon=1000):
    ...     privelet([3, 1, 4, 1, 5], epsilon=1000).round().tolist()
    [3.0, 1.0, 4.0, 1.0, 5.0]

    Source: Xiao, Wang and Gehrke 2010 (Privelet), sections 4 and 6.
    """
    return release_histogram("histogram privelet", estimate, least_rate, counts, epsilon, ledger)


def least_rate(shape: tuple[int, ...], epsilon: Fraction) -> Fraction:
    """Return epsilon over the coefficients that one record moves."""
    return epsilon / _haar_bound(shape).total


def _haar_bound(shape: tuple[int, ...]) -> Bound:
    return Bound(prod((side - 1).bit_length() + 1 for side in shape))


def estimate(counts: Integers, epsilon: Fraction, draws: Session) -> Floats:
    """Return the histogram that the noisy coefficients describe."""
    padded = np.pad(counts, [(0, 2 ** (side - 1).bit_length() - side) for side in counts.shape])
    values = draws.counts(haar_transform(padded), epsilon, _haar_bound(counts.shape)).astype(np.float64)
    return inverse_haar(values)[tuple(slice(side) for side in counts.shape)]


def haar_transform(values: Integers) -> Integers:
    """Return integer Haar coefficients along every axis; sides are powers of two.

    Along an axis position 0 holds the total and positions m .. 2m - 1 the differences of the m blocks of a level.
    """
    for axis in range(values.ndim):
        rest, levels = np.moveaxis(values, axis, 0), []
        while len(rest) > 1:
            levels.append(rest[0::2] - rest[1::2])
            rest = rest[0::2] + rest[1::2]
        values = np.moveaxis(np.concatenate([rest, *levels[::-1]]), 0, axis)
    return values


def inverse_haar(values: Floats) -> Floats:
    """Return the histogram of Haar coefficients."""
    for axis in reversed(range(values.ndim)):
        turned = np.moveaxis(values, axis, 0)
        sums = turned[:1]
        while len(sums) < len(turned):
            differences = turned[len(sums) : 2 * len(sums)]
            halves = np.stack([(sums + differences) / 2, (sums - differences) / 2], axis=1)
            sums = halves.reshape(-1, *turned.shape[1:])
        values = np.moveaxis(sums, 0, axis)
    return values

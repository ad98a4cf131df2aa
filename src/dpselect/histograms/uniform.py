"""One noisy total, spread evenly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.histograms.count_arrays import ONE, Floats, Integers
from dpselect.histograms.release_histogram import release_histogram
from dpselect.kernel.numbers import Epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.release.session import Session


def uniform(counts: Any, *, epsilon: Epsilon, ledger: Accountant | None = None) -> Floats:
    """Return the noisy total, at least 0, spread evenly over the cells: what small or even data want.

    Args, Returns, Raises: as :func:`dpselect.histograms.identity`.

    Guarantee: epsilon-differential privacy, one record more or fewer.

    >>> from dpselect import budget
    >>> with budget(epsilon=100):
    ...     uniform([3, 1, 4, 0], epsilon=100).tolist()
    [2.0, 2.0, 2.0, 2.0]

    Source: the baseline of Hay et al. 2016 (DPBench), section 3.
    """
    return release_histogram("histogram uniform", estimate, least_rate, counts, epsilon, ledger)


def least_rate(_: tuple[int, ...], epsilon: Fraction) -> Fraction:
    """Return epsilon."""
    return epsilon


def estimate(counts: Integers, epsilon: Fraction, draws: Session) -> Floats:
    """Return an even histogram: one record moves the total by 1."""
    total = draws.counts(counts.sum(keepdims=True).reshape(1), epsilon, ONE)[0]
    return np.full(counts.shape, max(0, int(total)) / counts.size)

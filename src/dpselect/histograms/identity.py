"""Noise on every cell."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpselect.histograms.count_arrays import ONE, Floats, Integers
from dpselect.histograms.release_histogram import release_histogram
from dpselect.kernel.numbers import Epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.release.session import Session


def identity(counts: Any, *, epsilon: Epsilon, ledger: Accountant | None = None) -> Floats:
    """Return every count plus two-sided geometric noise of rate epsilon: what large data want.

    Args:
        counts: shape (n,) or (rows, columns), integers >= 0 over a public domain.
        epsilon: the whole cost.
        ledger: where the spend is recorded.

    Returns:
        Estimated counts, of the shape of ``counts``; they may be negative.

    Raises:
        TypeError, ValueError: counts that are not a histogram; epsilon below 1/10000.
        BudgetError: the ledger does not allow it; nothing was spent.

    Guarantee: epsilon-differential privacy, one record more or fewer.

    >>> from dpselect import budget
    >>> with budget(epsilon=100):
    ...     identity([3, 1, 4], epsilon=100).tolist()
    [3.0, 1.0, 4.0]

    Source: Dwork, McSherry, Nissim and Smith 2006; geometric noise: Ghosh, Roughgarden and Sundararajan 2009.
    """
    return release_histogram("histogram identity", estimate, least_rate, counts, epsilon, ledger)


def least_rate(_: tuple[int, ...], epsilon: Fraction) -> Fraction:
    """Return epsilon."""
    return epsilon


def estimate(counts: Integers, epsilon: Fraction, draws: Session) -> Floats:
    """Return noisy counts: one record moves one of them by 1."""
    return draws.counts(counts, epsilon, ONE).astype(float)

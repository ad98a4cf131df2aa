"""The median of one column, in one call: rank scores, permute-and-flip, a release."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from dpselect import utilities
from dpselect.kernel.budget import Spender
from dpselect.kernel.numbers import Epsilon
from dpselect.mechanisms import mechanism
from dpselect.release.select import Release, select
from dpselect.views import Column, StoredColumn


def median(
    values: ArrayLike | Column | StoredColumn,
    *,
    lower: Any = None,
    upper: Any = None,
    step: Any = None,
    grid: ArrayLike | None = None,
    epsilon: Epsilon,
    ledger: Spender | None = None,
) -> Release[float]:
    """Choose the median of a column privately, among the values of a public grid.

    The mechanism is fixed, so nothing about it depends on the data: permute-and-flip on the scores of
    :func:`dpselect.utilities.median`, the best of which is, of two records in the middle, the upper. Take those and
    :func:`dpselect.select` for another mechanism.

    Args:
        values: shape (n,). Each moves to the nearest grid value, of two the lower; what is missing or spells no number
            is left out. A column of an Ibis table is counted where it is.
        lower, upper, step: the public candidates lower, lower + step, ... up to upper; step is 1 between integers.
        grid: the candidates themselves instead, strictly increasing, at least 2.
        epsilon: the budget.
        ledger: where the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy, add-remove.

    Raises:
        PrivacyError: neither ``lower`` and ``upper`` nor ``grid``.
        ValueError: both, a bad grid, or an epsilon that is not positive and finite; nothing was spent.
        BudgetError: the ledger does not allow it; nothing was spent.

    >>> release = median(range(1001), lower=0, upper=1000, epsilon=10)
    >>> abs(release.candidate - 500) < 50, release.guarantee.epsilon
    (True, Fraction(10, 1))
    """
    scores = utilities.median(values, lower=lower, upper=upper, step=step, grid=grid)
    return select(scores, epsilon, mechanism=mechanism("permute-and-flip"), ledger=ledger)

"""The median of a column as a number, with noise that follows its smooth sensitivity.

The number is x_m, m = ceil(n / 2), of n values in [lower, upper], and its smooth sensitivity is exact: the largest of
e^(-beta t) A(t), A(t) the largest difference of two values t + 1 ranks apart about the middle (``order_statistic``).
Neighbours: substitution (n public). Public: the bounds, n, beta and the tick.

``dpselect.median`` chooses a value of a public grid instead, by ranks: it protects who is in the table, needs no smooth
bound, and is usually nearer. This one has no grid.

References: Nissim, Raskhodnikova and Smith 2007, section 3.1, with exact noise of a smaller scale.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpselect.kernel.errors import InputError
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.papers.median import public_bounds
from dpselect.release.release import Release
from dpselect.release.value import release_value
from dpselect.scores.order_statistic import order_statistic
from dpselect.scores.sensitivity import Sensitivity
from dpselect.utilities.grid_counts import records
from dpselect.views import Column


def smooth_median(
    values: ArrayLike | Column,
    *,
    lower: Any = 0,
    upper: Any = None,
    epsilon: Epsilon,
    noise: str = "student-t",
    beta: Epsilon | None = None,
    tick: Epsilon | None = None,
    ledger: Accountant | None = None,
) -> Release[Fraction]:
    """Release the median value of a column plus noise that follows its smooth sensitivity.

    Of an even number of values, the median is the lower of the two in the middle; ``dpselect.median`` is best at the
    upper one. Values outside the bounds move to the nearest bound; one that is missing or not a number counts as
    ``lower``, because n is public. Two integer bounds make integers of the values.

    Args:
        values: shape (n,), one number per record.
        lower, upper: public bounds.
        epsilon, noise, beta, tick, ledger: as for :func:`dpselect.release_value`.

    Guarantee: epsilon-differential privacy, substitution.

    Raises:
        PrivacyError: ``upper`` is missing.
        ValueError, TypeError: no records, or bad bounds; as :func:`dpselect.release_value`; nothing was spent.
        BudgetError: the ledger does not allow it; nothing was spent.

    >>> release = smooth_median(range(2001), upper=10_000, epsilon=1)
    >>> abs(release.value - 1000) < 1000, release.guarantee
    (True, Guarantee(epsilon=1, neighbours='substitution'))
    """
    value, sensitivity = middle_value(values, lower=lower, upper=upper)
    relation = Neighbours.SUBSTITUTION.value
    return release_value(
        value, sensitivity, epsilon=epsilon, neighbours=relation, noise=noise, beta=beta, tick=tick, ledger=ledger
    )


def middle_value(values: ArrayLike | Column, *, lower: Any = 0, upper: Any = None) -> tuple[float, Sensitivity]:
    """Return the median value and its sensitivity: both private, for release and for figures on public data.

    Raises:
        PrivacyError, ValueError, TypeError: as :func:`smooth_median`.

    >>> value, sensitivity = middle_value([3, 1, 7, 8], upper=10)
    >>> value, sensitivity.at([0, 1, 4]).ravel()
    (3, array([ 4.,  6., 10.]))
    """
    low, high = public_bounds(lower, upper)
    each = records(values, low, high)
    if not each.size:
        raise InputError("The median needs records: the column is empty.")
    rank = (each.size + 1) // 2
    return np.partition(each, rank - 1)[rank - 1].item(), order_statistic(each, rank, lower=low, upper=high)

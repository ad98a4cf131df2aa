"""The first few rows of every person, in the order of the table: which ones follows from that person's rows alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


def bound_contributions(who: Integers, most: int) -> Integers:
    """Return the positions of the first ``most`` rows of every person, increasing.

    Args:
        who: a number of at least 0 for the person of every row, negative for nobody, whose rows are left out.
        most: how many rows of one person are kept.

    >>> bound_contributions(np.array([7, 3, 7, -1, 7, 3]), 2)
    array([0, 1, 2, 5])
    """
    order = np.argsort(who, kind="stable")
    order = order[np.searchsorted(who[order], 0) :]
    starts = np.flatnonzero(np.append(True, np.diff(who[order]) != 0)) if order.size else np.zeros(0, np.int64)
    sizes = np.diff(np.append(starts, order.size))
    return np.sort(order[np.arange(order.size) - np.repeat(starts, sizes) < most])

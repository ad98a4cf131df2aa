"""The sensitivity of one of the values of a column in their order, such as its median, t steps away.

x_1 <= ... <= x_n lie within public bounds, n is public, and a step replaces one value. With x_i the lower bound for
i < 1 and the upper one for i > n, the value of rank m moves in the step after t others by at most

    max over j = 0 .. t + 1 of x_(m+j) - x_(m+j-t-1),

and by that much where values may be anything between the bounds. From t = n on that is all of the bounds' range.

References: Nissim, Raskhodnikova and Smith 2007, section 3.1. Proof: ``order_statistic.md``.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.scores.sensitivity import Floats, Sensitivity, profiles

Numbers = NDArray[np.int64] | NDArray[np.float64]


def order_statistic(values: Numbers, rank: int, *, lower: float, upper: float) -> Sensitivity:
    """Return how far one replaced value moves the value of a rank, for :func:`dpselect.release_value`.

    Args:
        values: shape (n,), n >= 1, within the bounds; integers or floats, in any order.
        rank: from 1, the least, to n.
        lower, upper: public.

    Raises:
        ValueError: a rank that there is not; values outside the bounds.

    >>> spread = order_statistic(np.array([1, 5, 6, 9]), 2, lower=0, upper=10)
    >>> spread.at([0, 1, 2, 4]).ravel()
    array([ 4.,  5.,  8., 10.])
    """
    size = values.size
    if not 1 <= rank <= size:
        raise InputError("rank is an integer from 1 to the number of values.")
    if values.min() < lower or values.max() > upper:
        raise InputError("Values lie within the public bounds: clip them first.")
    ordered: Numbers = np.sort(values)  # type: ignore[assignment]
    ends = [np.full(size + 1, end, dtype=ordered.dtype) for end in (lower, upper)]
    padded = np.concatenate([ends[0], ordered, ends[1]])
    middle = size + rank

    def rows(distances: NDArray[np.int64]) -> Floats:
        out = np.empty((distances.size, 1))
        for i, t in enumerate(np.minimum(distances, size - 1).tolist()):
            after = padded[middle : middle + t + 2]
            out[i] = _upwards((after - padded[middle - t - 1 : middle + 1]).max().item())
        return out

    # The difference of two floats may be rounded down; a Fraction is rounded up.
    return profiles(rows, ceiling=Fraction(upper) - Fraction(lower), reach=size)


def _upwards(difference: float) -> float:
    """Return a float that is not below the difference of two numbers, which was rounded once if they were floats."""
    if not difference or (isinstance(difference, int) and difference <= 2**53):
        return float(difference)
    return math.nextafter(float(difference), math.inf)

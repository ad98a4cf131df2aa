"""Selection by stability: the best candidate is named where its distance to another answer is large, else nothing is.

With d the number of records until the best candidate is another one, at least 1, it is named if d + Z > T, where Z is
Laplace noise of scale 1 / epsilon and T = 1 + ln(1 / (2 delta)) / epsilon. Otherwise the answer is a refusal.

Guarantee: (epsilon, delta). Neighbours with the same best candidate move d by at most 1. Neighbours with different ones
have d = 1 on both sides, and there a candidate is named with probability delta. T is the smallest for which that holds.
A law alone: this is a baseline and releases nothing.

References: Thakurta and Smith 2013, the distance to instability, on which Jostle's related work (Imola and Yang 2018)
builds by way of stability-based validation. Their threshold is ln(1 / delta) / epsilon with a distance from 0.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Integers = NDArray[np.int64]


def distance(counts: ArrayLike) -> int:
    """Return how many records, added or removed, make another candidate the first of the largest.

    Args:
        counts: records of each candidate, shape (m,), m at least 2; ties go to the first.

    >>> distance([5, 2, 1]), distance([2, 5, 1]), distance([3, 3])
    (4, 3, 1)
    """
    values = np.asarray(counts, dtype=np.int64)
    best = int(np.argmax(values))
    others = np.delete(np.arange(values.size), best)
    # A candidate in front of the best overtakes it by a tie.
    return int((values[best] - values[others] + (others > best)).min())


def threshold(epsilon: float, delta: float) -> float:
    """Return T."""
    return 1 + math.log(1 / (2 * delta)) / epsilon


def refused(far: int, epsilon: float, delta: float) -> float:
    """Return the probability of a refusal at a distance.

    >>> round(1 - refused(1, 1, 1e-6), 12), refused(30, 1, 1e-6) < 1e-6
    (1e-06, True)
    """
    behind = epsilon * (threshold(epsilon, delta) - far)
    return math.exp(behind) / 2 if behind < 0 else 1 - math.exp(-behind) / 2


def pmf(counts: ArrayLike, epsilon: float, delta: float) -> NDArray[np.float64]:
    """Return the probability of each candidate and, last, of a refusal, shape (m + 1,)."""
    values = np.asarray(counts)
    law = np.zeros(values.size + 1)
    law[-1] = refused(distance(values), epsilon, delta)
    law[int(np.argmax(values))] = 1 - law[-1]
    return law

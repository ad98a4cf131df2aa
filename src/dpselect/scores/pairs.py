"""Bounds on how far one neighbour moves the scores of two candidates apart, where each has a sensitivity of its own.

Half the sum of the two largest values takes the place of the largest one. Proof: ``pairs.md``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dpselect.scores.sensitivity import Floats, Sensitivity

# Below this a half may round.
_TINY = 2.0**-1000


def pair_bound(sensitivity: Sensitivity) -> Sensitivity:
    """Return half of the most that two different candidates move in all, for at least two candidates.

    >>> from dpselect.scores.sensitivity import element
    >>> pair_bound(element(lambda t: [1 + t, 3.0, 2.0], ceiling=9).over(3)).at([0, 4])
    array([[2.5],
           [4. ]])
    """
    profile = sensitivity.profile
    if profile is None or profile.size < 2 or sensitivity.smoothed is not None:
        return sensitivity
    used, counts = np.unique(profile, return_counts=True)
    if used.size < 2:
        return sensitivity

    def rows(t: NDArray[np.int64]) -> Floats:
        values = sensitivity.by_profile(t)[:, used]
        first = values.argmax(axis=1)
        two = np.partition(values, -2, axis=1)[:, -2:]
        second = np.where(counts[first] > 1, two[:, 1], two[:, 0])
        return _half_sum(two[:, 1], second)[:, None]

    return replace(sensitivity, rows=rows, profile=None, size=None, total=None, some=None, bounds=None, fixed=False)


def _half_sum(one: Floats, other: Floats) -> Floats:
    """Return floats that are not below half of the sums, and are it where it is a float."""
    x, y = one / 2, other / 2
    total = x + y
    behind = total - x
    # What the sum lost, exactly, and twice what the halves lost: something below the normal floats only.
    lost, halved = (x - (total - behind)) + (y - behind), (one - 2 * x) + (other - 2 * y)
    raised = (lost > 0) | ((lost == 0) & (halved > 0)) | ((total < _TINY) & ((one > 0) | (other > 0)))
    return np.where(raised, np.nextafter(total, np.inf), total)

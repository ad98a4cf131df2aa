"""The generalised exponential mechanism: every candidate has a global sensitivity of its own.

q(r) = min over r' of ((u(r) - t D_r) - (u(r') - t D_r')) / (D_r + D_r'), with D_r the public bound on how far
one neighbour moves u(r), and t >= 0 a public margin that favours candidates of small sensitivity.

Neighbours: those of the scores. Guarantee: epsilon-DP with bounded range; the effective score has range
bound 2 whatever the utility's was.

References: Raskhodnikova and Smith, FOCS 2016 (their t is (2/epsilon) ln(m/beta)).
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dpselect.core.errors import PrivacyError
from dpselect.core.mechanism import EXPONENTIAL, Mechanism
from dpselect.core.scores import Scores, UnitScores, floor_ticks

Floats = NDArray[np.float64]


def generalised_exponential(margin: float = 0.0) -> Mechanism:
    """Return the generalised exponential mechanism.

    Args:
        margin: t in the formula, in units of each candidate's own sensitivity: a public number >= 0.

    Raises:
        ValueError: the margin is negative, infinite or NaN.

    >>> import dpselect as dps
    >>> scores = dps.Scores([100.0, 99.0, 0.0], sensitivity=dps.sensitivity.constant([50.0, 1.0, 1.0]))
    >>> dps.mechanism("exponential").law(scores, 1).round(2)
    array([0.42, 0.42, 0.16])
    >>> dps.mechanism("generalised-exponential", margin=2).law(scores, 1).round(2)
    array([0.28, 0.72, 0.  ])
    """
    if not margin >= 0 or math.isinf(margin):
        raise ValueError("margin must be a public number >= 0.")
    return Mechanism(
        "generalised-exponential",
        "For candidates whose global sensitivities differ widely.",
        partial(_effective, margin=float(margin)),
        EXPONENTIAL,
        {"margin": margin},
    )


def separate(values: Floats, bounds: Floats, margin: float) -> Floats:
    """Return q, shape (m,): 0 for the best, negative for others. O(m log m), by tangents to a hull.

    -q(r) is the largest slope from the point (-D_r, a_r) to a point (D_s, a_s), a = u - margin D. All D are
    positive, so the tangent touches the upper hull of the points (D_s, a_s), where slopes rise and then fall.
    """
    reduced = values - margin * bounds
    hull = _upper_hull(bounds, reduced)
    width, height = bounds[hull], reduced[hull]
    low, high = np.zeros(values.size, dtype=np.intp), np.full(values.size, hull.size - 1)
    while (low < high).any():
        middle = (low + high) // 2
        # Past the tangent point the edge of the hull is flatter than the line of sight to its start.
        following = np.minimum(middle + 1, hull.size - 1)
        rise = (height[following] - height[middle]) * (width[middle] + bounds)
        sight = (height[middle] - reduced) * (width[following] - width[middle])
        onwards = (rise > sight) & (middle < high)
        low, high = np.where(onwards, middle + 1, low), np.where(onwards, high, middle)
    slopes = (height[low] - reduced) / (width[low] + bounds)
    return -np.maximum(slopes, 0.0)


def _upper_hull(x: Floats, y: Floats) -> NDArray[np.intp]:
    """Return positions on the upper hull of the points, x ascending."""
    order = np.lexsort((-y, x))
    order = order[np.concatenate(([True], np.diff(x[order]) > 0))]
    hull: list[int] = []
    for i in order.tolist():
        while len(hull) > 1:
            a, b = hull[-2], hull[-1]
            if (y[b] - y[a]) * (x[i] - x[a]) > (y[i] - y[a]) * (x[b] - x[a]):
                break
            hull.pop()
        hull.append(i)
    return np.array(hull, dtype=np.intp)


def _effective(scores: Scores, margin: float) -> UnitScores:
    bounds = scores.sensitivity.bounds
    if bounds is None:
        if math.isinf(scores.sensitivity.ceiling):
            raise PrivacyError(
                "This mechanism needs the global sensitivity of every candidate: pass "
                "sensitivity=dpselect.sensitivity.constant([...])."
            )
        bounds = np.full(len(scores), scores.sensitivity.ceiling)
    return floor_ticks(separate(scores.values.astype(np.float64), bounds, margin), range_bound=2)

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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice, InputError, PrivacyError
from dpselect.kernel.units import TICK_CLIP, UnitScores, floor_ticks
from dpselect.mechanisms.base import Mechanism, UnitMechanism
from dpselect.mechanisms.gaps import GAP_CLIP
from dpselect.mechanisms.sampler import EXPONENTIAL
from dpselect.mechanisms.tangents import rivals
from dpselect.scores.scores import Scores

Floats = NDArray[np.float64]
# Beyond this margin rounding would take more than its share of half a tick.
_LARGEST_MARGIN = 2.0**26
_HUGE = 2.0**990


def generalised_exponential(margin: float = 0.0) -> Mechanism:
    """Return the generalised exponential mechanism.

    Args:
        margin: t in the formula, in units of each candidate's own sensitivity: a public number from 0 to 2^26.

    Raises:
        ValueError: the margin is negative, above 2^26 or NaN.

    >>> import dpselect as dps
    >>> scores = dps.Scores([100.0, 99.0, 0.0], sensitivity=dps.sensitivity.constant([50.0, 1.0, 1.0]))
    >>> dps.mechanism("exponential").pmf(scores, 1).round(2)
    array([0.42, 0.42, 0.16])
    >>> dps.mechanism("generalised-exponential", margin=2).pmf(scores, 1).round(2)
    array([0.28, 0.72, 0.  ])
    """
    if not 0 <= margin <= _LARGEST_MARGIN:
        raise InputError("margin must be a public number from 0 to 2^26.")
    return UnitMechanism(
        "generalised-exponential",
        "For candidates whose global sensitivities differ widely.",
        partial(_effective, margin=float(margin)),
        EXPONENTIAL,
        {"margin": margin},
    )


def separate(values: NDArray[Any], bounds: Floats, margin: float) -> Floats:
    """Return q, shape (m,): 0 for the best, negative for others, cut at -2^28. O(m log m).

    Right to a fifth of a tick, 2^-20, at any size of finite numbers. Integers are clipped at 2^61 and never pass
    through floats before they are subtracted.
    """
    whole = values.dtype.kind == "i"
    if whole:
        values = np.clip(values, -TICK_CLIP, TICK_CLIP)
    rival = rivals(values, bounds, margin)
    near, other = bounds, bounds[rival]
    # Differences of floats may overflow: beside bounds below 2^990 that is beyond the cut, which is then right. Beside
    # larger ones everything is halved first.
    with np.errstate(over="ignore", under="ignore"):
        if bounds.max() < _HUGE:
            ahead = (values[rival] - values).astype(np.float64, copy=False)
        else:
            half = np.where(np.maximum(near, other) < _HUGE, 1.0, 0.5)
            near, other = near * half, other * half
            ahead = (values[rival] - values) * half if whole else values[rival] * half - values * half
        across = near + other
        ahead /= across
        if margin:
            ahead -= margin * ((other - near) / across)
    q: Floats = -np.clip(ahead, 0.0, GAP_CLIP)
    return q


def _effective(scores: Scores, margin: float) -> UnitScores:
    bounds = scores.sensitivity.bounds
    if bounds is None:
        if math.isinf(scores.sensitivity.ceiling):
            raise PrivacyError(
                Advice(
                    "This mechanism needs the global sensitivity of every candidate: "
                    "{pass sensitivity=dpselect.sensitivity.constant([...])|take another, such as --mechanism "
                    "local-dampening-flip}."
                )
            )
        bounds = np.full(len(scores), scores.sensitivity.ceiling)
    return floor_ticks(separate(scores.values, bounds, margin), range_bound=2)

"""What the mechanisms with smooth scores share: scores in units of noise whose scale is a smooth bound."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NoReturn

from dpselect.core.errors import PrivacyError
from dpselect.core.scores import Scores, SmoothScores, smooth_ticks
from dpselect.core.sensitivity import smooth

# The smooth bound carries a relative error of 2^-48 at most; beta is padded by twice that.
PAD = 2.0**-46
# A public floor, so that no bound underflows to 0 on one of two neighbours only.
_FLOOR = 2.0**-900

# Candidates, epsilon and range bound to (beta, c).
Calibrate = Callable[..., tuple[float, float]]


def weigh(scores: Scores, epsilon: Fraction, calibrate: Calibrate) -> SmoothScores:
    """Return u / (c S), S the beta-smooth bound of the scores.

    Raises:
        PrivacyError: the sensitivity has no ceiling.
        ValueError: epsilon so small that beta is not positive.
    """
    ceiling = scores.sensitivity.ceiling
    if math.isinf(ceiling):
        raise PrivacyError(
            "This mechanism needs a public ceiling of the sensitivity, so that its smooth bound can be found: pass "
            "ceiling=, or use local-dampening."
        )
    beta, scale = calibrate(len(scores), float(epsilon), range_bound=scores.range_bound)
    if beta <= 0:
        raise ValueError("epsilon is too small for a smooth bound: it would be the ceiling.")
    bound = max(smooth(scores.sensitivity, beta), ceiling * _FLOOR)
    return smooth_ticks(scores.values, scale * bound)


def no_unit_scores(_: Scores) -> NoReturn:
    """Say that there are none."""
    raise TypeError("A mechanism with a smooth scale has no unit scores, as its scale moves with the data: use law.")

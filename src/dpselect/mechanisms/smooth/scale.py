"""What the mechanisms with smooth scores share: scores in units of noise whose scale is a smooth bound."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from dpselect.kernel.errors import PrivacyError
from dpselect.mechanisms.gaps import smooth_ticks
from dpselect.mechanisms.smooth.scores import SmoothScores
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import smooth_share

# The smooth bound carries a relative error of 2^-48 at most; beta is padded by twice that.
PAD = 2.0**-46
# A public floor, as a share of the ceiling, so that no bound underflows to 0 on one of two neighbours only.
_FLOOR = 2.0**-900
# What epsilon pays for ticks of 2^-30: a slide of the noise by two of them costs at most 7.23 * 2^-29 < 2^-26.
_GRID = 2.0**-26
# From here on that is less than a thousandth of epsilon.
LEAST = Fraction(1, 2**16)

# Candidates, epsilon and range bound to (beta, c).
Calibrate = Callable[..., tuple[float, float]]


def weigh(scores: Scores, epsilon: Fraction, calibrate: Calibrate) -> SmoothScores:
    """Return u / (c S), S the beta-smooth bound of the scores, where epsilon pays for the ticks too.

    Raises:
        PrivacyError: the sensitivity has no ceiling.
        ValueError: epsilon below 2^-16, or so small that beta is not positive.
    """
    if epsilon < LEAST:
        raise ValueError(
            "epsilon is too small for noise that follows a smooth bound: pass at least 1/65536 (0.0000153) for each "
            "selection, or use local-dampening."
        )
    return weigh_unpaid(scores, float(epsilon) - _GRID, calibrate)


def weigh_unpaid(scores: Scores, epsilon: float, calibrate: Calibrate) -> SmoothScores:
    """Return u / (c S) where nothing pays for the ticks: for laws of published calibrations.

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
    beta, scale = calibrate(len(scores), epsilon, range_bound=scores.range_bound)
    if beta <= 0:
        raise ValueError("epsilon is too small for a smooth bound: it would be the ceiling.")
    # As a share of the ceiling the bound can neither overflow nor vanish, whatever the unit of the scores.
    share = max(smooth_share(scores.sensitivity, beta), _FLOOR)
    return smooth_ticks(scores.values, scale, share, ceiling)

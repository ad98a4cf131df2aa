"""Scores and the rate of their noise, where the scale of the noise is a smooth bound: exact. Proof: ``scale.md``."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import PrivacyError
from dpselect.kernel.units import TICK_CLIP
from dpselect.mechanisms.smooth.scores import SmoothScores
from dpselect.scores.pairs import pair_bound
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import smooth

# A tick of real scores is this power of two below the largest power of two that the ceiling holds.
_FINE = 24
# A public clip of real scores, in ticks: beyond it floats have no room for a power of two more.
_FAR = 2.0**1000

# Candidates, epsilon and range bound to beta, rounded down, and c, rounded up, in units of the noise that is drawn.
Calibrate = Callable[..., tuple[Fraction, Fraction]]
# Scores and beta to S.
SmoothBoundOf = Callable[[Scores, Fraction], Fraction]


def of_each(scores: Scores, beta: Fraction) -> Fraction:
    """Return the beta-smooth bound of how far one neighbour moves any score."""
    return smooth(scores.sensitivity, beta)


def of_pairs(scores: Scores, beta: Fraction) -> Fraction:
    """Return the same so that range bound times it bounds how far two candidates move apart."""
    return smooth(pair_bound(scores.sensitivity) if scores.range_bound == 2 else scores.sensitivity, beta)


def weigh(scores: Scores, epsilon: Fraction, calibrate: Calibrate, bounded: SmoothBoundOf = of_pairs) -> SmoothScores:
    """Return scores in ticks of a public size, and what a tick is worth in units of noise of scale c S.

    S is the beta-smooth bound of the scores, of pairs of candidates unless another is named. Integers are their own
    ticks; floored real scores are paid for by four ticks more of S.

    Raises:
        PrivacyError: the sensitivity has no ceiling.
    """
    ceiling = scores.sensitivity.ceiling
    if math.isinf(ceiling):
        raise PrivacyError(
            "This mechanism needs a public ceiling of the sensitivity, so that its smooth bound can be found: pass "
            "ceiling=, or use local-dampening."
        )
    beta, c = calibrate(len(scores), epsilon, range_bound=scores.range_bound)
    bound = bounded(scores, beta)
    if scores.values.dtype.kind == "i":
        return SmoothScores(np.clip(scores.values, -TICK_CLIP, TICK_CLIP), 1 / (c * bound), beta)
    exponent = tick_exponent(ceiling)
    size = Fraction(2) ** exponent
    real = np.asarray(scores.values, dtype=np.float64)
    rate = size / (c * (bound + Fraction(4, scores.range_bound) * size))
    return SmoothScores(floor_scores(real, exponent), rate, beta)


def tick_exponent(ceiling: float) -> int:
    """Return which power of two a tick of real scores is, from their public ceiling."""
    return math.frexp(ceiling)[1] - 1 - _FINE


def floor_scores(values: NDArray[np.float64], exponent: int) -> NDArray[np.int64]:
    """Return floor(u / 2^exponent) less the largest of them, shape (m,), exact; clipped 2^61 below it."""
    # A float times a power of two is exact, but for what overflows, which is clipped, or vanishes, which is far less
    # than half a tick.
    with np.errstate(over="ignore", under="ignore"):
        whole = np.floor(np.clip(np.ldexp(values, -exponent), -_FAR, _FAR))
    best = whole.max()
    # The difference of two floats is the rounded one and an error that is a float too.
    behind = best - whole
    turned = behind - best
    error = (best - (behind - turned)) - (whole + turned)
    near = behind <= TICK_CLIP
    gaps = np.full(whole.size, TICK_CLIP, dtype=np.int64)
    gaps[near] = np.minimum(behind[near].astype(np.int64) + error[near].astype(np.int64), TICK_CLIP)
    return -gaps

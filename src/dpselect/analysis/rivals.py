"""The largest error of noisy max with a smooth scale: the worst scores with this scale, by the exact law.

Whatever the other scores are, an error of theta or more is most probable where all rivals of the best candidate lie
theta behind it: raising a rival that is further behind to there, or taking away one that is nearer, makes it no less
probable. So the law of one best candidate and m - 1 equal rivals bounds the tail of the error, and is attained; the
integral of the tail bounds the expected error. Both know the scores by their number, spread and smooth bound only.

References: Chaves 2024, Theorem 4.8. For one-sided exponential noise of scale s, not clipped, it follows from here:
(i) Pr[error >= s (ln m + t)] <= e^-t and (ii) E[error] <= s (ln m + 1). Erratum: for two-sided Laplace noise, of which
it is stated, (i) is false: two candidates, t = 6.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np

from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.kernel.units import TICK_CLIP
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.smooth.scale import tick_exponent
from dpselect.scores.scores import Scores

# Errors from this share of the spread on are looked at, at so many points: the sum is at most 19 per cent too large.
_LEAST, _POINTS = 2.0**-12, 49


class Rivals:
    """The worst scores with the scale of the noise of given ones.

    Args:
        scores, epsilon, mechanism: a smooth mechanism, and what it would be asked.
    """

    def __init__(self, scores: Scores, epsilon: Epsilon, mechanism: Mechanism) -> None:
        self._sampler, self._many = mechanism.sampler, len(scores) - 1
        self._rate = mechanism.quantize(scores, exact_epsilon(epsilon))[1]
        self._exact = scores.values.dtype.kind == "i"
        self._tick = Fraction(1) if self._exact else Fraction(2) ** tick_exponent(scores.sensitivity.ceiling)
        self._spread = float(scores.values.max() - scores.values.min())

    def tail(self, theta: float) -> float:
        """Return a bound on Pr[error >= theta], theta in the unit of the score."""
        if theta > self._spread or not self._many:
            return float(theta <= 0)
        # Floored scores may lie a tick nearer.
        ticks = math.ceil(Fraction(max(theta, 0.0)) / self._tick) - (0 if self._exact else 1)
        gaps = np.array([0, -min(max(ticks, 0), TICK_CLIP)], dtype=np.int64)
        law = self._sampler.tick_log_pmf(gaps, self._rate, np.array([1, self._many]))
        return min(1.0, self._many * math.exp(float(law[1])))

    def expected(self) -> float:
        """Return a bound on the expected error."""
        if not self._spread:
            return 0.0
        at = np.concatenate([[0.0], self._spread * np.geomspace(_LEAST, 1, _POINTS)])
        # The tail falls, so over each step it is at most what it was at the beginning.
        return float(sum((high - low) * self.tail(low) for low, high in itertools.pairwise(at.tolist())))

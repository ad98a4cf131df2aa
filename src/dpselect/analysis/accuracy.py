"""Errors of a mechanism on given scores: exact figures from its law, and the papers' bounds beside them.

The error of a selection is max(values) - values[winner], in the unit of the score. Everything here is a
function of the scores: for public data, or for the curator's eyes.

References: Chaves 2024, Theorems 3.7, 3.10, 3.11; Farias et al. 2023, section 4.4 and Corollary 4.4.1.
Erratum: the corollary holds where the effective scores spread candidates at least as far apart as
u / ceiling does (true for stable sensitivities); where they do not, the bounds are refused.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.kernel.units import TICK_CLIP
from dpselect.mechanisms.base import Mechanism, SmoothMechanism, UnitMechanism
from dpselect.mechanisms.registry import require_mechanism
from dpselect.mechanisms.sampler import EXPONENTIAL, PERMUTE_AND_FLIP
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

    def expected_bound(self) -> float:
        """Return a bound on the expected error."""
        if not self._spread:
            return 0.0
        at = np.concatenate([[0.0], self._spread * np.geomspace(_LEAST, 1, _POINTS)])
        # The tail falls, so over each step it is at most what it was at the beginning.
        return float(sum((high - low) * self.tail(low) for low, high in itertools.pairwise(at.tolist())))


def expected_error(scores: Scores, *, epsilon: Epsilon, mechanism: str | Mechanism) -> float:
    """Return the exact expected error: the sum of law * (max values - values).

    Raises:
        ValueError: as ``mechanism.pmf``.
    """
    return float(require_mechanism(mechanism).pmf(scores, epsilon) @ _errors(scores))


def error_tail(scores: Scores, *, epsilon: Epsilon, theta: float, mechanism: str | Mechanism) -> float:
    """Return the exact probability that the error is at least ``theta`` (in the unit of the score).

    Raises:
        ValueError: as ``mechanism.pmf``; ``theta`` is NaN.
    """
    _require_number(theta)
    far = _errors(scores) >= theta
    return float(require_mechanism(mechanism).pmf(scores, epsilon)[far].sum())


def error_tail_bound(scores: Scores, *, epsilon: Epsilon, theta: float, mechanism: str | Mechanism) -> float:
    """Return a bound on Pr[error >= theta]: the published one, min(1, m exp(-epsilon theta / (b ceiling))).

    b is the range bound of the effective scores: the papers print b = 2. One tick is reserved for rounding. For
    mechanisms with a smooth bound it is the largest tail that scores with this bound can have (``rivals``).

    Raises:
        ValueError: there is no such bound for this mechanism, or not on these scores.
    """
    _require_number(theta)
    mechanism = require_mechanism(mechanism)
    if isinstance(mechanism, SmoothMechanism):
        return Rivals(scores, epsilon, mechanism).tail(theta)
    rate, slack = _decay(scores, epsilon, mechanism)
    return min(1.0, len(scores) * math.exp(min(slack - rate * theta, 0.0)))


def expected_error_bound(scores: Scores, *, epsilon: Epsilon, mechanism: str | Mechanism) -> float:
    """Return a bound on the expected error: the published one, b ceiling (ln m + 1) / epsilon.

    For mechanisms with a smooth bound it is the integral of their :func:`error_tail_bound`, what is true of Theorem 4.8
    of Chaves 2024.

    Raises:
        ValueError: there is no such bound for this mechanism, or not on these scores.
    """
    mechanism = require_mechanism(mechanism)
    if isinstance(mechanism, SmoothMechanism):
        return Rivals(scores, epsilon, mechanism).expected_bound()
    rate, slack = _decay(scores, epsilon, mechanism)
    return (math.log(len(scores)) + 1 + slack) / rate


def _errors(scores: Scores) -> NDArray[np.float64]:
    errors: NDArray[np.float64] = (scores.values.max() - scores.values).astype(np.float64)
    return errors


def _require_number(theta: float) -> None:
    if math.isnan(theta):
        raise InputError("theta must be a number: the error in the unit of the score.")


def _decay(scores: Scores, epsilon: Epsilon, mechanism: Mechanism) -> tuple[float, float]:
    """Return (rate, slack) with Pr[r] <= exp(slack - rate * error of r), or refuse.

    Both the exponential sampler and permute-and-flip choose r with probability at most exp(-g_r): the best
    candidate always shows heads.
    """
    if not isinstance(mechanism, UnitMechanism) or mechanism.sampler not in (EXPONENTIAL, PERMUTE_AND_FLIP):
        raise InputError("The papers give no bound of this form for noise of this kind: use error_tail.")
    if math.isinf(scores.sensitivity.ceiling):
        raise InputError("The bound needs a public ceiling of the sensitivity: pass ceiling=.")
    unit = mechanism.effective(scores)
    per_unit = float(unit.per_unit)
    spread = (unit.ticks.max() - unit.ticks) / per_unit
    if (spread < _errors(scores) / scores.sensitivity.ceiling - 2 / per_unit).any():
        raise InputError(
            "The bound does not hold here: the effective scores lie closer together than score / ceiling, "
            "as they may when the sensitivity is not stable; use expected_error or error_tail."
        )
    tick = float(unit.rate(exact_epsilon(epsilon)))
    return tick * per_unit / scores.sensitivity.ceiling, 2 * tick

"""Smooth Noisy Max: argmax of u(r) + c S(x) |T_r|, T_r Student t with three degrees of freedom, soundly calibrated.

S is the beta-smooth upper bound on the local sensitivity of all candidates, one scale for all. With K = K(m)
(``core.dilation``), a public phi in (0, 1) and b the range bound:

    beta = phi epsilon / K,    E = (1 - phi) epsilon,    c = b e^-beta / shift_for(E).

Neighbours: those of the scores. Guarantee: epsilon-DP of the ideal mechanism; draws use floating point
(idealised). Use it where only a smooth bound is known.

References: Chaves 2024, Algorithm 3. Errata: the proof of Theorem 4.2 keeps the other candidates' noises fixed while
their scale moves, and the statement is false from about 1000 candidates on; Theorem 4.9 (never worse than
permute-and-flip when S <= Du/2) is false; Lemmas 5.4, 6.4 and Theorem 7.3 print exp(-j epsilon) where exp(-j beta)
is meant, with which the guarantee fails for every number of candidates.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import NoReturn

from dpselect.core.dilation import dilation_cost
from dpselect.core.errors import PrivacyError
from dpselect.core.heavy_tails import shift_for
from dpselect.core.mechanism import STUDENT, Mechanism
from dpselect.core.scores import Scores, SmoothScores, smooth_ticks
from dpselect.core.sensitivity import smooth

# The smooth bound carries a relative error of 2^-48 at most; beta is padded by twice that.
_PAD = 2.0**-46
# A public floor, so that no bound underflows to 0 on one of two neighbours only.
_FLOOR = 2.0**-900
# Beyond this a smaller epsilon is used: the noise is nothing already, and floats stay finite.
_LARGEST = 600.0


def smooth_noisy_max(phi: float = 0.15) -> Mechanism:
    """Return Smooth Noisy Max with one-sided Student-t noise.

    Args:
        phi: the share of epsilon that pays for the moving scale: a public number between 0 and 1.

    Raises:
        ValueError: phi is not between 0 and 1.

    >>> import dpselect as dps
    >>> safe_for_30_steps = dps.sensitivity.local(lambda t: float(t >= 30), ceiling=1.0)
    >>> scores = dps.Scores([1.0, 0.0, 0.0], sensitivity=safe_for_30_steps)
    >>> dps.mechanism("exponential").law(scores, 5).round(3)
    array([0.859, 0.071, 0.071])
    >>> dps.mechanism("smooth-noisy-max").law(scores, 5).round(3)
    array([1., 0., 0.])
    """
    if not 0 < phi < 1:
        raise ValueError("phi must lie between 0 and 1: the public share of epsilon that pays for the moving scale.")
    return Mechanism(
        "smooth-noisy-max",
        "Where only a smooth bound on the sensitivity is known; idealised draws.",
        _no_unit_scores,
        STUDENT,
        {"phi": phi},
        smooth=partial(_weigh, phi=float(phi)),
    )


def calibrate(candidates: int, epsilon: float, phi: float, range_bound: int) -> tuple[float, float]:
    """Return (beta, c) for that many candidates; one candidate is always chosen, whatever the noise."""
    epsilon = min(epsilon, _LARGEST)
    beta = phi * epsilon / dilation_cost(max(candidates, 2))
    scale = range_bound * math.exp(-beta) / shift_for((1 - phi) * epsilon)
    return beta * (1 - _PAD) - _PAD, scale * (1 + _PAD)


def _weigh(scores: Scores, epsilon: Fraction, phi: float) -> SmoothScores:
    ceiling = scores.sensitivity.ceiling
    if math.isinf(ceiling):
        raise PrivacyError(
            "This mechanism needs a public ceiling of the sensitivity, so that its smooth bound can be found: pass "
            "ceiling=, or use local-dampening."
        )
    beta, scale = calibrate(len(scores), float(epsilon), phi, scores.range_bound)
    if beta <= 0:
        raise ValueError("epsilon is too small for Smooth Noisy Max: its smooth bound would be the ceiling.")
    bound = max(smooth(scores.sensitivity, beta), ceiling * _FLOOR)
    return smooth_ticks(scores.values, scale * bound)


def _no_unit_scores(_: Scores) -> NoReturn:
    raise TypeError("Smooth Noisy Max has no unit scores, because its scale moves with the data: use law or select.")

"""Shifted local dampening, in closed form.

C(x,r) = sum of (Du - delta(x,t,r)) over t below the public reach. Dampening u - s for a shift s that grows
without bound, or falls, gives up to a constant shared by all candidates

    growing:   q = (u - C) / Du      for sensitivities that grow with the score
    shrinking: q = (u + C) / Du      for sensitivities that shrink with the score

so there is no shift by private values and no walk over distances.

Neighbours: those of the scores. Guarantee: epsilon-DP when delta is admissible and its reach public. Range
bound 2, unless delta is one constant.

References: Farias et al. 2023, Definitions 4.2.1, 4.2.2, Theorem 4.3.1. Errata: with a flat delta this *is*
the exponential mechanism, so it cannot be better than it (text after Corollary 4.4.1); with exact element
sensitivity it can be worse (Lemma 4.4.2); Lemma 4.4.1 holds for the growing direction only.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice, InputError, PrivacyError
from dpselect.kernel.units import UnitScores, floor_ticks
from dpselect.mechanisms.base import Mechanism, UnitMechanism
from dpselect.mechanisms.gaps import GAP_CLIP
from dpselect.mechanisms.sampler import EXPONENTIAL, PERMUTE_AND_FLIP, Sampler
from dpselect.mechanisms.scaling import scale, scaled_if_fixed
from dpselect.scores.declared_bound import no_distances
from dpselect.scores.running_sums import walk
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import Floats, Sensitivity

# A longer reach counts as this one, or as the end of a walk where sums are not known in closed form: C is right to
# within a few 2^-53 of it.
_LONGEST_SUM = 2**28
_DIRECTIONS = {"growing": -1.0, "shrinking": 1.0}


def shifted_local_dampening(direction: str = "growing") -> Mechanism:
    """Return shifted local dampening drawn by the exponential sampler, as published.

    Args:
        direction: ``"growing"`` when better candidates are more sensitive, ``"shrinking"`` when they are
            less: a public choice.

    Raises:
        ValueError: another direction.

    >>> import dpselect as dps
    >>> at = dps.sensitivity.element(lambda t: [4, 1 + t], ceiling=4, reach=3)
    >>> scores = dps.Scores([5.0, 4.0], sensitivity=at)
    >>> shift(scores.values, scores.sensitivity, "growing")
    array([ 1.25, -0.5 ])
    """
    return _mechanism(
        "shifted-local-dampening",
        "When the better candidates are the more sensitive ones; needs a public reach.",
        EXPONENTIAL,
        direction,
    )


def shifted_local_dampening_flip(direction: str = "growing") -> Mechanism:
    """Return shifted local dampening drawn by permute-and-flip: same scores, same epsilon.

    Raises:
        ValueError: a direction other than ``"growing"`` and ``"shrinking"``.

    >>> shifted_local_dampening_flip("shrinking")
    mechanism('shifted-local-dampening-flip', direction='shrinking')
    """
    return _mechanism(
        "shifted-local-dampening-flip",
        "Shifted local dampening with permute-and-flip: better for one selection.",
        PERMUTE_AND_FLIP,
        direction,
    )


def shift(values: Floats, sensitivity: Sensitivity, direction: str) -> Floats:
    """Return (u - C) / Du or (u + C) / Du, shape (m,), with an error of at most 2^-21 units.

    Raises:
        PrivacyError: the sensitivity has no public reach.
    """
    if sensitivity.smoothed is not None:
        no_distances(sensitivity)
    if sensitivity.reach is None:
        raise PrivacyError(
            Advice(
                "The sensitivity's reach is unknown, so this score cannot be shifted: {use local-dampening-flip, "
                "or give a public reach: pareto(..., reach=), or dpselect.sensitivity.reach|take --mechanism "
                "local-dampening-flip or permute-and-flip}."
            )
        )
    slack = _slack(sensitivity)
    if sensitivity.profile is not None:
        slack = slack[sensitivity.profile]
    # Scores of more units than floats hold are beyond the clip of every tick.
    with np.errstate(over="ignore"):
        shifted: Floats = values / sensitivity.ceiling + _DIRECTIONS[direction] * slack
    return shifted


def _slack(sensitivity: Sensitivity) -> Floats:
    """Return C / Du, one value per profile, for the public reach or as much of it as can be summed exactly enough."""
    ceiling, closed = sensitivity.ceiling, min(sensitivity.horizon, _LONGEST_SUM)
    if sensitivity.total is not None and ceiling > 2.0**-900 and closed * ceiling < 2.0**1000:
        total: Floats = closed - sensitivity.total(np.array([closed], dtype=np.int64))[0] / ceiling
        return total
    # Sums of shares of the ceiling cannot overflow.
    sums, steps = np.zeros(1), walk(_shares(sensitivity))
    for stretch in steps:
        sums = stretch.sums[-1]
    return steps.end - sums


def _shares(sensitivity: Sensitivity) -> Sensitivity:
    """Return the sensitivity over its ceiling: at most 1, and 1 from the same reach on."""

    def rows(t: NDArray[np.int64]) -> Floats:
        with np.errstate(under="ignore"):
            share: Floats = np.minimum(sensitivity.rows(t), sensitivity.ceiling) / sensitivity.ceiling
        return share

    return replace(sensitivity, rows=rows, some=None, ceiling=1.0, total=None, bounds=None)


def _mechanism(name: str, summary: str, sampler: Sampler, direction: str) -> Mechanism:
    if direction not in _DIRECTIONS:
        raise InputError(f'direction must be "growing" or "shrinking", not {direction!r}.')
    return UnitMechanism(
        name, summary, partial(_effective, direction=direction), sampler, {"direction": direction}, scaled_if_fixed
    )


def _effective(scores: Scores, direction: str) -> UnitScores:
    if scores.sensitivity.fixed:
        return scale(scores)
    units = shift(scores.values.astype(np.float64), scores.sensitivity, direction)
    # A public cut, within which all that floats do here is right to five sixteenths of a tick.
    return floor_ticks(np.clip(units, -GAP_CLIP, GAP_CLIP), range_bound=2)

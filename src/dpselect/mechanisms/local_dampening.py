"""Local dampening: divide the score step by step by how sensitive this database is, t steps away.

b(0) = 0, b(i) = sum of delta(x, j, r) over j < i. For u >= 0: D = i + (u - b(i)) / delta(x, i, r) where
b(i) <= u < b(i+1); D is odd in u, and D(0) = 0.

Neighbours: those of the scores. Guarantee: epsilon-DP when delta is admissible. The dampened score has
range bound 2, unless delta is one constant for all databases, distances and candidates.

References: Farias et al. 2023, Definition 3.3.1 and Theorem 3.5.1. Errata: the printed definition gives
D(0) = T > 0 when delta starts with T zeros; D(0) = 0 here. The printed proof of Lemma 3.3.1 leaves a gap at
i = 0, closed in the proof beside this file.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.units import UnitScores, floor_ticks
from dpselect.mechanisms.gaps import GAP_CLIP
from dpselect.mechanisms.kinds import Mechanism, UnitMechanism
from dpselect.mechanisms.sampler import EXPONENTIAL, PERMUTE_AND_FLIP
from dpselect.mechanisms.scaling import scale
from dpselect.scores.running_sums import Stretch, walk
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import Floats, Sensitivity


def local_dampening() -> Mechanism:
    """Return local dampening drawn by the exponential sampler, as published.

    >>> import dpselect as dps
    >>> shared = dps.sensitivity.local(lambda t: 3 if t == 0 else 5, ceiling=7.5)
    >>> scores = dps.Scores([6.5, 6.5, 0.0], sensitivity=shared)
    >>> dampen(scores.values, scores.sensitivity)
    array([1.7, 1.7, 0. ])
    """
    return UnitMechanism(
        "local-dampening",
        "When this database is far less sensitive than the worst case.",
        damped,
        EXPONENTIAL,
    )


def local_dampening_flip() -> Mechanism:
    """Return local dampening drawn by permute-and-flip: same scores, same epsilon, never worse in D.

    >>> local_dampening_flip()
    mechanism('local-dampening-flip')
    """
    return UnitMechanism(
        "local-dampening-flip",
        "Local dampening with permute-and-flip: better for one selection.",
        damped,
        PERMUTE_AND_FLIP,
    )


def damped(scores: Scores) -> UnitScores:
    """Return D as unit scores; with one constant sensitivity this is u / Du, range bound kept."""
    if scores.sensitivity.fixed:
        return scale(scores)
    units = dampen(scores.values.astype(np.float64), scores.sensitivity)
    # A public cut, within which all that floats do here is right to a quarter of a tick.
    return floor_ticks(np.clip(units, -GAP_CLIP, GAP_CLIP), range_bound=2)


def dampen(values: Floats, sensitivity: Sensitivity) -> Floats:
    """Return D(u, r), shape (m,), with an error of at most 2^-21.

    Args:
        values: u, shape (m,).
        sensitivity: over m candidates. The walk ends at the public reach, at most 2^24, or where it is unknown at
            the public 2^20: with a ceiling the sensitivity counts as the ceiling from there on, without one D is
            clipped there.
    """
    if sensitivity.fixed:
        # What overflows is beyond the clip of every tick.
        with np.errstate(over="ignore"):
            return values / sensitivity.ceiling
    size = np.abs(values)
    profile = sensitivity.profile if sensitivity.profile is not None else np.zeros(size.size, dtype=np.intp)
    dampened = np.zeros(size.size)
    active, sums = np.flatnonzero(size > 0), np.zeros(1)
    steps = walk(sensitivity)
    for stretch in steps:
        sums = stretch.sums[-1]
        ends = size[active] < sums[profile[active]]
        dampened[active[ends]] = _within(size[active[ends]], profile[active[ends]], stretch)
        active = active[~ends]
        if not active.size:
            return np.copysign(dampened, values)
        kept, place = np.unique(profile[active], return_inverse=True)
        if 2 * kept.size <= sums.size:
            # Only rows of candidates that are still under way are walked on with.
            steps.narrow(kept)
            sums, profile = sums[kept], np.zeros(size.size, dtype=np.intp)
            profile[active] = place.ravel()
    # Whoever is left walks on at the ceiling, or stops here when there is none.
    dampened[active] = steps.end
    if math.isfinite(sensitivity.ceiling):
        passed = sums[profile[active]] if sums.size > 1 else sums
        with np.errstate(over="ignore"):
            dampened[active] += (size[active] - passed) / sensitivity.ceiling
    return np.copysign(dampened, values)


def _within(size: Floats, profile: NDArray[np.intp], stretch: Stretch) -> Floats:
    """Return D of candidates that end in this stretch: i + (u - b(i)) / delta(i), i by bisection."""
    low = np.zeros(size.size, dtype=np.intp)
    high = np.full(size.size, len(stretch.values) - 1)
    while (low < high).any():
        middle = (low + high + 1) // 2
        reached = stretch.sums[middle, profile] <= size
        low, high = np.where(reached, middle, low), np.where(reached, high, middle - 1)
    fraction: Floats = (size - stretch.sums[low, profile]) / stretch.values[low, profile]
    return np.add(stretch.start + low, np.clip(fraction, 0.0, 1.0), dtype=np.float64)

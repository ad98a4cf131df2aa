"""Local dampening: divide the score step by step by how sensitive this database is, t steps away.

b(0) = 0, b(i) = sum of delta(x, j, r) over j < i. For u >= 0: D = i + (u - b(i)) / delta(x, i, r) where
b(i) <= u < b(i+1); D is odd in u != 0. With T the number of zeros that delta starts with, D(0) is +T where zero is the
best score there can be, -T where it is the worst, and 0 otherwise: ``Scores(zero=)``, which is public.

Neighbours: those of the scores. Guarantee: epsilon-DP when delta is admissible. The dampened score has
range bound 2, unless delta is one constant for all databases, distances and candidates.

References: Farias et al. 2023, Definition 3.3.1 and Theorem 3.5.1. Errata: the printed definition gives D(0) = T
always, which is right where zero is the best score and wrong where it is the worst (private in both). The printed
proof of Lemma 3.3.1 leaves a gap at i = 0, closed in the proof beside this file.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.units import UnitScores, floor_ticks
from dpselect.mechanisms.base import Mechanism, UnitMechanism
from dpselect.mechanisms.gaps import GAP_CLIP
from dpselect.mechanisms.sampler import EXPONENTIAL, PERMUTE_AND_FLIP
from dpselect.mechanisms.scaling import scale, scaled_if_fixed
from dpselect.scores.running_sums import Stretch, walk
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import Floats, Sensitivity
from dpselect.scores.zero import SIGNS

Positions = NDArray[np.intp]


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
        damp_scores,
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
        damp_scores,
        PERMUTE_AND_FLIP,
        measures=scaled_if_fixed,
    )


def damp_scores(scores: Scores) -> UnitScores:
    """Return D as unit scores; with one constant sensitivity this is u / Du, range bound kept."""
    if scores.sensitivity.fixed:
        return scale(scores)
    units = dampen(scores.values.astype(np.float64), scores.sensitivity, scores.zero)
    # A public cut, within which all that floats do here is right to a quarter of a tick.
    return floor_ticks(np.clip(units, -GAP_CLIP, GAP_CLIP), range_bound=2)


def dampen(values: Floats, sensitivity: Sensitivity, zero: str = "neutral") -> Floats:
    """Return D(u, r), shape (m,), with an error of at most 2^-21; that of zero is exact.

    Args:
        values: u, shape (m,).
        sensitivity: over m candidates. The walk ends at the public reach, at most 2^24, or where it is unknown at
            the public 2^20: with a ceiling the sensitivity counts as the ceiling from there on, without one D is
            clipped there.
        zero: what a score of zero means, ``"best"``, ``"worst"`` or ``"neutral"``: public.
    """
    if sensitivity.fixed:
        # What overflows is beyond the clip of every tick. No zero is safe for a step.
        with np.errstate(over="ignore"):
            return values / sensitivity.ceiling
    profile = sensitivity.profile if sensitivity.profile is not None else np.zeros(values.size, dtype=np.intp)
    dampened = _dampen(values, sensitivity, profile)
    at = np.flatnonzero(values == 0)
    if SIGNS[zero] and at.size:
        rows, place = np.unique(profile[at], return_inverse=True)
        dampened[at] = SIGNS[zero] * leading_zeros(sensitivity, rows)[place.ravel()]
    return dampened


def leading_zeros(sensitivity: Sensitivity, rows: Positions) -> NDArray[np.int64]:
    """Return with how many zeros delta starts in each row, at most the public end of a walk, shape (rows,).

    Delta does not fall with the distance, so its zeros end between a distance that has one and a distance that has
    none: the first is doubled until the second is known, then what lies between them is halved.
    """
    end = walk(sensitivity).end
    least, most = np.zeros(rows.size, dtype=np.int64), np.full(rows.size, end)
    stop = 1
    while (far := np.flatnonzero((least < end) & (most == end))).size:
        _probe(sensitivity, rows, far, min(stop, end) - 1, least, most)
        stop *= 2
    while (between := np.flatnonzero(least < most)).size:
        alike = between[(least[between] == least[between[0]]) & (most[between] == most[between[0]])]
        _probe(sensitivity, rows, alike, int(least[alike[0]] + most[alike[0]]) // 2, least, most)
    return least


def _probe(
    sensitivity: Sensitivity,
    rows: Positions,
    of: Positions,
    t: int,
    least: NDArray[np.int64],
    most: NDArray[np.int64],
) -> None:
    """Narrow between which distances the zeros of some rows end, by what delta is at distance t."""
    only = rows[of] if sensitivity.profile is not None else None
    positive = sensitivity.by_profile(np.array([t]), only)[0] > 0
    most[of[positive]], least[of[~positive]] = t, t + 1


def _dampen(values: Floats, sensitivity: Sensitivity, profile: Positions) -> Floats:
    """Return D(u, r) with D(0) = 0."""
    size = np.abs(values)
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
        rows, place = np.unique(profile[active], return_inverse=True)
        if 2 * rows.size <= sums.size:
            # Only rows of candidates that are still under way are walked on with.
            steps.narrow(rows)
            sums, profile = sums[rows], np.zeros(size.size, dtype=np.intp)
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

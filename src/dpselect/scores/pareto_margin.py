"""Pareto margins: how many steps each candidate is from the Pareto front, or how many keep it there.

For a whole number z of steps let a_i,r(z) be the lowest that objective i of candidate r can come to in z steps, its
value minus the sum of delta_i(t) over t < z; and for z < 0 the highest in -z steps. A candidate r' *beats* r at z if
a_i,r'(-z) >= a_i,r(z) in every objective, and > in one. The margin of r is the largest z at which no candidate beats r:
with z >= 0 no other can dominate r within z steps, with z < 0 some other dominates r for -z - 1 steps, whatever they
are. One neighbour moves a margin by at most 1.

Where every objective has one constant sensitivity, margins of two objectives take one sort; all others are found by
halving, with one count of dominators for each number of steps that is asked about.

Neighbours: those of the scores. Sensitivity 1. Reach: 0. Range bound 2.

References: ours; the dominators within so many steps are those of Farias et al. (PrivPareto), Definition 4.5. Proof:
``pareto_margin.md``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice, InputError, PrivacyError
from dpselect.scores.combine import metadata_of
from dpselect.scores.dominance import count_above
from dpselect.scores.objectives import list_objectives, one_list
from dpselect.scores.pareto_sensitivity import Spread, count_equal
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import PUBLIC_REACH, steps_of

Integers = NDArray[np.int64]
# Of constants, scores are whole multiples of a part of a step where this many parts are enough, else rounded down.
_EXACT, _PARTS = 2**24, 2**20
# A sensitivity that is called once for each distance, and of unknown reach, is walked so far.
_CALL_SIZE = 4096
# Below all differences of scores, and above the least integer by more than any of them.
_NOBODY = -(2**62)


@one_list
def pareto_margin(objectives: Iterable[Scores], *, reach: int | None = None) -> Scores:
    """Return how many steps each candidate is from the Pareto front, whole numbers, shape (m,).

    Margins are at least 0 on the front, candidates that are equal there included, and below 0 for all others. Draw
    with ``permute-and-flip`` or ``exponential``.

    Args:
        objectives: a list of scores of the same candidates and neighbours, larger is better; ``-scores`` to minimise.
        reach: a public number of steps at which margins are cut: a bound on the work. 2^20 when left out; 4,096, with
            a notice, where a sensitivity is called distance by distance and its reach is unknown.

    Raises:
        ValueError, TypeError: not a list of objectives, other candidates or neighbours, fewer than two candidates.
        PrivacyError: a sensitivity is a smooth bound alone, which has no distances.

    >>> speed, price = Scores([9, 5, 1], 1, kind="integer"), Scores([2, 8, 0], 1, kind="integer")
    >>> pareto_margin([speed, price]).values
    array([ 1,  2, -3])
    """
    parts = list_objectives(objectives, "pareto_margin")
    first = parts[0]
    if len(first) < 2:
        raise InputError(Advice("A Pareto score compares candidates: {pass scores of|there must be} at least two."))
    if any(part.sensitivity.smoothed is not None for part in parts):
        raise PrivacyError(
            "A Pareto margin counts distances, and a smooth bound has none: pass a sensitivity function."
        )
    cut = _cut(parts, reach)
    constant = all(part.sensitivity.fixed for part in parts)
    margins = _of_constants(parts, cut) if constant else _of_spread(Spread(parts), cut)
    return Scores(
        margins,
        1,
        candidates=first.candidates,
        neighbours=first.neighbours.value,
        metadata=metadata_of(parts),
        kind="integer",
        zero="neutral",
    )


def _cut(parts: Sequence[Scores], reach: int | None) -> int:
    """Return the public number of steps at which margins are cut."""
    if reach is not None:
        steps = steps_of(reach)
        if not 1 <= steps <= PUBLIC_REACH:
            raise InputError(f"reach is from 1 to {PUBLIC_REACH:,}: every distance up to it may be computed.")
        return steps
    if all(part.sensitivity.reach is not None or part.sensitivity.total is not None for part in parts):
        return PUBLIC_REACH
    logging.getLogger("dpselect").warning(
        f"Margins are cut at {_CALL_SIZE:,} steps, because a sensitivity has no known reach: pass reach= for another."
    )
    return _CALL_SIZE


def _of_constants(parts: Sequence[Scores], cut: int) -> Integers:
    """Return the margins of objectives of which each has one constant sensitivity."""
    scaled, step = _scale_to_steps(parts)
    if len(parts) == 2:
        return np.clip(_by_sorting(scaled[0], scaled[1], step), -cut, cut)
    safe, lost = np.full(len(parts[0]), -cut), np.full(len(parts[0]), cut + 1)
    # As many turns on every database: nothing of the time they take follows from scores.
    for _ in range((2 * cut + 1).bit_length()):
        middle = (safe + lost) // 2
        moved = [each - middle * step for each in scaled]
        # With steps above 0 each candidate lies above what it may come to itself.
        beaten = count_above(scaled, moved) - count_equal(scaled, moved) > (middle > 0)
        safe, lost = np.where(beaten, safe, middle), np.where(beaten, middle, lost)
    return safe


def _of_spread(spread: Spread, cut: int) -> Integers:
    """Return the margins of any objectives; candidates alike in everything share a row."""
    rows = int(spread.profile.max()) + 1
    return np.asarray(_bisect_steps(spread.beaten, rows, cut)[spread.profile])


def _scale_to_steps(parts: Sequence[Scores]) -> tuple[list[Integers], int]:
    """Return scores in parts of a step, whole numbers, and how many parts one step may change a difference by.

    A step changes a difference of two scores by at most twice the sensitivity; by no more than it where it moves all
    scores the same way.
    """
    widths = [Fraction(part.sensitivity.ceiling) * (1 if part.range_bound == 1 else 2) for part in parts]
    exact = lcm(2, *(width.numerator for width in widths))
    if any(part.values.dtype.kind != "i" for part in parts):
        # Of real numbers, so many parts that most are whole multiples too.
        exact *= max(1, 2 ** (_EXACT // exact).bit_length() // 2)
    step = exact if exact <= _EXACT else _PARTS
    return [_whole(part.values, step / width) for part, width in zip(parts, widths, strict=True)], step


def _whole(values: NDArray[Any], times: Fraction) -> Integers:
    """Return multiples of numbers, rounded down, exact; cut at 2^60 from zero, which moves nothing further apart."""
    most = 2**60
    largest = float(np.abs(values.astype(np.float64)).max(initial=1))
    if values.dtype.kind == "i" and times.numerator * largest < most and times.denominator < most:
        return np.asarray(values * times.numerator // times.denominator)
    exact = (Fraction(value) * times for value in values.tolist())
    return np.array([max(-most, min(most, each.__floor__())) for each in exact], dtype=np.int64)


def _by_sorting(one: Integers, other: Integers, step: int) -> Integers:
    """Return the margins for two objectives: of each, the others that come nearest in the objective they gain least in.

    Of the two gains of r' over r the smaller is that of the first where r' lies lower in the order of their difference,
    and the second's where it lies higher; in between both are the same, and equals do not beat each other.
    """
    key = one - other
    order = np.argsort(key, kind="stable")
    _, starts, places = np.unique(key[order], return_index=True, return_inverse=True)
    highest_one, highest_other = (np.maximum.reduceat(each[order], starts) for each in (one, other))
    below = np.append(_NOBODY, np.maximum.accumulate(highest_one)[:-1])[places]
    above = np.append(np.maximum.accumulate(highest_other[::-1])[::-1][1:], _NOBODY)[places]
    gain = np.maximum(_gain(below, one[order]), _gain(above, other[order]))
    # Of those alike in the key the largest, or for that one itself the second largest.
    ranked = np.lexsort((-one[order], places))
    first = ranked[starts]
    second = np.full(starts.size, _NOBODY)
    several = np.flatnonzero(np.diff(np.append(starts, key.size)) > 1)
    second[several] = one[order][ranked[starts[several] + 1]]
    rival = highest_one[places]
    rival[first] = second[places[first]]
    level = _gain(rival, one[order])
    # A gain of more than b steps in one and b in the other beats; one of b steps in both does not.
    least = np.maximum(gain // step + 1, -(-level // step))
    result = np.empty(key.size, dtype=np.int64)
    result[order] = -least
    return result


def _gain(rival: Integers, own: Integers) -> Integers:
    """Return by how much rivals lie above; far below everything where there is none."""
    return np.where(rival == _NOBODY, _NOBODY, rival - own)


def _bisect_steps(beaten: Callable[[int, Integers], NDArray[np.bool_]], size: int, cut: int) -> Integers:
    """Return the largest number of steps at which no other beats each candidate, cut on both sides.

    Args:
        beaten: tells at a number of steps which of some candidates are beaten; once beaten, more steps change nothing.
        size: the number of candidates.
        cut: the largest number of steps.
    """
    result = np.full(size, -cut, dtype=np.int64)
    everyone = np.arange(size)
    lost = beaten(0, everyone)
    tasks: list[tuple[int, int, Integers]] = []
    for waiting, sign in ((everyone[~lost], 1), (everyone[lost], -1)):
        near, width = 0, 1
        while waiting.size and near < cut:
            far = min(near + width, cut)
            passed = beaten(sign * far, waiting) == (sign > 0)
            ends = (near, far) if sign > 0 else (-far, -near)
            tasks.append((*ends, waiting[passed]))
            waiting, near, width = waiting[~passed], far, 2 * width
        result[waiting] = sign * cut
    while tasks:
        safe, bad, these = tasks.pop()
        if not these.size:
            continue
        if bad - safe == 1:
            result[these] = safe
            continue
        middle = (safe + bad) // 2
        lost = beaten(middle, these)
        tasks += [(safe, middle, these[lost]), (middle, bad, these[~lost])]
    return result

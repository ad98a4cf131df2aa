"""Small problems on which a margin, a range bound or a far distance decides: where a lesser one would show.

The universes of ``claims`` enumerate what small databases do. These have two or a few databases each, with numbers
chosen so that the largest move is made.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from dpselect.audit.universe import Universe, metric_space
from dpselect.scores.combine import pareto
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import constant, element, local

# Two floats at most 1.3 apart, a unit, on both sides of 2^26 units: their ticks are 2^20 + 1 apart.
_UNIT, _LOW, _HIGH = 1.3, 87241522.75771217, 87241524.05771217
# A tick of a score of sensitivity 1.
_TICK = 2.0**-20
# Beyond 2^53 floats are further apart than one record moves an integer.
_FAR = 2**60 + 128
# First distances at which a sensitivity jumps; neighbours differ by one.
_JUMPS = (*range(60, 70), *range(197, 205))
# A step of the smooth bound at epsilon 0.1, and the gap at which a moving scale costs most.
_GROWTH, _GAP, _MANY = math.exp(0.01), 750.5, 100_000
# What dampens a score of zero by the sign that is declared.
_DAMPENING = ("local-dampening", "local-dampening-flip", "local-dampening-t")
# Powers of two by which the hopeless lie behind, how far scores move at first, and after how many steps further.
_DEPTHS, _CALM, _LATE = 15, 1e-3, 30


def row_of(count: int) -> Universe:
    """Return databases in a row."""
    return metric_space(np.abs(np.subtract.outer(np.arange(count), np.arange(count))))


def near_the_clip(x: int) -> Scores:
    """Two float scores that change places, a unit apart where floats are coarse."""
    return Scores(np.array([(_LOW, _HIGH), (_HIGH, _LOW)][x]), local(lambda _: _UNIT, ceiling=_UNIT, reach=0))


def off_the_grid(x: int) -> Scores:
    """Two scores move a unit, one up and one down, while the best moves by half a tick."""
    values = [(0.0, -3 - _TICK / 4, -5 - 3 * _TICK / 4), (_TICK / 2, -2 - _TICK / 4, -6 - 3 * _TICK / 4)]
    return Scores(np.array(values[x]), 1)


def beyond_floats(x: int) -> Scores:
    """Three integers beyond 2^53, one of which moves by 1."""
    return Scores(np.array([_FAR + x, _FAR, _FAR - 1], dtype=np.int64), 1)


def beyond_floats_apart(x: int) -> Scores:
    """The same with a bound for every candidate."""
    return Scores(np.array([_FAR + x, _FAR, _FAR - 1], dtype=np.int64), constant([1, 1e-6, 1e-6]))


def all_rise(x: int) -> Scores:
    """Scores that all rise along the row, so of range bound 1; distances to being best move both ways."""
    best = [(2.0, 0.0), (2.0, 1.0), (2.0, 3.0), (2.0, 4.0)]
    return Scores(np.array(best[x]), 2, range_bound=1, distance=np.array([max(x - 1, 0), max(2 - x, 0)]))


def all_rise_apart(x: int) -> Scores:
    """Two scores of bound 1 rise past one that hardly moves: their quotients move both ways."""
    return Scores(np.array([(-5.0, 0.0, 1.0), (-4.0, 0.0, 2.0)][x]), constant([1, 0.001, 1]), range_bound=1)


def late_jump(x: int) -> Scores:
    """A sensitivity that is next to nothing up to a far distance, and 1 from there on."""
    jump = _JUMPS[x]
    return Scores(np.array([1.0, 0.0, 0.0]), local(lambda t: 1.0 if t >= jump else 1e-6, ceiling=1.0, reach=300))


def jumps() -> Universe:
    """Return the databases of ``late_jump``."""
    return metric_space(np.abs(np.subtract.outer(_JUMPS, _JUMPS)))


def hopeless(x: int) -> Scores:
    """Candidates ever further behind the best, on a smooth bound that moves; the best moves as far as it may."""
    behind = np.concatenate([[x * _CALM], -(2.0 ** np.arange(_DEPTHS))])
    return Scores(behind, local(lambda t: 1.0 if t >= _LATE + x else _CALM, ceiling=1.0, reach=_LATE + 2))


def very_many(x: int) -> Scores:
    """One candidate ahead of many that are alike, while all scores and the smooth bound move at once."""
    values = np.full(_MANY, -_GAP + x)
    values[0] = -x
    # The form of the sensitivity is public, so it is the same for both.
    return Scores(values, local(lambda t: _GROWTH if x or t else 1.0, ceiling=_GROWTH))


def tenths(x: int) -> Scores:
    """The Pareto score of two numbers: 0.7 + 0.1 is less than 0.8 in floats, and one moves from 0.7 to 0.8."""
    return pareto([Scores(np.array([(0.7, 0.8)[x], 0.8]), element(lambda _: [0.1, 0.0], ceiling=0.1))])


def zeros_face(zero: str, x: int) -> Scores:
    """Two scores of zero, one safe for a step less and one for a step more with every step along the row.

    Where they are safe no longer they fall, or rise where zero is the worst.
    """
    fall = 1 if zero == "worst" else -1
    values = np.array([max(0, x - 3), max(0, 2 - x)]) * fall
    # Steps to the nearest database from which one more moves the score.
    safe = max(0, 3 - x), max(0, x - 2)
    return Scores(values, element(lambda t: [float(t >= each) for each in safe], ceiling=1.0, reach=6), zero=zero)


# Name, scores of each database, the databases, and the mechanisms it is for; None: all but inverse sensitivity.
Problem = tuple[str, Callable[[int], Scores], Callable[[], Universe], tuple[str, ...] | None]
PROBLEMS: tuple[Problem, ...] = (
    ("floats near the clip", near_the_clip, partial(row_of, 2), None),
    ("floats off the grid", off_the_grid, partial(row_of, 2), None),
    ("integers beyond 2^53", beyond_floats, partial(row_of, 2), None),
    ("integers beyond 2^53, bounds apart", beyond_floats_apart, partial(row_of, 2), ("generalised-exponential",)),
    ("all scores rise", all_rise, partial(row_of, 4), None),
    ("all scores rise, distances", all_rise, partial(row_of, 4), ("inverse-sensitivity",)),
    ("all scores rise, bounds apart", all_rise_apart, partial(row_of, 2), ("generalised-exponential",)),
    ("jumps at distances 60 to 204", late_jump, jumps, None),
    *(
        (f"zeros that face each other, {zero}", partial(zeros_face, zero), partial(row_of, 6), _DAMPENING)
        for zero in ("best", "worst", "neutral")
    ),
    ("100,000 candidates", very_many, partial(row_of, 2), ("smooth-noisy-max",)),
)

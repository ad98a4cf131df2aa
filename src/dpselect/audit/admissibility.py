"""Check whether a sensitivity is safe to dampen with: exactly, on every database of a universe.

The exact element local sensitivity follows from the neighbour graph by dynamic programming: at distance 0 it is
the largest change to a neighbour, and at t + 1 the largest value at t among a database and its neighbours.

References: Farias et al. 2023, section 3.2 and Definition 4.4.1. Errata: delta >= LS at every distance is
necessary and not sufficient, so A1 and A2 are tested; dominance compares how far each function lies *below* the
other, where it is printed above, and which candidates may gain most depends on the direction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.audit.universe import Universe
from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.scores.scores import Scores

Floats = NDArray[np.float64]
Utility = Callable[[Any], Scores]

# Two floats this close are the same number computed in two ways.
_RELATIVE, _ABSOLUTE = 1e-9, 1e-12


@dataclass(frozen=True, repr=False)
class UtilityTable:
    """A utility evaluated on every database.

    Attributes:
        universe: where.
        values: u, shape (n, m).
        at: delta at distances 0 .. T, shape (T + 1, n, m); T is the first distance where nothing changes.
        exact: the exact element local sensitivity, same shape.
        ceiling: the public ceiling. reach: the public reach, or ``None``.
        scores: the Scores of each database.
    """

    universe: Universe
    values: Floats
    at: Floats
    exact: Floats
    ceiling: float
    reach: int | None
    scores: list[Scores]


@dataclass(frozen=True)
class Admissibility:
    """The verdict of enumeration on one sensitivity.

    Attributes:
        universe: on which databases.
        cells: how many (database, distance, candidate) were checked.
        admissible: A1, A2, ceiling, reach and zero hold.
        counterexample: the smallest one in words, or ``""``.
        global_sensitivity: the exact one on this universe.
        tight: the share of cells below the reach where the bound is exact.
        worst_ratio: the largest bound / exact over those cells where exact > 0.
        kinds: which of "bounded", "flat", "non-decreasing", "non-increasing", "stable" hold here.
    """

    universe: str
    cells: int
    admissible: bool
    counterexample: str
    global_sensitivity: float
    tight: float
    worst_ratio: float
    kinds: tuple[str, ...]

    def __str__(self) -> str:
        verdict = "admissible" if self.admissible else f"NOT admissible: {self.counterexample}"
        kinds = ", ".join(self.kinds) or "no special kind"
        return (
            f"{verdict}\n{self.cells} cells of {self.universe}; exact in {self.tight:.1%} of them, at most "
            f"{self.worst_ratio:.3g} times the exact value; {kinds}"
        )


def admissible(utility: Utility, universe: Universe) -> Admissibility:
    """Check the sensitivity that comes with a utility, on every database of a universe.

    A1: delta(x, 0, r) bounds the change of u(., r) to every neighbour. A2: delta(x, t+1, r) is at least
    delta(y, t, r) for every neighbour y, and for y = x. Also: one ceiling, one reach and one zero for all
    databases, no value above the ceiling, and the exact sensitivity never above it.

    Args:
        utility: database to Scores; called twice on some databases.
        universe: from ``dpselect.audit.universe``.

    Raises:
        ValueError: the utility gives NaN, other candidates on other databases, another value when called
            again, or a sensitivity that falls with the distance; the sentence names database and candidate.

    >>> import dpselect as dps
    >>> def heads(records):
    ...     return dps.Scores([sum(records), len(records) - sum(records)], sensitivity=1, kind="integer")
    >>> print(admissible(heads, dps.audit.multisets([0, 1], 5)))
    admissible
    126 cells of Universe(multisets of at most 5 records of 2 kinds: 21 databases, add-remove neighbours); ...
    """
    return judge(tabulate(utility, universe))


def tabulate(utility: Utility, universe: Universe) -> UtilityTable:
    """Evaluate a utility on every database: values, sensitivities and exact sensitivities."""
    scores = [_scores_of(utility, universe, x) for x in range(len(universe))]
    first = scores[0]
    if any(score.sensitivity.smoothed is not None for score in scores):
        raise InputError(
            "Of these scores only a smooth bound is known, which has no values at a distance: check it with "
            "dpselect.audit.smooth(utility, universe, beta)."
        )
    for x, score in enumerate(scores):
        if list(score.candidates) != list(first.candidates):
            raise InputError(
                f"The candidates on {universe.words(x)} are not those on {universe.words(0)}: candidates are "
                "public, so a utility must score the same ones on every database."
            )
    for x in range(0, len(universe), max(1, len(universe) // 100)):
        if not np.array_equal(_scores_of(utility, universe, x).values, scores[x].values):
            raise InputError(
                f"The utility gave two different answers on {universe.words(x)}: it must be a function of the database."
            )
    values = np.array([score.values for score in scores], dtype=np.float64)
    exact = exact_sensitivity(universe, values)
    # One distance more than the last change of either function, so that A2 is checked across it.
    reaches = [score.sensitivity.reach for score in scores if score.sensitivity.reach is not None]
    last = max([len(exact), *[min(reach, 4 * len(exact) + 8) + 1 for reach in reaches]])
    distances = np.arange(last + 1)
    at = np.array([score.sensitivity.at(distances) for score in scores]).transpose(1, 0, 2)
    falls = np.argwhere(np.diff(at, axis=0) < -_ABSOLUTE - _RELATIVE * at[:-1])
    if len(falls):
        t, x, r = falls[0]
        raise InputError(
            f"The sensitivity of candidate {first.candidates[r]} on {universe.words(x)} falls from {at[t, x, r]:g} "
            f"at distance {t} to {at[t + 1, x, r]:g}: it must not decrease with the distance."
        )
    exact = np.concatenate((exact, np.repeat(exact[-1:], len(at) - len(exact), axis=0)))
    return UtilityTable(universe, values, at, exact, first.sensitivity.ceiling, first.sensitivity.reach, scores)


def exact_sensitivity(universe: Universe, values: Floats) -> Floats:
    """Return the exact element local sensitivity at every distance until it stops changing, (T + 1, n, m)."""
    step = np.zeros(values.shape)
    for column in universe.near.T:
        np.maximum(step, np.abs(values - values[column]), out=step)
    rows = [step]
    while True:
        wider = universe.spread(rows[-1])
        if np.array_equal(wider, rows[-1]):
            return np.array(rows)
        rows.append(wider)


def judge(table: UtilityTable) -> Admissibility:
    """Return the verdict on an evaluated utility."""
    # From the reach on every bound is the ceiling, which says nothing about how good it is.
    telling = slice(max(1, table.reach) if table.reach is not None else len(table.at))
    at, exact = table.at[telling], table.exact[telling]
    ratios = np.divide(at, exact, out=np.ones_like(at), where=exact > 0)
    example = _smallest_counterexample(table)
    return Admissibility(
        universe=repr(table.universe),
        cells=int(table.at.size),
        admissible=not example,
        counterexample=example,
        global_sensitivity=float(table.exact.max()),
        tight=float(np.mean(np.isclose(at, exact, rtol=_RELATIVE, atol=_ABSOLUTE))),
        worst_ratio=float(ratios.max()),
        kinds=_kinds(table, not example),
    )


def dominates(first: Utility, second: Utility, universe: Universe, *, direction: str = "growing") -> str:
    """Return "" when the first sensitivity dominates the second, else a counterexample in words.

    It is nowhere larger, and what it gains, second - first, does not favour worse candidates: in the growing direction
    a gain lowers the shifted score, so it must not be larger for better candidates; in the shrinking direction it
    raises the score, so it must not be smaller for them. Then shifted local dampening in that direction is never
    worse with the first (Lemma 4.4.1).

    Raises:
        ValueError: as :func:`admissible`, the two utilities score differently, or an unknown direction.
    """
    if direction not in ("growing", "shrinking"):
        raise InputError('direction is "growing" or "shrinking".')
    one, two = tabulate(first, universe), tabulate(second, universe)
    if not np.array_equal(one.values, two.values):
        raise InputError("Dominance compares two sensitivities of the same utility: the scores differ.")
    length = min(len(one.at), len(two.at))
    gap = two.at[:length] - one.at[:length]
    below = np.argwhere(gap < -_ABSOLUTE)
    if len(below):
        t, x, r = below[0]
        return (
            f"On {universe.words(x)} the first is larger at distance {t}: {one.at[t, x, r]:g} against "
            f"{two.at[t, x, r]:g} for candidate {one.scores[x].candidates[r]}."
        )
    wrong = _order_violation(one.values if direction == "shrinking" else -one.values, gap)
    if wrong is None:
        return ""
    t, x, less, more = wrong
    better, worse = (less, more) if direction == "shrinking" else (more, less)
    names = one.scores[x].candidates
    return (
        f"On {universe.words(x)} at distance {t} the first gains {gap[t, x, better]:g} for candidate {names[better]} "
        f"and {gap[t, x, worse]:g} for candidate {names[worse]}; {names[better]} is the better one, or they are level."
    )


def _scores_of(utility: Utility, universe: Universe, x: int) -> Scores:
    try:
        scores = utility(universe[x])
    except (ValueError, TypeError) as error:
        raise type(error)(f"On {universe.words(x)}: {error}") from error
    if not isinstance(scores, Scores):
        raise InputTypeError("A utility returns dpselect.Scores: wrap values as Scores(values, sensitivity=...).")
    return scores


def _smallest_counterexample(table: UtilityTable) -> str:
    """Return the violation on the smallest database, nearest first, in words; "" when there is none."""
    universe, words = table.universe, table.universe.words
    for x, score in enumerate(table.scores):
        facts = score.sensitivity.ceiling, score.sensitivity.reach
        if facts != (table.ceiling, table.reach):
            return (
                f"ceiling and reach are public, and they are {table.ceiling:g}, {table.reach} on {words(0)} and "
                f"{facts[0]:g}, {facts[1]} on {words(x)}."
            )
        if score.zero != table.scores[0].zero:
            return f"zero is public, and it is {table.scores[0].zero!r} on {words(0)} and {score.zero!r} on {words(x)}."
    slack = _ABSOLUTE + _RELATIVE * np.abs(table.at)
    needed = np.concatenate((table.exact[:1], np.array([universe.spread(row) for row in table.at[:-1]])))
    broken = np.argwhere(table.at + slack < needed)
    if not len(broken):
        over = np.argwhere(table.exact[0] > table.ceiling * (1 + _RELATIVE))
        return f"the ceiling {table.ceiling:g} is below the exact {table.exact.max():g}." if len(over) else ""
    t, x, r = min(broken.tolist(), key=lambda cell: (universe.sizes[cell[1]], cell[0], cell[1]))
    name, bound = table.scores[x].candidates[r], table.at[t, x, r]
    around = universe.near[x]
    if t == 0:
        y = around[np.argmax(np.abs(table.values[around, r] - table.values[x, r]))]
        return (
            f"A1 fails on {words(x)}: one step to {words(y)} moves candidate {name} from {table.values[x, r]:g} to "
            f"{table.values[y, r]:g}, and the sensitivity at distance 0 is {bound:g}."
        )
    y = around[np.argmax(table.at[t - 1, around, r])]
    return (
        f"A2 fails on {words(x)}: at distance {t} the sensitivity of candidate {name} is {bound:g}, and one step away "
        f"{words(y)} has {table.at[t - 1, y, r]:g} at distance {t - 1}."
    )


def _kinds(table: UtilityTable, admissible: bool) -> tuple[str, ...]:
    """Return the classes of section 3.2 that hold on this universe."""
    spread = np.ptp(table.at, axis=2)
    checks = {
        "bounded": table.reach is not None or bool((table.at[-1] >= table.ceiling * (1 - _RELATIVE)).all()),
        "flat": bool((spread <= _ABSOLUTE + _RELATIVE * table.at.max(axis=2)).all()),
        "non-decreasing": _order_violation(table.values, table.at) is None,
        "non-increasing": _order_violation(-table.values, table.at) is None,
    }
    kinds = [kind for kind, holds in checks.items() if holds]
    if admissible and "bounded" in kinds and len(kinds) > 1:
        kinds.append("stable")
    return tuple(kinds)


def _order_violation(values: Floats, at: Floats) -> tuple[int, int, int, int] | None:
    """Return (t, x, r, s) where r scores at least as high as s and has a smaller value, or ``None``."""
    for r in range(values.shape[1]):
        for s in range(values.shape[1]):
            smaller = (values[:, r] >= values[:, s]) & (at[:, :, r] < at[:, :, s] * (1 - _RELATIVE) - _ABSOLUTE)
            if smaller.any():
                t, x = np.argwhere(smaller)[0].tolist()
                return t, x, r, s
    return None

"""Margins of groups by a formula: how many rows must come or go before a group changes sides of a list.

The least and the largest value of a formula that may be reached in t steps are curves as margins need them: what a
neighbour reaches in t steps is reached in t + 1. No derivative, no sum over distances and no ceiling is needed, and of
a ratio of two sums they are exact, as long as no count runs out. Formulas that are made of several ratios, and have a
ceiling, take t times the derived sensitivity at t - 1, and what is reached where that is less.

Neighbours: those of the kinds of rows. Sensitivity 1. Reach: 0. Range bound 2. Proof: ``derived_sensitivity.md``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.formulas import derived_sensitivity
from dpselect.formulas import group_scores as made
from dpselect.formulas.elementary import Logarithm, SquareRoot
from dpselect.formulas.expression import Expression, Largest, Linear, Quotient, ScaledExpression, Sum
from dpselect.formulas.interval import Floats
from dpselect.formulas.region import GroupSums
from dpselect.formulas.rows import RowKinds
from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import whole
from dpselect.scores.envelopes import FARTHEST, Envelopes, Integers, Positions
from dpselect.scores.margin import Curves, margins_of
from dpselect.scores.scores import Scores

# Steps, positions, and the least and the largest value there.
_EnvelopeKey = tuple[Any, Positions, tuple[Floats, Floats]]
# Bits of a double that are left out, so that differences of curves fit.
_LEFT_OUT = 4


def margins(
    formula: Expression,
    counts: Mapping[str, ArrayLike],
    rows: RowKinds,
    k: int,
    *,
    candidates: Sequence[Any] | None = None,
) -> Scores:
    """Return how many steps each group is from changing sides of the list of the k best, for ``permute-and-flip``.

    Args:
        formula, counts, rows, candidates: as for :func:`dpselect.formulas.group_scores`.
        k: how many will be named, fewer than there are groups.

    Raises:
        FormulaError, TypeError, ValueError: as there; another k.

    >>> from dpselect.formulas import RowKinds, statistic
    >>> infected, patients = statistic("infected"), statistic("patients")
    >>> rows = RowKinds.of([{"patients": 1}, {"patients": 1, "infected": 1}])
    >>> counts = {"infected": [40, 9, 1], "patients": [100, 90, 20]}
    >>> margins((infected + 1) / (patients + 10), counts, rows, 1).values.round(1)
    array([ 10.4, -18.9, -10.4])
    """
    derived_sensitivity.require_value(formula, rows)
    held = made.require_counts(counts, rows)
    distinct, profile = made.distinct_groups(held)
    named = whole(k, "k", "how many groups to name")
    if named >= profile.size:
        raise InputError(f"A margin sets k groups apart from others: there are {profile.size}, so ask for fewer.")
    values = made.values(formula, rows, distinct)
    reach = Reach(formula, rows, distinct, profile, values)
    relation = made.relation(rows).value
    curves: Curves = reach
    if not is_exact(formula):
        sensitivity = made.sensitivity(formula, distinct, rows, profile=profile)
        if isfinite(sensitivity.ceiling):
            scored = Scores(
                values[profile], sensitivity, candidates, relation, kind="real", upper_envelope=reach.largest
            )
            curves = FormulaEnvelopes(scored, np.partition(scored.values, -named)[-named], reach)
    found = margins_of(curves, profile.size, named)
    return Scores(found, 1, candidates, relation, 2, kind="real", k=named)


class FormulaEnvelopes(Envelopes):
    """Bounds on the move of scores in t steps: t times the derived sensitivity at the last of them.

    Args:
        scores: with the derived sensitivity, its ceiling, and ``highest``.
        reference: as for :class:`Envelopes`.
        reach: of the same groups.
    """

    def __init__(self, scores: Scores, reference: Any, reach: Reach) -> None:
        super().__init__(scores, reference)
        self._reach, self._ceiling = reach, scores.sensitivity.ceiling

    def stretches(self) -> Iterator[tuple[int, int]]:
        """Yield distances in stretches that double."""
        return self._reach.stretches()

    def _envelope_sums(self, steps: Any, at: Positions) -> Integers:
        away = np.asarray(steps, dtype=np.int64)
        last, counts = np.maximum(away - 1, 0), self._reach.counts.at(self._reach.profile[at])
        delta = np.minimum(
            derived_sensitivity.delta(self._reach.formula, self._reach.rows, counts, last), self._ceiling
        )
        return np.broadcast_to(away * self._in_quanta(delta, last), np.broadcast_shapes(away.shape, np.shape(at)))


def is_exact(formula: Expression) -> bool:
    """Return whether what a formula reaches is known: one ratio of sums, what grows with it, or the larger of two."""
    if isinstance(formula, Linear):
        return True
    if isinstance(formula, Quotient):
        return formula.is_of_sums
    if isinstance(formula, Largest):
        return all(is_exact(part) for part in formula.parts)
    if isinstance(formula, Sum):
        moving = [part for part in formula.parts if not (isinstance(part, Linear) and not part.weights)]
        return len(moving) == 1 and is_exact(moving[0])
    return isinstance(formula, (ScaledExpression, SquareRoot, Logarithm)) and is_exact(formula.parts[0])


@dataclass(frozen=True)
class Reach:
    """The least and the largest value that each group may reach in a number of steps.

    Attributes:
        formula, rows: what is reached, and how.
        counts: the statistics of different groups.
        profile: which of them each group has.
        values: the formula of these groups, within what encloses it.
        recent: what was asked last: low and high are asked for alike.
    """

    formula: Expression
    rows: RowKinds
    counts: GroupSums
    profile: NDArray[np.intp]
    values: Floats
    recent: deque[_EnvelopeKey] = field(default_factory=lambda: deque(maxlen=4), repr=False)

    def stretches(self) -> Iterator[tuple[int, int]]:
        """Yield distances in stretches that double."""
        start, stop = 0, 1
        while start < FARTHEST:
            yield start, stop
            start, stop = stop, 2 * stop

    def low(self, steps: Any, at: Positions) -> Integers:
        """Return the place of the least value among doubles."""
        return _places(self._between(steps, at)[0])

    def high(self, steps: Any, at: Positions) -> Integers:
        """Return the place of the largest value among doubles."""
        return _places(self._between(steps, at)[1])

    def largest(self, steps: Any, at: Positions) -> Floats:
        """Return the largest value."""
        return self._between(steps, at)[1]

    def _between(self, steps: Any, at: Positions) -> tuple[Floats, Floats]:
        """Return the least and the largest value; steps and positions are broadcast."""
        for earlier, there, found in self.recent:
            if there is at and (earlier is steps or (not np.ndim(steps) and not np.ndim(earlier) and earlier == steps)):
                return found
        distance = np.asarray(steps, dtype=np.int64)
        shape = np.broadcast_shapes(distance.shape, np.shape(at))
        region = derived_sensitivity.reachable(self.formula, self.rows, self.counts.at(self.profile[at]), distance)
        # Nothing but the score itself is reached in no step.
        here, still = self.values[self.profile[at]], distance == 0
        least, most = (np.broadcast_to(np.where(still, here, each), shape) for each in (region.lo, region.hi))
        self.recent.append((steps, at, (least, most)))
        return least, most


def _places(values: Floats) -> Integers:
    """Return integers in the order of doubles, below 2^59 in size."""
    bits = np.ascontiguousarray(values).view(np.int64)
    ordered = np.where(bits >= 0, bits, -(bits & np.int64(2**63 - 1)))
    return np.asarray(ordered >> _LEFT_OUT)

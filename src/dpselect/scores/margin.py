"""Margins: how many steps a candidate is from changing sides of a list of the best k.

In y steps a score comes no lower than low(y) and no higher than high(y), its value minus and plus the sum of delta(t)
over t < y. The margin of one of the k best is how many steps its low takes to fall below the k-th highest of the
others' highs; that of one of the others, minus how many steps its high takes to reach the k-th highest of the others'
lows. Between whole numbers of steps the curves are straight. One neighbour moves a margin by at most 1.

Neighbours: those of the scores. Sensitivity 1. Reach: 0. Range bound 2.

References: ours; delta and its walk are those of local dampening (Farias et al. 2023). Proof: ``margin.md``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice, InputError, PrivacyError
from dpselect.kernel.numbers import whole
from dpselect.scores.declared_bound import no_distances
from dpselect.scores.envelopes import FARTHEST, Envelopes, Integers, Positions
from dpselect.scores.scores import Scores, require_scores

# What scores say that suits them where they are ranked by their margins.
MARGIN = "margin"
# Margins are multiples of 1 over this, rounded down.
_PARTS = 20
# Up to so many pairs of candidates are compared in one array.
_PAIRS = 2**20


def margin(scores: Scores, k: int) -> Scores:
    """Return how many steps each candidate is from changing sides of the list of the best k, shape (m,).

    Margins are above zero for the k best, wherever two scores are told apart, so that a release with a large epsilon
    names them, whatever the sensitivity is: a tighter one costs no order. One constant sensitivity has that already,
    and such scores are returned unchanged. Draw with ``permute-and-flip`` or ``exponential``, for the same k.

    Args:
        scores: with an admissible sensitivity and a public ceiling; what they know of the most that each may be
            (``Scores(highest=)``) is used.
        k: how many will be named, from 1 to one less than the candidates.

    Raises:
        ValueError, TypeError: not scores, or margins already; another k.
        PrivacyError: the sensitivity has no public ceiling, or is a smooth bound alone.

    >>> import dpselect as dps
    >>> spread = dps.sensitivity.element(lambda t: [2 + t, 1 + t, 1 + t], ceiling=4)
    >>> dps.utilities.margin(dps.Scores([9, 5, 3], spread, kind="integer"), 1).values.round(5)
    array([ 1.2, -1.2, -1.6])

    Limits: Margins are careful on both sides. ``dps.utilities.margin`` counts steps in which a candidate and its rivals
    both move against it, so they separate two candidates half as well as one constant sensitivity would; this pays
    where dampening has the wrong order or the ceiling is far above what moves. They need a public ceiling, count in
    2^-36 of it, and look at most 2^22 steps far. Real scores may have been rounded before, by a quantum or, up to 2^32
    ceilings, by 2^-44 of their own size; what was rounded by more is not covered.
    """
    size = len(require_scores(scores))
    named = whole(k, "k", "how many candidates to name")
    if scores.k is not None:
        raise InputError("These scores are margins already: pass the scores that they were made of.")
    if named >= size:
        raise InputError(f"A margin sets k candidates apart from others: there are {size}, so ask for fewer.")
    sensitivity = scores.sensitivity
    if sensitivity.fixed:
        values, kind, zero = scores.values, None, scores.zero
    else:
        if sensitivity.smoothed is not None:
            no_distances(sensitivity)
        if np.isinf(sensitivity.ceiling):
            raise PrivacyError(
                Advice(
                    "A margin counts in steps of a public quantum, and this sensitivity has no ceiling: "
                    "{cap it, dpselect.sensitivity.cap, at its public global bound|take another mechanism}."
                )
            )
        values, kind, zero = _margins(scores, named), "real", "neutral"
    return Scores(
        values,
        sensitivity if sensitivity.fixed else 1,
        scores.candidates,
        scores.neighbours.value,
        scores.range_bound if sensitivity.fixed else 2,
        metadata=scores.metadata,
        kind=kind,
        zero=zero,
        k=named,
    )


def with_margins(scores: Any, k: int) -> Any:
    """Return the margins of scores that ask for them, ``Scores(suits="margin")``: a public rule.

    All else is returned as it is: scores of which all candidates are named too, and a ``k`` that is refused later.
    """
    if not isinstance(scores, Scores) or scores.default_mechanism != MARGIN or scores.k is not None:
        return scores
    counted = isinstance(k, (int, np.integer)) and not isinstance(k, bool)
    return margin(scores, k) if counted and 1 <= k < len(scores) else scores


def _margins(scores: Scores, k: int) -> NDArray[np.float64]:
    """Return the margins, cut at the farthest distance, exact and rounded down to 2^-20."""
    reference = np.partition(scores.values, len(scores) - k)[len(scores) - k]
    return margins_of(Envelopes(scores, reference), len(scores), k)


def margins_of(curves: Curves, size: int, k: int) -> NDArray[np.float64]:
    """Return the margins of candidates with these curves, cut at the farthest distance and rounded down to 2^-20.

    Args:
        curves: of neighbours x and y, that of y is no lower than low of x is a step on, and its high no higher.
        size, k: how many candidates there are, and how many will be named.
    """
    everyone = np.arange(size)
    result = np.empty(size)
    sides: list[_Side] = []
    for start, stop in curves.stretches():
        if not sides:
            best = _lead(curves.low(0, everyone), curves.high(0, everyone), curves.high(0, everyone), k) >= 0
            sides = [
                _InsideList(curves, k, result, np.flatnonzero(best)),
                _OutsideList(curves, k, result, np.flatnonzero(~best)),
            ]
        for side in sides:
            side.advance(start, stop)
        if not any(side.waiting.size for side in sides):
            break
    for side in sides:
        result[side.waiting] = side.sign * FARTHEST
    return result


class Curves(Protocol):
    """Lowest and highest value of each score a number of steps away, in integers below 2^60 in size."""

    def stretches(self) -> Iterator[tuple[int, int]]:
        """Yield the two ends of one stretch of distances after another, up to the farthest."""
        ...

    def low(self, steps: Any, at: Positions) -> Integers:
        """Return the least that scores may be so many steps away; steps and positions are broadcast."""
        ...

    def high(self, steps: Any, at: Positions) -> Integers:
        """Return the most that scores may be so many steps away."""
        ...


class _Side(ABC):
    """Those on one side of the list: their leads fall, or rise, through zero as steps are taken.

    The lead of a candidate is its own curve minus the k-th highest curve of the others, which runs the other way.
    """

    sign: int

    def __init__(self, curves: Curves, k: int, result: NDArray[np.float64], waiting: Positions) -> None:
        self.waiting = waiting
        self._curves, self._k, self._result = curves, k, result
        self._everyone = np.arange(result.size)

    def advance(self, start: int, stop: int) -> None:
        """Settle the candidates that change sides in this stretch."""
        if not self.waiting.size:
            return
        ends = self._ends(self._leads(stop, self.waiting, self._everyone))
        tasks = [(start, stop, self.waiting[ends], self._everyone)]
        self.waiting = self.waiting[~ends]
        while tasks:
            low, high, own, others = tasks.pop()
            if not own.size:
                continue
            others = self._near(low, high, others)
            if own.size * others.size <= _PAIRS or high - low == 1:
                self._bisect(low, high, own, others)
                continue
            middle = (low + high) // 2
            ends = self._ends(self._leads(middle, own, others))
            tasks += [(low, middle, own[ends], others), (middle, high, own[~ends], others)]

    def _bisect(self, low: int, high: int, own: Positions, others: Positions) -> None:
        """Find between which whole numbers of steps each lead passes zero, and where between them."""
        if high - low == 1:
            self._settle(np.full(own.size, low), self._leads(low, own, others), self._leads(high, own, others), own)
            return
        least, most = np.full(own.size, low), np.full(own.size, high)
        while (most - least > 1).any():
            middle = (least + most) // 2
            ends = self._ends(self._leads(middle, own, others))
            least, most = np.where(ends, least, middle), np.where(ends, middle, most)
        self._settle(least, self._leads(least, own, others), self._leads(most, own, others), own)

    def _leads(self, steps: Any, own: Positions, others: Positions) -> Integers:
        """Return the lead of each, the same number of steps away or each its own."""
        if not np.ndim(steps):
            return _lead(self._own(steps, own), self._other(steps, own), self._other(steps, others), self._k)
        # The curves of the others are looked at once for each number of steps.
        different, place = np.unique(steps, return_inverse=True)
        kth, next_one = _highest_two(self._other(different[:, None], others), self._k)
        return _lead_of(self._own(steps, own), self._other(steps, own), kth[place], next_one[place])

    @abstractmethod
    def _own(self, steps: Any, at: Positions) -> Integers:
        """Return the curves of those that are asked about."""

    @abstractmethod
    def _other(self, steps: Any, at: Positions) -> Integers:
        """Return the curves that run the other way."""

    @abstractmethod
    def _ends(self, leads: Integers) -> NDArray[np.bool_]:
        """Return which leads are past zero."""

    @abstractmethod
    def _near(self, low: int, high: int, others: Positions) -> Positions:
        """Return those that can be among the k + 1 highest of the others anywhere between."""

    @abstractmethod
    def _settle(self, least: Integers, before: Integers, after: Integers, own: Positions) -> None:
        """Write down the margins of those whose leads pass zero in the step after ``least``."""


class _InsideList(_Side):
    sign = 1

    def _own(self, steps: Any, at: Positions) -> Integers:
        return self._curves.low(steps, at)

    def _other(self, steps: Any, at: Positions) -> Integers:
        return self._curves.high(steps, at)

    def _ends(self, leads: Integers) -> NDArray[np.bool_]:
        return leads < 0

    def _near(self, low: int, high: int, others: Positions) -> Positions:
        early = self._other(low, others)
        bar = _highest(early, self._k + 1)
        return others[(self._other(high, others) >= bar) | (early >= bar)]

    def _settle(self, least: Integers, before: Integers, after: Integers, own: Positions) -> None:
        self._result[own] = least + _share(before, before - after)


class _OutsideList(_Side):
    sign = -1

    def _own(self, steps: Any, at: Positions) -> Integers:
        return self._curves.high(steps, at)

    def _other(self, steps: Any, at: Positions) -> Integers:
        return self._curves.low(steps, at)

    def _ends(self, leads: Integers) -> NDArray[np.bool_]:
        return leads >= 0

    def _near(self, low: int, high: int, others: Positions) -> Positions:
        late = self._other(high, others)
        bar = _highest(late, self._k + 1)
        return others[(self._other(low, others) >= bar) | (late >= bar)]

    def _settle(self, least: Integers, before: Integers, after: Integers, own: Positions) -> None:
        self._result[own] = _share(after, after - before) - (least + 1)


def _highest(values: Integers, rank: int) -> Integers:
    """Return the value of a rank, from 1 for the largest, along the last axis."""
    place = values.shape[-1] - rank
    return np.asarray(np.partition(values, place, axis=-1)[..., place])


def _lead(own: Integers, same: Integers, others: Integers, k: int) -> Integers:
    """Return own minus the k-th highest of the others: a candidate among the k highest looks one further down.

    Args:
        own: of the candidates that are asked about.
        same: what the same candidates have among ``others``.
        others: of all that may matter, or a row of them for each candidate that is asked about.
    """
    return _lead_of(own, same, *_highest_two(others, k))


def _highest_two(others: Integers, k: int) -> tuple[Integers, Integers]:
    """Return the k-th and the (k + 1)-th highest along the last axis."""
    place = others.shape[-1] - k
    ordered = np.partition(others, (place - 1, place), axis=-1)
    return ordered[..., place], ordered[..., place - 1]


def _lead_of(own: Integers, same: Integers, kth: Integers, next_one: Integers) -> Integers:
    return np.asarray(own - np.where(same >= kth, next_one, kth))


def _share(part: Integers, of: Integers) -> NDArray[np.float64]:
    """Return a quotient from 0 to 1 rounded down to 2^-20, exactly: parts are below 2^62."""
    digits = np.where(part == of, 1, 0)
    rest = np.where(part == of, 0, part)
    for _ in range(_PARTS):
        rest = 2 * rest
        one = rest >= of
        digits, rest = 2 * digits + one, np.where(one, rest - of, rest)
    return np.ldexp(digits.astype(np.float64), -_PARTS)

"""Enclosures of the statistics of a group some moves away, and of a formula over them, before and after one more.

Sums of statistics are whole numbers, so the regions of neighbours lie in each other exactly. Everything else is made of
isotone enclosures.

Proof: ``derived_sensitivity.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.formulas.expression import Expression, Largest, Linear, Quotient, Step
from dpselect.formulas.interval import EVERYTHING, EXACT, Floats, Interval, Mask, down, of_integers, up
from dpselect.formulas.rows import RowKinds, SumFacts

_INF = float("inf")
# Several sums below it are added in 64 bits.
_WIDE = 2**59
Integers = NDArray[Any]


class GroupSums:
    """The statistics of groups, and sums of them, each added up once.

    Args:
        arrays: whole numbers by the names of statistics, of one shape.
        whole, rows: a table of more groups, and which of those these are.
    """

    def __init__(
        self, arrays: Mapping[str, Integers], whole: GroupSums | None = None, rows: NDArray[np.intp] | None = None
    ) -> None:
        self.arrays = arrays
        self._whole, self._rows = whole, rows
        self._sums: dict[SumFacts, Integers] = {}

    @property
    def size(self) -> int:
        """Return how many groups there are."""
        return int(next(iter(self.arrays.values())).size)

    def at(self, rows: NDArray[np.intp]) -> GroupSums:
        """Return some of the groups."""
        return GroupSums(self.arrays, self, rows)

    def sum(self, facts: SumFacts, rows: RowKinds) -> Integers:
        """Return a sum of statistics, exact: int64, or integers of Python where those might not fit."""
        if facts not in self._sums:
            if self._whole is not None:
                self._sums[facts] = self._whole.sum(facts, rows)[self._rows]
            else:
                self._sums[facts] = self._weighted_sum(facts, rows)
        return self._sums[facts]

    def _weighted_sum(self, facts: SumFacts, rows: RowKinds) -> Integers:
        used = [(self.arrays[rows.names[place]], weight) for place, weight in facts.weights]
        # Weights fit, too, where nothing is there to be weighed.
        size = abs(facts.constant) + sum(max(_largest(each), 1) * abs(weight) for each, weight in used)
        kind: Any = np.int64 if size < _WIDE else object
        total: Integers = np.full(next(iter(self.arrays.values())).shape, facts.constant, dtype=kind)
        for each, weight in used:
            total = total + each.astype(kind) * weight
        return total


@dataclass(eq=False)
class Region:
    """Enclosure of the statistics that so many moves reach.

    Attributes:
        rows: the kinds of rows.
        counts: the statistics; ``None`` for all that rows make possible.
        distance: how many moves away, an array that broadcasts with those.
        cells: for some sums, within which interval they are.
        move: which move is made, ``None`` for no move.
        backwards: whether the region holds what is after the move, and not what is before it.
        empty: where nothing is.
    """

    rows: RowKinds
    counts: GroupSums | None
    distance: Integers
    cells: Mapping[Linear, Interval] = field(default_factory=dict)
    move: int | None = None
    backwards: bool = False
    empty: Mask = field(default_factory=lambda: np.zeros((), dtype=bool))

    def __post_init__(self) -> None:
        self._ends: dict[Expression, tuple[Interval, Interval]] = {}
        self._steps: dict[Expression, Step] = {}
        self._near: dict[Linear, tuple[Integers, Integers]] = {}

    def after_move(self, move: int, *, backwards: bool) -> Region:
        """Return the region for one move."""
        region = replace(self, move=move, backwards=backwards, empty=np.zeros((), dtype=bool))
        region._near = self._near
        return region

    def before(self, part: Expression) -> Interval:
        """Return where a part is before the move."""
        return self._both(part)[0]

    def after(self, part: Expression) -> Interval:
        """Return where a part is after it."""
        return self._both(part)[1]

    def step(self, part: Expression) -> Step:
        """Return how far it moves; ``None`` where it does not."""
        if part not in self._steps:
            self._steps[part] = self._moves(part)
        return self._steps[part]

    def _moves(self, part: Expression) -> Step:
        if isinstance(part, Linear):
            facts = self.rows.facts(part)
            low, high = (0, 0) if self.move is None else facts.moves[self.move]
            if low == high == 0:
                return None
            ends = (Interval.around(Fraction(each, facts.scale)) for each in (low, high))
            return Interval.hull(*ends)
        step = part.step(self)
        if step is None:
            return None
        if isinstance(part, (Quotient, Largest)):
            early, late = self._both(part)
            step = step.cut(late - early)
        self._void(step)
        return step

    def _both(self, part: Expression) -> tuple[Interval, Interval]:
        if part not in self._ends:
            if isinstance(part, Linear):
                ends = self._sum(part)
            elif self.move is None or self._stays(part):
                value = self._value(part, after=False)
                ends = value, value
            else:
                ends = self._value(part, after=False), self._value(part, after=True)
            for each in ends:
                self._void(each)
            self._ends[part] = ends
        return self._ends[part]

    def _stays(self, part: Expression) -> bool:
        """Return whether the move leaves a part where it is."""
        if isinstance(part, Linear):
            return self.step(part) is None
        return all(self._stays(each) for each in part.parts)

    def _value(self, part: Expression, *, after: bool) -> Interval:
        parts = [self._both(each)[after] for each in part.parts]
        value = part.value(parts)
        if isinstance(part, Quotient):
            over, under = part.parts
            if isinstance(over, Linear) and isinstance(under, Linear):
                value = value.cut(self._mediant(over, under, parts[1]))
                if self.counts is not None:
                    value = value.cut(self._corners(over, under, after=after))
        return value

    def _void(self, interval: Interval) -> None:
        crossed = interval.is_empty
        if crossed.any():
            self.empty = self.empty | crossed

    def _sum(self, part: Linear) -> tuple[Interval, Interval]:
        """Return where a sum of statistics is before and after."""
        facts = self.rows.facts(part)
        low, high = (0, 0) if self.move is None else facts.moves[self.move]
        if self.counts is None:
            return _ends_of(facts, low, high, self.cells.get(part, EVERYTHING), self.backwards)
        if part not in self._near:
            middle, away = self._exact(facts, facts.width)
            self._near[part] = _cut(middle - away, middle + away, facts.low, facts.high)
        least, most = self._near[part]
        if self.backwards:
            # It lies in the region after the move, and was possible before it.
            after = _cut(least, most, *_moved_bounds(facts, low, high))
            before = _cut(after[0] - high, after[1] - low, facts.low, facts.high)
        else:
            before = _cut(least, most, *_moved_bounds(facts, -high, -low))
            after = _cut(before[0] + low, before[1] + high, facts.low, facts.high)
        factor = Fraction(1, facts.scale)
        return of_integers(*before).times(factor), of_integers(*after).times(factor)

    def _exact(self, facts: SumFacts, width: int) -> tuple[Integers, Integers]:
        """Return a sum of statistics and so many times the distance, both exact: in 64 bits where they fit."""
        assert self.counts is not None
        middle, distance = self.counts.sum(facts, self.rows), self.distance
        if _largest(distance) * abs(width) >= _WIDE or facts.width >= _WIDE:
            distance = distance.astype(object)
        return middle, distance * width

    def _mediant(self, over: Linear, under: Linear, at: Interval) -> Interval:
        """Return between which quotients two sums lie, where every row adds within a range of quotients.

        a - a0 lies between r and R times b - b0, so a / b between r + (a0 - r b0) / b and the same of R.
        """
        pair, one, other = self.rows.pair(over, under), self.rows.facts(over), self.rows.facts(under)
        if pair.ratios is None or other.constant < 0:
            return EVERYTHING
        lo, hi = np.asarray(-_INF), np.asarray(_INF)
        units = Fraction(other.scale, one.scale)
        for ratio, is_low in ((pair.ratios[0], True), (pair.ratios[1], False)):
            if ratio is None:
                continue
            rest = Fraction(one.constant, one.scale) - ratio * units * Fraction(other.constant, other.scale)
            found = Interval.around(ratio * units)
            if rest:
                found = found + Interval.around(rest).over(at)
            lo, hi = (found.lo, hi) if is_low else (lo, found.hi)
        return Interval(lo, hi)

    def _corners(self, over: Linear, under: Linear, *, after: bool) -> Interval:
        """Return the extremes of a quotient of sums at the corners of the region without its public bounds."""
        pair, one, other = self.rows.pair(over, under), self.rows.facts(over), self.rows.facts(under)
        if pair.points is None:
            return EVERYTHING
        shifts: tuple[tuple[int, int], ...] = ((0, 0),)
        if self.move is not None and after != self.backwards:
            sign = 1 if after else -1
            shifts = tuple((sign * a, sign * b) for a, b in pair.corners[self.move])
        lo, hi, sure = np.asarray(_INF), np.asarray(-_INF), np.ones((), dtype=bool)
        for point in pair.points:
            (top, over_by), (bottom, under_by) = self._exact(one, point[0]), self._exact(other, point[1])
            for shift in shifts:
                x, y = top + over_by + shift[0], bottom + under_by + shift[1]
                sure = sure & np.asarray((y > 0) & (y <= EXACT) & (abs(x) <= EXACT), dtype=bool)
                with np.errstate(divide="ignore", invalid="ignore"):
                    ratio = _double(x) / _double(y)
                lo, hi = np.minimum(lo, ratio), np.maximum(hi, ratio)
        least = np.where(lo >= 0, np.maximum(down(lo), 0.0), down(lo))
        most = np.where(hi <= 0, np.minimum(up(hi), 0.0), up(hi))
        found = Interval(least, most).times(Fraction(other.scale, one.scale))
        return found.where(sure, EVERYTHING)


def _double(x: Integers) -> Floats:
    """Return integers as doubles, cut where they are none."""
    return np.asarray(np.maximum(np.minimum(x, EXACT), -EXACT), dtype=np.float64)


def _moved_bounds(facts: SumFacts, low: int, high: int) -> tuple[int | None, int | None]:
    """Return the public bounds after a move between two amounts."""
    return None if facts.low is None else facts.low + low, None if facts.high is None else facts.high + high


def _ends_of(facts: SumFacts, low: int, high: int, cell: Interval, backwards: bool) -> tuple[Interval, Interval]:
    """Return where a sum is before and after a move, in a public cell; all of it is rounded outwards."""
    factor = Fraction(1, facts.scale)
    bounds, step = _bounds(facts.low, facts.high).times(factor), _bounds(low, high).times(factor)
    if backwards:
        after = cell.cut(bounds + step).cut(bounds)
        return (after - step).cut(bounds), after
    before = cell.cut(bounds - step).cut(bounds)
    return before, (before + step).cut(bounds)


def _bounds(low: int | None, high: int | None) -> Interval:
    lo = -_INF if low is None else Interval.around(Fraction(low)).lo
    return Interval.of(lo, _INF if high is None else Interval.around(Fraction(high)).hi)


def _cut(least: Integers, most: Integers, low: int | None, high: int | None) -> tuple[Integers, Integers]:
    return least if low is None else np.maximum(least, low), most if high is None else np.minimum(most, high)


def _largest(integers: Integers) -> int:
    return max(abs(int(integers.max(initial=0))), abs(int(integers.min(initial=0))))

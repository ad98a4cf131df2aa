"""Kinds of rows: what one row may add to the statistics of a group, and what follows for sums of them.

A row adds 0 to every statistic, or what one of finitely many public kinds says: a whole number to each, or any whole
number between two. A database is made of rows, one added to another, so sums that no kind lowers never fall below
their constant.

Proof: ``derived_sensitivity.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import lcm

from dpselect.formulas.expression import Expression, Linear
from dpselect.kernel.errors import InputError, InputTypeError

# A whole number, or the least and the largest of a range.
Amount = int | tuple[int, int]
# Least and largest of each statistic.
Box = tuple[tuple[int, int], ...]
Pair = tuple[int, int]

_MOST_CORNERS = 2**10


@dataclass(frozen=True)
class RowKinds:
    """Public kinds of rows, and what neighbours differ in.

    Attributes:
        names: of the statistics.
        kinds: what a row adds to each of them.
        moves: what is added to the statistics of one of two neighbours to get those of the other.
        steps: how many such moves lie between neighbours, at most.
        apart: another way to say the same, of which the better one counts: a substitution is one move or two rows.
        of_persons: whether what comes or goes are the rows of a person, if only one of them counts.
    """

    names: tuple[str, ...]
    kinds: tuple[Box, ...]
    moves: tuple[Box, ...]
    steps: int = 1
    apart: RowKinds | None = None
    of_persons: bool = False

    @classmethod
    def of(
        cls, kinds: Iterable[Mapping[str, Amount]], *, rows_per_person: int | None = None, substitution: bool = False
    ) -> RowKinds:
        """Return the kinds of rows where neighbours differ in one row, or in one person's.

        Args:
            kinds: for each kind, what a row adds to statistics by their names; those that are left out stay.
            rows_per_person: how many rows of a person may come or go at once; ``None`` where each row is one record.
            substitution: whether neighbours have as many rows, one of which is another.

        Raises:
            ValueError: no kinds, or ranges whose ends are exchanged.
            TypeError: an amount that is not a whole number.

        >>> RowKinds.of([{"n": 1}, {"n": 1, "infected": 1}]).names
        ('infected', 'n')
        """
        listed = [dict(each) for each in kinds]
        names = tuple(sorted({name for each in listed for name in each}))
        boxes = tuple(dict.fromkeys(tuple(_range(each.get(name, 0)) for name in names) for each in listed))
        boxes = tuple(box for box in boxes if any(end for ends in box for end in ends))
        if not boxes:
            raise InputError("A formula needs at least one kind of row that adds to a statistic: pass what rows add.")
        rows = 1 if rows_per_person is None else rows_per_person
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
            raise InputError("rows_per_person counts rows: pass an integer of at least 1.")
        if not substitution:
            return cls(names, boxes, boxes, rows, of_persons=rows_per_person is not None)
        pairs = tuple(_less(one, other) for one, other in _pairs(boxes))
        return cls(names, boxes, boxes + pairs, rows, cls(names, boxes, boxes, 2 * rows))

    @cached_property
    def _facts(self) -> dict[Linear, SumFacts]:
        return {}

    def facts(self, part: Linear) -> SumFacts:
        """Return what rows do to a sum of statistics.

        Raises:
            ValueError: it has a statistic that no row adds to.
        """
        if part not in self._facts:
            self._facts[part] = SumFacts.of(part, self)
        return self._facts[part]

    @cached_property
    def _pairs_of(self) -> dict[tuple[Linear, Linear], PairFacts]:
        return {}

    def pair(self, one: Linear, other: Linear) -> PairFacts:
        """Return what rows do to two sums together."""
        if (one, other) not in self._pairs_of:
            self._pairs_of[one, other] = PairFacts.of(one, other, self)
        return self._pairs_of[one, other]


@dataclass(frozen=True)
class SumFacts:
    """A sum of statistics in whole numbers, and what rows do to it.

    Attributes:
        weights: whole numbers by the places of statistics.
        constant: a whole number.
        scale: by which both were multiplied.
        width: how far one move takes it at most.
        moves: how far each move takes it, least and largest.
        low, high: public bounds, ``None`` where there is none.
    """

    weights: tuple[tuple[int, int], ...]
    constant: int
    scale: int
    width: int
    moves: tuple[Pair, ...]
    low: int | None
    high: int | None

    @classmethod
    def of(cls, part: Linear, rows: RowKinds) -> SumFacts:
        """Return the facts of one sum."""
        for name, _ in part.weights:
            if name not in rows.names:
                raise InputError(f"No row adds to {name}: name one of {', '.join(rows.names)}, or pass what rows add.")
        scale = lcm(part.constant.denominator, *(each.denominator for _, each in part.weights))
        weights = tuple((rows.names.index(name), int(each * scale)) for name, each in part.weights)
        moves = tuple(_along(weights, box) for box in rows.moves)
        along = [_along(weights, box) for box in rows.kinds]
        constant = int(part.constant * scale)
        return cls(
            weights,
            constant,
            scale,
            max((max(abs(low), abs(high)) for low, high in moves), default=0),
            moves,
            constant if all(low >= 0 for low, _ in along) else None,
            constant if all(high <= 0 for _, high in along) else None,
        )


@dataclass(frozen=True)
class PairFacts:
    """Joint effect of rows on two sums, in the whole numbers of each.

    Attributes:
        points: the corners of the hull of all moves and their opposites, of which each takes both sums so far; ``None``
            where there are too many.
        corners: the same of each move.
        ratios: the least and the largest quotient of what one row adds, ``None`` for no end; nothing where a row may
            lower the second sum.
    """

    points: tuple[Pair, ...] | None
    corners: tuple[tuple[Pair, ...], ...]
    ratios: tuple[Fraction | None, Fraction | None] | None

    @classmethod
    def of(cls, one: Linear, other: Linear, rows: RowKinds) -> PairFacts:
        """Return the facts of two sums."""
        weights = rows.facts(one).weights, rows.facts(other).weights
        corners = [_corners(*weights, box) for box in rows.moves]
        kinds = [_corners(*weights, box) for box in rows.kinds]
        if any(each is None for each in (*corners, *kinds)):
            return cls(None, (), None)
        listed = tuple(each for each in corners if each is not None)
        points = {(sign * x, sign * y) for corner in listed for x, y in corner for sign in (1, -1)}
        return cls(
            _hull(sorted(points)), listed, _ratios([each for kind in kinds if kind is not None for each in kind])
        )


def _hull(points: list[Pair]) -> tuple[Pair, ...]:
    """Return the corners of the convex hull of points that are sorted."""
    found: list[Pair] = []
    for ordered in (points, points[::-1]):
        chain: list[Pair] = []
        for x, y in ordered:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], (x, y)) <= 0:
                chain.pop()
            chain.append((x, y))
        found += chain
    return tuple(dict.fromkeys(found))


def _turn(a: Pair, b: Pair, c: Pair) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _ratios(points: list[Pair]) -> tuple[Fraction | None, Fraction | None] | None:
    """Return between which quotients sums of these points lie; nothing where that is not known."""
    if any(under < 0 for _, under in points):
        return None
    quotients = [Fraction(over, under) for over, under in points if under > 0]
    if not quotients:
        return None
    least = None if any(over < 0 and under == 0 for over, under in points) else min(quotients)
    return least, None if any(over > 0 and under == 0 for over, under in points) else max(quotients)


def _corners(one: tuple[Pair, ...], other: tuple[Pair, ...], box: Box) -> tuple[Pair, ...] | None:
    """Return where the corners of a box take two sums."""
    used = sorted({place for place, _ in (*one, *other)})
    if 2 ** sum(box[place][0] != box[place][1] for place in used) > _MOST_CORNERS:
        return None
    found = []
    for corner in product(*(sorted({*box[place]}) for place in used)):
        at = dict(zip(used, corner, strict=True))
        found.append((sum(each * at[place] for place, each in one), sum(each * at[place] for place, each in other)))
    return tuple(dict.fromkeys(found))


def _along(weights: tuple[Pair, ...], box: Box) -> Pair:
    """Return the least and the largest of a sum over a box."""
    ends = [sorted((each * box[place][0], each * box[place][1])) for place, each in weights]
    return sum(low for low, _ in ends), sum(high for _, high in ends)


def _pairs(boxes: tuple[Box, ...]) -> list[tuple[Box, Box]]:
    # A row of a range may become another of it.
    ranges = [(box, box) for box in boxes if any(low != high for low, high in box)]
    return [*combinations(boxes, 2), *ranges]


def _less(one: Box, other: Box) -> Box:
    return tuple((a[0] - b[1], a[1] - b[0]) for a, b in zip(one, other, strict=True))


def _range(amount: Amount) -> Pair:
    ends = amount if isinstance(amount, tuple) else (amount, amount)
    if len(ends) != 2 or any(isinstance(each, bool) or not isinstance(each, int) for each in ends):
        raise InputTypeError("A row adds a whole number to a statistic, or one between two: pass 1 or (1, 5).")
    if ends[0] > ends[1]:
        raise InputError("The ends of a range are exchanged: pass the lower one first.")
    return ends


def sums_of(part: Expression) -> list[Linear]:
    """Return the sums of statistics in a formula, each once."""
    found = {part: None} if isinstance(part, Linear) else {}
    for each in part.parts:
        found |= dict.fromkeys(sums_of(each))
    return list(found)

"""Rows behind a score of groups: their kinds, by public facts, and the sums of each group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.dataset import NumericDomain
from dpselect.formulas.derived_sensitivity import FormulaError
from dpselect.formulas.expression import Expression, Linear
from dpselect.formulas.grammar import GroupScore, GroupSum
from dpselect.formulas.rows import Amount, RowKinds
from dpselect.sources.public_names import PublicNames
from dpselect.utilities.grid_counts import public_values
from dpselect.views.row_question import RowQuestion
from dpselect.views.table_counts import table_histograms

# Sums of so many units in each of 2^30 rows are told apart.
_MOST_UNITS = 2**31


@dataclass(frozen=True)
class ScoredColumn:
    """The column that a score reads; all of it is public.

    Attributes:
        name: of the column.
        domain: bounds and a step, or a list of values.
    """

    name: str
    domain: NumericDomain | Sequence[Any]

    @classmethod
    def of(cls, score: GroupScore, domains: Mapping[str, Any]) -> ScoredColumn:
        """Return the one column of a score.

        Raises:
            FormulaError: there are several, or none, or it is not described, or conditions do not suit it.
        """
        named = {each.column or (each.condition and each.condition.column) for each in score.sums.values()} - {None}
        if not named:
            raise FormulaError(
                "count() alone reads no column: ask for the most common values, or count what fulfils a condition, as "
                "in count(column = 'value')."
            )
        if len(named) != 1:
            raise FormulaError("A score reads one column beside that of the groups: name one in all of its sums.")
        (name,) = named
        if name not in domains:
            raise FormulaError(f"No public bounds or values of {name} are known: describe this column.")
        domain = domains[str(name)]
        if not isinstance(domain, (NumericDomain, tuple)):
            raise FormulaError(f"{name} has neither numbers nor a list of values: name another column.")
        column = cls(str(name), domain)
        for each in score.sums.values():
            column._require(each)
        return column

    def _require(self, each: GroupSum) -> None:
        if each.column is not None and not isinstance(self.domain, NumericDomain):
            raise FormulaError(f"{self.name} has a list of values, which do not add up: write count({self.name} = ..).")
        if isinstance(self.domain, NumericDomain) and max(map(abs, self._ends)) > _MOST_UNITS:
            raise FormulaError(f"The bounds of {self.name} have too many digits for sums: describe a larger step.")
        condition = each.condition
        if condition is None:
            return
        if isinstance(self.domain, NumericDomain):
            if isinstance(condition.value, str):
                raise FormulaError(f"{self.name} is a column of numbers: compare it with a number.")
        elif condition.sign not in ("=", "!=") and not all(isinstance(one, Fraction) for one in self._cells):
            raise FormulaError(f"{self.name} has a list of values: compare it by = or !=.")
        elif condition.sign in ("=", "!=") and not any(
            condition.holds(one) == (condition.sign == "=") for one in self._cells
        ):
            raise FormulaError(f"{condition.value} is none of the values of {self.name}: compare it with one of them.")

    @property
    def _cells(self) -> list[Any]:
        assert not isinstance(self.domain, NumericDomain)
        return [_cell(each) for each in self.domain]

    @property
    def unit(self) -> Fraction:
        """Return the largest number of which every value is a multiple."""
        if not isinstance(self.domain, NumericDomain):
            return Fraction(1)
        lower, step = self.domain.lower, self.domain.step
        over = lower.denominator * step.denominator
        return Fraction(gcd(int(lower * over), int(step * over)), over)

    @property
    def _ends(self) -> tuple[int, int]:
        assert isinstance(self.domain, NumericDomain)
        return int(self.domain.lower / self.unit), int(self.domain.upper / self.unit)

    def formula(self, score: GroupScore) -> Expression:
        """Return the score over sums in whole units."""
        sums = {name: self.unit for name, each in score.sums.items() if each.column is not None}
        return _in_units(score.formula, sums)

    def kinds(self, score: GroupScore) -> list[dict[str, Amount]]:
        """Return what a row of each kind adds to the sums of its own group, and of another group."""
        own = [
            {name: self._amount(each, low, high) for name, each in score.sums.items()}
            for low, high in self._segments(score)
        ]
        others = [{name: amount for name, amount in kind.items() if score.sums[name].overall} for kind in own]
        listed = [*own, *(each for each in others if each)]
        return [dict(each) for each in dict.fromkeys(tuple(sorted(kind.items())) for kind in listed)]

    def _amount(self, each: GroupSum, low: int, high: int) -> Amount:
        """Return what rows of cells from a first to a last add; a condition holds for all of them or for none."""
        if each.column is not None:
            assert isinstance(self.domain, NumericDomain)
            first, step = self._ends[0], int(self.domain.step / self.unit)
            return first + step * low, first + step * high
        return 1 if each.condition is None else int(bool(each.condition.holds(self._cell(low))))

    def _cell(self, place: int) -> Any:
        if isinstance(self.domain, NumericDomain):
            return self.domain.lower + place * self.domain.step
        return self._cells[place]

    def _segments(self, score: GroupScore) -> Iterator[tuple[int, int]]:
        """Yield runs of cells between which no condition tells apart; of a list each value."""
        if not isinstance(self.domain, NumericDomain):
            yield from ((place, place) for place in range(len(self.domain)))
            return
        size = int((self.domain.upper - self.domain.lower) / self.domain.step) + 1
        starts = {0}
        for each in score.sums.values():
            if each.condition is not None:
                along = (each.condition.value - self.domain.lower) / self.domain.step  # type: ignore[operator]
                starts |= {-(-along.numerator // along.denominator), along.numerator // along.denominator + 1}
        ordered = [*sorted(start for start in starts if 0 <= start < size), size]
        yield from ((start, stop - 1) for start, stop in pairwise(ordered))

    def question(self, by: str, groups: PublicNames, person: str | None, rows_per_person: int) -> RowQuestion:
        """Return which cells of which groups are counted, in one pass."""
        cells = PublicNames.of([*self.domain], "domain") if not isinstance(self.domain, NumericDomain) else self._grid()
        return RowQuestion(self.name, cells, by, groups, person, rows_per_person)

    def _grid(self) -> Any:
        assert isinstance(self.domain, NumericDomain)
        ends = (self.domain.lower, self.domain.upper, self.domain.step)
        return public_values(None, *(int(each) if each.denominator == 1 else each for each in ends))

    def sums(self, score: GroupScore, held: Sequence[tuple[Any, Any]]) -> dict[str, NDArray[np.int64]]:
        """Return the sums of every group, shape (groups,), from its occupied cells and how many rows each holds."""
        places = np.concatenate([np.asarray(each, dtype=np.int64) for each, _ in held])
        counts = np.concatenate([np.asarray(each, dtype=np.int64) for _, each in held])
        group = np.repeat(np.arange(len(held)), [len(each) for each, _ in held])
        found = {}
        for name, each in score.sums.items():
            added = np.zeros(len(held), dtype=np.int64)
            np.add.at(added, group, self._added(each, places) * counts)
            found[name] = np.full(len(held), added.sum()) if each.overall else added
        return found

    def _added(self, each: GroupSum, places: NDArray[np.int64]) -> NDArray[np.int64]:
        if each.column is not None:
            assert isinstance(self.domain, NumericDomain)
            return self._ends[0] + int(self.domain.step / self.unit) * places
        if each.condition is None:
            return np.ones(places.size, dtype=np.int64)
        different, back = np.unique(places, return_inverse=True)
        holds = [bool(each.condition.holds(self._cell(int(place)))) for place in different]
        return np.asarray(holds, dtype=np.int64)[back] if places.size else np.zeros(0, dtype=np.int64)


def _cell(value: Any) -> str | Fraction:
    """Return a value of a list as conditions name it."""
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else Fraction(repr(float(value)) if isinstance(value, float) else value)


def _in_units(part: Expression, units: Mapping[str, Fraction]) -> Expression:
    """Return a formula with sums in units, each a whole number."""
    done: dict[Expression, Expression] = {}

    def turned(each: Expression) -> Expression:
        # A part that occurs twice, as in abs, is one object.
        if each not in done:
            if isinstance(each, Linear):
                weights = {name: weight * units.get(name, 1) for name, weight in each.weights}
                done[each] = Linear.of(weights, each.constant)
            else:
                done[each] = each
                each.parts = tuple(turned(one) for one in each.parts)
        return done[each]

    return turned(part)


def count_groups(
    table: Any, column: ScoredColumn, score: GroupScore, by: str, groups: Sequence[Any], person: str | None, rows: int
) -> tuple[dict[str, NDArray[np.int64]], dict[str, str]]:
    """Return the sums of every group, and where the rows came from; an engine groups once."""
    question = column.question(by, PublicNames.of([*groups], "groups"), person, rows)
    held, metadata = table_histograms(table, question)
    return column.sums(score, held), metadata


def kinds_of(column: ScoredColumn, score: GroupScore, person: str | None, rows: int) -> RowKinds:
    """Return the kinds of rows, where neighbours differ in one row or in one person's."""
    return RowKinds.of(column.kinds(score), rows_per_person=None if person is None else rows)

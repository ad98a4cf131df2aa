"""Rows behind a score of groups: their kinds, by public facts, and the sums of each group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import gcd, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.dataset import NumericDomain
from dpselect.formulas.derived_sensitivity import FormulaError
from dpselect.formulas.expression import Expression, Linear
from dpselect.formulas.grammar import GroupScore, GroupSum
from dpselect.formulas.rows import Amount
from dpselect.sources.public_names import PublicNames
from dpselect.utilities.grid_counts import public_values
from dpselect.views.cell_sums import CellSum
from dpselect.views.row_question import RowQuestion
from dpselect.views.table_counts import table_sums

# Sums of so many units in each of 2^30 rows are told apart.
_MOST_UNITS = 2**31
# So many cells of all columns together, in as many groups as fit, have numbers of 64 bits.
_MOST_CELLS = 2**42
# Each kind of row is one more step to bound.
_MOST_KINDS = 200
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class ScoredColumn:
    """A column that a score reads; all of it is public.

    Attributes:
        name: of the column.
        domain: bounds and a step, or a list of values.
    """

    name: str
    domain: NumericDomain | Sequence[Any]

    @classmethod
    def of(cls, name: str, domains: Mapping[str, Any], sums: Iterable[GroupSum]) -> ScoredColumn:
        """Return the column of some sums.

        Raises:
            FormulaError: it is not described, or sums and conditions do not suit it.
        """
        if name not in domains:
            raise FormulaError(f"No public bounds or values of {name} are known: describe this column.")
        domain = domains[name]
        if not isinstance(domain, (NumericDomain, tuple)):
            raise FormulaError(f"{name} has neither numbers nor a list of values: name another column.")
        column = cls(name, domain)
        for each in sums:
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
            raise FormulaError(f"{condition.value} is not a value of {self.name}: compare it with one of its values.")

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

    @property
    def cell_count(self) -> int:
        """Return how many cells it has."""
        if not isinstance(self.domain, NumericDomain):
            return len(self.domain)
        return int((self.domain.upper - self.domain.lower) / self.domain.step) + 1

    def total(self, rows: Any, places: Any) -> Any:
        """Return the sums of values in whole units, of so many rows whose cells add up to these places."""
        assert isinstance(self.domain, NumericDomain)
        return self._ends[0] * rows + int(self.domain.step / self.unit) * places

    def kinds(self, sums: Mapping[str, GroupSum]) -> list[dict[str, Amount]]:
        """Return what rows may add to sums of this column, each kind of row once."""
        listed = (
            {name: self._amount(each, low, high) for name, each in sums.items()} for low, high in self._segments(sums)
        )
        return [dict(each) for each in dict.fromkeys(tuple(kind.items()) for kind in listed)]

    def _amount(self, each: GroupSum, low: int, high: int) -> Amount:
        """Return what rows of cells from a first to a last add; a condition holds for all of them or for none."""
        if each.condition is None:
            return self.total(1, low), self.total(1, high)
        return int(bool(each.condition.holds(self._cell(low))))

    def _cell(self, place: int) -> Any:
        if isinstance(self.domain, NumericDomain):
            return self.domain.lower + place * self.domain.step
        return self._cells[place]

    def _segments(self, sums: Mapping[str, GroupSum]) -> Iterator[tuple[int, int]]:
        """Yield runs of cells between which no condition tells apart; of a list each value."""
        if not isinstance(self.domain, NumericDomain):
            yield from ((place, place) for place in range(len(self.domain)))
            return
        starts = {0}
        for each in sums.values():
            if each.condition is not None:
                along = (each.condition.value - self.domain.lower) / self.domain.step  # type: ignore[operator]
                starts |= {-(-along.numerator // along.denominator), along.numerator // along.denominator + 1}
        ordered = [*sorted(start for start in starts if 0 <= start < self.cell_count), self.cell_count]
        yield from ((start, stop - 1) for start, stop in pairwise(ordered))

    def spans(self, each: GroupSum) -> tuple[tuple[int, int], ...] | None:
        """Return the runs of cells whose rows a sum counts; ``None`` for a total."""
        if each.condition is None:
            return None
        runs = (run for run in self._segments({"": each}) if each.condition.holds(self._cell(run[0])))
        return (*runs,)

    @property
    def cells(self) -> Any:
        """Return the public cells that its rows count in."""
        if not isinstance(self.domain, NumericDomain):
            return PublicNames.of([*self.domain], "domain")
        ends = (self.domain.lower, self.domain.upper, self.domain.step)
        return public_values(None, *(int(each) if each.denominator == 1 else each for each in ends))


class ScoredColumns:
    """The columns that a score reads, and what rows add to its sums; all of it is public.

    A row counts where it has a cell of every column, and nowhere else.

    Attributes:
        score: what reads them.
        columns: by their names, in the order in which the score names them.
    """

    def __init__(self, score: GroupScore, domains: Mapping[str, Any]) -> None:
        """Look the columns of a score up.

        Raises:
            FormulaError: a column is not described, sums do not suit it, or there are too many kinds of rows.
        """
        self.score = score
        self._sums: dict[str, dict[str, GroupSum]] = {}
        for name, each in score.sums.items():
            if each.reads is not None:
                self._sums.setdefault(each.reads, {})[name] = each
        self.columns = {name: ScoredColumn.of(name, domains, sums.values()) for name, sums in self._sums.items()}
        if prod(column.cell_count for column in self.columns.values()) > _MOST_CELLS:
            raise FormulaError(
                f"{', '.join(self.columns)} have too many values together: describe larger steps, or fewer columns."
            )

    @property
    def formula(self) -> Expression:
        """Return the score over sums in whole units."""
        units = {
            name: self.columns[each.column].unit for name, each in self.score.sums.items() if each.column is not None
        }
        return _in_units(self.score.formula, units)

    @property
    def kinds(self) -> list[dict[str, Amount]]:
        """Return what a row of each kind adds to the sums of its own group, and of another group.

        Raises:
            FormulaError: there are too many kinds.
        """
        every: dict[str, Amount] = {name: 1 for name, each in self.score.sums.items() if each.reads is None}
        own = [every]
        for name, column in self.columns.items():
            more = column.kinds(self._sums[name])
            if len(own) * len(more) > _MOST_KINDS:
                raise FormulaError(
                    f"Rows are of more than {_MOST_KINDS} kinds for this score: write fewer conditions, or read fewer "
                    "columns."
                )
            own = [one | other for one in own for other in more]
        if not any(amount not in (0, (0, 0)) for kind in own for amount in kind.values()):
            raise FormulaError("This score is the same whatever the rows are: name a statistic in it, such as count().")
        others = ({name: each for name, each in kind.items() if self.score.sums[name].overall} for kind in own)
        listed = [*own, *(each for each in others if each)]
        return [dict(each) for each in dict.fromkeys(tuple(sorted(kind.items())) for kind in listed)]

    def question(self, by: str, groups: PublicNames, person: str | None, rows_per_person: int) -> RowQuestion:
        """Return which cells of which groups are counted, in one pass; without columns every row of a group is."""
        counted = [(name, column.cells) for name, column in self.columns.items()] or [(by, groups)]
        (column, cells), *more = counted
        return RowQuestion(column, cells, by, groups, person, rows_per_person, more=(*more,))

    def count(
        self, table: Any, by: str, groups: Sequence[Any], person: str | None, rows_per_person: int
    ) -> tuple[dict[str, Integers], dict[str, str]]:
        """Return the sums of every group, shape (groups,), and where the rows came from; an engine groups once."""
        places = {name: place for place, name in enumerate(self.columns)}
        read = {name: each for name, each in self.score.sums.items() if each.reads is not None}
        asked = [CellSum(places[str(each.reads)], self.columns[str(each.reads)].spans(each)) for each in read.values()]
        question = self.question(by, PublicNames.of([*groups], "groups"), person, rows_per_person)
        (rows, *totals), metadata = table_sums(table, question, asked)
        added = dict(zip(read, totals, strict=True))
        found = {}
        for name, each in self.score.sums.items():
            total = rows if each.reads is None else added[name]
            if each.column is not None:
                total = self.columns[each.column].total(rows, total)
            found[name] = np.full(total.size, total.sum()) if each.overall else total
        return found, metadata


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
                done[each] = copy(each)
                done[each].parts = tuple(turned(one) for one in each.parts)
        return done[each]

    return turned(part)

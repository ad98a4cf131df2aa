"""Totals of a column of numbers for each public value of another: integers, with what one row or person moves.

A number moves to the nearest value of its public grid, and a total is counted in the largest step that divides all of
them, so that it is an exact integer. One row is behind one total alone and moves it by at most the larger of its two
bounds; it moves no other, so all scores move the same way, whichever that is. Of one person at most K rows count: they
move all totals together by at most K times as much, and the same way only where the bounds have one sign or K is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any

from dpselect.dataset import NumericDomain
from dpselect.kernel.neighbours import Neighbours
from dpselect.queries.base import QueryError
from dpselect.queries.columns import grid_bounds
from dpselect.scores.scores import Scores
from dpselect.sources.public_names import PublicNames
from dpselect.utilities.grid_counts import public_values
from dpselect.views.row_question import RowQuestion
from dpselect.views.table_counts import table_histograms

# Integers beyond it are not told apart by every part of a mechanism.
_MOST = 2**53


@dataclass(frozen=True)
class ColumnTotals:
    """The parts of totals; all of them are public.

    Attributes:
        candidate: the column of values that are chosen among.
        domain: these values.
        of: the column that is added up.
        bounds: of this column.
        person: the column that tells persons apart, where there is one.
        rows_per_person: how many rows of one person count.
    """

    candidate: str
    domain: Sequence[Any]
    of: str
    bounds: NumericDomain
    person: str | None
    rows_per_person: int

    @property
    def unit(self) -> Fraction:
        """Return the largest number of which every grid value is a multiple."""
        lower, step = self.bounds.lower, self.bounds.step
        over = lower.denominator * step.denominator
        return Fraction(gcd(int(lower * over), int(step * over)), over)

    @property
    def sensitivity(self) -> int:
        """Return how many units one row, or one person, moves all totals together by at most."""
        return int(max(abs(self.bounds.lower), abs(self.bounds.upper)) / self.unit) * self._rows

    def require(self) -> None:
        """Refuse bounds of so many units that these are not told apart (``QueryError``)."""
        if self.sensitivity > _MOST:
            raise QueryError(f"The bounds of {self.of} have too many digits for totals: ask for its quantiles.", "of")

    @property
    def range_bound(self) -> int:
        """Return 1 where one row, or one person, moves all totals the same way, else 2."""
        one_sign = self.bounds.lower >= 0 or self.bounds.upper <= 0
        return 1 if one_sign or self._rows == 1 else 2

    @property
    def _rows(self) -> int:
        return 1 if self.person is None else self.rows_per_person

    def scores(self, table: Any) -> Scores:
        """Return the total of each value in units, exact integers, shape (values,).

        Raises:
            TypeError, ValueError: columns of a type that no domain lists.
        """
        grid, values = public_values(None, **grid_bounds(self.bounds)), PublicNames.of(self.domain, "domain")
        first, each = int(self.bounds.lower / self.unit), int(self.bounds.step / self.unit)
        asked = RowQuestion(self.of, grid, self.candidate, values, self.person, self._rows)
        # Places and rows fit 64 bits; units are integers of Python, which have no end.
        held, _ = table_histograms(table, asked)
        persons = {} if self.person is None else {"rows_per_person": str(self._rows)}
        totals = [first * int(counts.sum()) + each * int(places @ counts) for places, counts in held]
        return Scores(
            totals,
            self.sensitivity,
            [*self.domain],
            (Neighbours.ADD_REMOVE if self.person is None else Neighbours.PERSON).value,
            self.range_bound,
            metadata={"candidate": self.candidate, "score": self.of, "groups": str(len(values)), **persons},
            kind="integer",
            zero="worst" if self.bounds.lower >= 0 else "best" if self.bounds.upper <= 0 else "neutral",
        )

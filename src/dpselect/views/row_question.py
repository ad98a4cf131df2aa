"""A question about the rows of a table: which public cell, in which public group, each row counts in, and whose it is.

Every row is read by itself, whatever holds the table: one outside of the public cells, of no listed group, or of
nobody is left out alone. How a cell is read follows from that cell, from public lists and from the type of its column.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice, InputError, InputTypeError
from dpselect.sources import column_cells, days, identity
from dpselect.sources.cell_types import OUTSIDE
from dpselect.sources.distinct import distinct
from dpselect.sources.periods import Periods, require_without_zone
from dpselect.sources.public_names import PublicNames
from dpselect.views.column import Column
from dpselect.views.grid import EvenGrid, Grid, ListedGrid
from dpselect.views.grouped_counts import GroupedCounts, Histogram
from dpselect.views.rows_of_persons import first_of_each, order_keys, rows_that_count

Integers = NDArray[np.int64]
# Turns a column of text into one that spells numbers with a point.
Number = Callable[[Any], Any]
# Below it, integers that a container has rounded for the sake of another row stay on their side of every edge.
_EXACT = 2**53


def as_it_is(cells: Any) -> Any:
    """Return a column of cells."""
    return cells


@dataclass(frozen=True, eq=False)
class Bins:
    """Public bins of numbers, side by side; each holds its lower edge, the last its upper edge too.

    Attributes:
        edges: strictly increasing, shape (n + 1,).
        clip: whether a number beyond the edges counts in the nearest bin, and not in none.
    """

    edges: NDArray[np.float64]
    clip: bool = False

    @classmethod
    def of(cls, edges: Any) -> Bins:
        """Return the bins between these edges.

        Raises:
            TypeError, ValueError: not numbers, fewer than two, not increasing, or beyond 2^53.
        """
        try:
            numbers = np.asarray([*edges], dtype=np.float64)
        except (TypeError, ValueError):
            raise InputTypeError(
                Advice("{bins=|--bins} lists public edges: pass numbers such as 0, 18, 65, 120.")
            ) from None
        if numbers.ndim != 1 or numbers.size < 2 or not (np.diff(numbers) > 0).all():
            raise InputError(
                Advice("{bins=|--bins} lists public edges: pass at least two, each larger than the one before.")
            )
        if not (np.abs(numbers) < _EXACT).all():
            raise InputError(Advice("An edge of {bins=|--bins} is beyond 2^53 in size: pass smaller ones."))
        return cls(numbers)

    @property
    def names(self) -> Sequence[str]:
        """Return what the bins are called, such as ``"[0, 18)"``."""
        words = [f"{edge:.15g}" for edge in self.edges.tolist()]
        last = len(self) - 1
        return [f"[{low}, {high}{']' if place == last else ')'}" for place, (low, high) in enumerate(pairwise(words))]

    def __len__(self) -> int:
        return self.edges.size - 1

    def codes(self, values: Any) -> Integers:
        """Return the bin of every row, ``OUTSIDE`` where it is in none, shape (n,)."""
        numbers = np.asarray(Column(_numbers_of_text(values), kind="real").values, dtype=np.float64)
        numbers = np.clip(numbers, self.edges[0], self.edges[-1]) if self.clip else numbers
        codes = np.searchsorted(self.edges, numbers, side="right") - 1
        codes[numbers == self.edges[-1]] = len(self) - 1
        # What is missing, or not a number, is NaN, and compares with nothing.
        inside = (numbers >= self.edges[0]) & (numbers <= self.edges[-1])
        return np.where(inside, codes, OUTSIDE).astype(np.int64)


# What a row may count in: values of a list, among them periods of a calendar, bins, or the values of a grid, to the
# nearest of which a number moves.
PublicCells = PublicNames | Bins | Grid


@dataclass(frozen=True, eq=False)
class RowQuestion:
    """Names of columns, and what is public of them.

    Attributes:
        column: the column that is counted.
        cells: what a row may count in.
        by: the column of groups; ``None`` without groups.
        groups: the public groups.
        person: the column that tells persons apart; ``None`` where rows are protected one by one.
        per_person: how many rows of one person count, over all groups together.
        order: the column that orders the rows of a person; ``None`` for a hash of what they count for.
        numeric_order: whether that column is one of numbers, which a file may write with another mark than a point.
        dates_order: whether it is one of dates, and the order of day, month and year in which text writes them.
        distinct_persons: whether different persons are counted, each once in every cell, and not their rows.
        more: further columns with their cells; a row counts where it has a cell of each, in all of them together.
        remainder: whether every column has one more cell, its last, for rows that have none of the public ones.
    """

    column: Any
    cells: PublicCells
    by: Any = None
    groups: PublicNames | None = None
    person: Any = None
    per_person: int = 1
    order: Any = None
    numeric_order: bool = False
    dates_order: tuple[bool, str | None] = (False, None)
    distinct_persons: bool = False
    more: tuple[tuple[Any, PublicCells], ...] = ()
    remainder: bool = False

    @property
    def counted_columns(self) -> tuple[tuple[Any, PublicCells], ...]:
        """Return the columns that are counted, with their cells."""
        return ((self.column, self.cells), *self.more)

    @property
    def columns(self) -> list[Any]:
        """Return the columns that it reads, each once."""
        named = (
            *(name for name, _ in self.counted_columns),
            self.by,
            self.person,
            None if self.person is None else self.order,
        )
        return [*dict.fromkeys(each for each in named if each is not None)]

    @property
    def numeric(self) -> bool:
        """Return whether a column is read as numbers."""
        return not all(isinstance(cells, PublicNames) for _, cells in self.counted_columns)

    @property
    def sizes(self) -> list[int]:
        """Return how many cells each column has."""
        return [
            (cells.size if isinstance(cells, (EvenGrid, ListedGrid)) else len(cells)) + self.remainder
            for _, cells in self.counted_columns
        ]

    @property
    def numbers(self) -> list[Any]:
        """Return the columns that are read as numbers."""
        counted = [name for name, cells in self.counted_columns if not isinstance(cells, PublicNames)]
        return counted + [self.order] * self.numeric_order

    @property
    def size(self) -> int:
        """Return how many cells there are, of all columns together."""
        return prod(self.sizes)

    @property
    def metadata(self) -> dict[str, str]:
        """Return what a ledger records of the columns."""
        counted = ", ".join(str(name) for name, _ in self.counted_columns)
        names = {"column": counted, "by": self.by, "person": self.person}
        return {name: str(value) for name, value in names.items() if value is not None}

    def with_dates(self, order: str | None) -> RowQuestion:
        """Return the same question of a table whose text writes dates in an order of day, month and year."""
        (_, cells), *more = (
            (name, each.in_date_order(order) if isinstance(each, PublicNames) else each)
            for name, each in self.counted_columns
        )
        groups = None if self.groups is None else self.groups.in_date_order(order)
        return replace(self, cells=cells, more=(*more,), groups=groups, dates_order=(self.dates_order[0], order))

    def counter(self) -> GroupedCounts:
        """Return what adds the rows up."""
        return GroupedCounts(1 if self.groups is None else len(self.groups), self.size)

    def codes(self, read: Mapping[Any, Any], number: Number = as_it_is) -> tuple[Integers, Integers]:
        """Return the group and the cell of every row, negative where there is none, shape (n,) each.

        Args:
            read: columns by their names.
            number: turns a column of text into one that spells numbers with a point.

        Raises:
            TypeError, ValueError: a column of a type that no domain lists; types are public.
        """
        cells = np.zeros((), dtype=np.int64)
        for codes, size in zip(self.column_codes(read, number), self.sizes, strict=True):
            cells = np.where((codes < 0) | (cells < 0), OUTSIDE, cells * size + codes)
        if self.groups is None:
            return np.zeros_like(cells), cells
        return codes_of(self.groups, read[self.by], self.by), cells

    def column_codes(self, read: Mapping[Any, Any], number: Number = as_it_is) -> list[Integers]:
        """Return the cell of every row by each column, negative where it has none, shape (n,) each.

        Raises:
            TypeError, ValueError: as :meth:`codes`.
        """
        found = []
        for (name, of), size in zip(self.counted_columns, self.sizes, strict=True):
            values = read[name] if isinstance(of, PublicNames) else number(read[name])
            codes = codes_of(of, values, name)
            found.append(np.where(codes < 0, size - 1, codes) if self.remainder else codes)
        return found

    def apart(self, cells: Integers) -> list[Integers]:
        """Return the cell of each column, from those of all together, shape (n,) each."""
        found = []
        for size in reversed(self.sizes):
            cells, code = np.divmod(cells, size)
            found.append(code)
        return found[::-1]

    def histograms(self, read: Mapping[Any, Any], number: Number = as_it_is) -> list[Histogram]:
        """Return of every group the occupied cells and how many rows each holds, of columns in memory.

        Raises:
            TypeError, ValueError: as :meth:`codes`.
        """
        groups, cells = self.codes(read, number)
        rows = self.rows_that_count(read, groups, cells, number)
        counts = self.counter()
        counts.add(groups[rows], cells[rows])
        return counts.histograms()

    def rows_that_count(
        self, read: Mapping[Any, Any], groups: Integers, cells: Integers, number: Number = as_it_is
    ) -> Integers:
        """Return the positions of the rows that count, increasing; which ones of a person follows from that person.

        Args:
            read, number: as for :meth:`codes`.
            groups, cells: what every row counts for, negative where it counts for nothing, shape (n,).
        """
        mask = (groups >= 0) & (cells >= 0)
        if self.person is None:
            return np.flatnonzero(mask)
        who, names = identity.number_persons(distinct(read[self.person]))
        who = np.where(mask, who, OUTSIDE)
        if self.distinct_persons:
            return first_of_each(who, groups, cells)
        order = () if self.order is None else order_keys(self.order_of(read, number))
        return rows_that_count(who, names, groups, cells, self.per_person, order)

    def order_of(self, read: Mapping[Any, Any], number: Number = as_it_is) -> Any:
        """Return the column that orders the rows of a person, numbers written with a point, dates as days."""
        is_date, written = self.dates_order
        if is_date and written is not None:
            column = distinct(read[self.order])
            held = np.append(days.days(column.cells, written, self.order), days.NO_DAY)
            return held[column.codes].astype("M8[D]")
        return number(read[self.order]) if self.numeric_order else read[self.order]


def codes_of(cells: PublicCells, values: Any, called: Any) -> Integers:
    """Return the public cell of every row, negative where it has none, shape (n,).

    Raises:
        TypeError, ValueError: a column of a type that no domain lists; types are public.
    """
    if isinstance(cells, PublicNames):
        if isinstance(cells, Periods):
            require_without_zone(values, called)
        return cells.codes(distinct(values), called)
    if isinstance(cells, Bins):
        return cells.codes(values)
    if max(abs(cells.value(0)), abs(cells.value(cells.size - 1))) <= _EXACT:
        # Beyond the ends of the grid it does not matter how far, so doubles are exact enough.
        values = _numbers_of_text(values)
    return Column(values, kind="real" if cells.real else "integer").row_places(cells)


def _numbers_of_text(values: Any) -> Any:
    """Return the numbers that an arrow column of text spells; other columns as they are."""
    numbers = column_cells.read_text(values)
    return values if numbers is None else numbers

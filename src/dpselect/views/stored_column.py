"""A column of numbers that stays in its engine or file: only histograms over public grids leave it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.sources import encoding
from dpselect.sources.periods import Periods
from dpselect.sources.public_names import PublicNames
from dpselect.sources.table_batches import batches
from dpselect.sources.tables import TableFile
from dpselect.sources.urls import is_url
from dpselect.sources.warehouse import Warehouse
from dpselect.views.column import Column, public_points
from dpselect.views.engine_cells import comparable, raw_number, require_number
from dpselect.views.grid import Grid, Integers, Numbers, grid_of, tally
from dpselect.views.grouped_counts import Histogram
from dpselect.views.row_question import RowQuestion
from dpselect.views.row_source import RowSource
from dpselect.views.table_counts import require_columns, table_histograms


class StoredColumn:
    """One private number per record, counted where it is.

    Numbers move to the nearest grid value, and those that are missing are left out, as in :class:`Column`; in a file of
    text, those that are not numbers too. The type of the column is public, as a schema is.

    Args:
        source: a Warehouse, or whatever :meth:`Warehouse.open` takes; the path of a file, or a file with what is
            declared of it (:class:`dpselect.data.TableFile`), which is read a few blocks at a time.
        column: its name.
        periods: public periods, the places of which stand for dates, in a column of dates.

    Attributes:
        metadata: where it came from, for the ledger.

    Raises:
        ValueError, TypeError: no such column, or one that is not numeric.

    Limits: SQLite lets a row hold what its column does not declare. Such a cell is missing, alone, as 2.5 is in a
    column of integers. A column of a view that SQLite gives no type, as before 3.41 each computed one, takes the type
    of its first row: make a table of declared columns instead.
    """

    def __init__(
        self,
        source: Any,
        column: str,
        *,
        bounds: Any = None,
        grid: Numbers | None = None,
        periods: Periods | None = None,
    ) -> None:
        self._table = _open_source(source)
        self._name, self._bounds, self._grid, self._periods = column, bounds, grid, periods
        if isinstance(self._table, Warehouse):
            self._table.require([column])
        if isinstance(self._table, Warehouse) and periods is None:
            require_number(self._table.table[column], column, text=self._table.is_csv)
        elif isinstance(self._table, TableFile):
            require_columns(self._table, [column])
        self.metadata: Mapping[str, str] = {**self._table.metadata, "column": column}

    @classmethod
    def of(cls, expression: Any, periods: Periods | None = None) -> StoredColumn:
        """Return the column of an Ibis expression, such as ``table.salary``."""
        name = expression.get_name()
        return cls(expression.as_table(), name, periods=periods)

    @property
    def clipped_count(self) -> int:
        """Return how many records ``clip`` has moved: private, for the curator only."""
        return 0 if self._bounds is None else self._outside(*self._bounds)

    def clip(self, lower: float, upper: float) -> StoredColumn:
        """Return the column with every value moved into the public bounds; as :meth:`Column.clip`."""
        if not lower < upper:
            raise InputError("lower must be below upper: pass the public bounds of the values.")
        if self._bounds is not None or self._grid is not None:
            raise InputError("Clip once, and before the grid.")
        return StoredColumn(self._table, self._name, bounds=(lower, upper))

    def snap_to(self, grid: ArrayLike) -> StoredColumn:
        """Return the column with every value moved to the nearest value of the public grid; as
        :meth:`Column.snap_to`.
        """
        if self._grid is not None:
            raise InputError("The column is on a grid already.")
        return StoredColumn(self._table, self._name, bounds=self._bounds, grid=public_points(grid))

    def counts_on(self, grid: Numbers) -> NDArray[np.int64]:
        """Return how many records are nearest to each value of the grid, of two the lower; shape of the grid.

        Raises:
            ValueError: a grid that the engine cannot place this type of column on.
            ConnectionError: the engine failed.
        """
        places, occupied = self.grid_counts(grid_of(grid))
        counts = np.zeros(grid.size, dtype=np.int64)
        counts[places] = occupied
        return counts

    def grid_counts(self, grid: Grid) -> tuple[Integers, Integers]:
        """Return the places of the grid that hold records, increasing, and how many records are nearest to each.

        Raises:
            ValueError, ConnectionError: as :meth:`counts_on`.
        """
        return self.histograms(grid)[0]

    def histograms(
        self, grid: Grid, by: Any = None, groups: PublicNames | None = None, person: Any = None, per_person: int = 1
    ) -> list[Histogram]:
        """Return of every group the places of a grid that hold records, and how many records each holds.

        Args:
            grid: public.
            by, person: names of columns of the same table.
            groups: the public groups.
            per_person: how many rows of one person count.

        Raises:
            TypeError: a column instead of its name.
            ValueError, ConnectionError: as :meth:`counts_on`.
        """
        for name, column in (("by", by), ("person", person)):
            if column is not None and not isinstance(column, str):
                raise InputTypeError(
                    f"Rows of a table that stays where it is have groups and persons in columns of its own: pass "
                    f"{name}= as a name, with the table and column=."
                )
        counted_on = grid if self._grid is None else grid_of(self._grid)
        question = RowQuestion(self._name, self._periods or counted_on, by, groups, person, per_person)
        counted, _ = table_histograms(self._table, question)
        if self._bounds is not None:
            # The nearest place of a number that was moved into bounds lies between those of the bounds.
            low, high = Column([*self._bounds]).grid_index(counted_on).tolist()
            counted = [tally([(places.clip(low, high), many)], counted_on.size) for places, many in counted]
        if self._grid is None:
            return counted
        moved = Column(self._grid).grid_index(grid)
        return [tally([(moved[places], many)], grid.size) for places, many in counted]

    def check(self, grid: ArrayLike) -> dict[str, int]:
        """Return how many records lack a number or lie outside the grid's ends: private, for the curator only.

        Raises:
            ConnectionError: the engine failed.
        """
        points = public_points(grid)
        if isinstance(self._table, Warehouse):
            table = self._table.table
            column = table[self._name]
            gone = encoding.is_missing(column) | raw_number(column).isnull()
            rows = self._table.ask(table.aggregate(n=gone.sum()))
            return {"lacking": int(rows["n"][0] or 0), "outside": self._outside(points[0].item(), points[-1].item())}
        checked = [column.check(points) for column in self._columns()]
        return {name: sum(each[name] for each in checked) for name in ("lacking", "outside")}

    def _outside(self, lower: float, upper: float) -> int:
        if not isinstance(self._table, Warehouse):
            return sum(column.clip(lower, upper).clipped for column in self._columns())
        table = self._table.table
        raw, ends = comparable(raw_number(table[self._name]), lower, upper)
        moved = (raw < ends[0]) | (raw > ends[1])
        rows = self._table.ask(table.aggregate(n=(moved & ~encoding.is_missing(table[self._name])).sum()))
        return int(rows["n"][0] or 0)

    def _columns(self) -> Iterator[Column]:
        """Yield the column of a file, a part of the rows at a time."""
        assert isinstance(self._table, TableFile)
        reading = self._table.reading
        for read in batches(self._table.path, [self._name], reading, [self._name]):
            yield Column(reading.dialect.number(read[self._name]))

    def __repr__(self) -> str:
        return "StoredColumn(private)"


def _open_source(source: Any) -> Warehouse | TableFile | RowSource:
    """Return a table in its engine, a file, or what names one of the two."""
    if isinstance(source, (TableFile, RowSource)):
        return source
    if isinstance(source, (str, Path)) and not is_url(source):
        return TableFile(source)
    return Warehouse.open(source)

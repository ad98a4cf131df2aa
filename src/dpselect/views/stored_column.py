"""A column of numbers that stays in its engine: only histograms over public grids come home."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.sources import codes
from dpselect.sources.codes import literal
from dpselect.sources.warehouse import Warehouse
from dpselect.views.column import MISSING, OFF_GRID, OUTSIDE_GRID, Numbers, public_points

# An uneven grid is bisected by the engine, value by value of the grid.
_UNEVEN = 4096
# Rounding of the place on an even grid, for each of its values: a thousand times what IEEE arithmetic can lose.
_ROUNDING = 2.0**-43
# Values so near to the middle between two grid values that they are placed here: at most so many distinct ones.
_NEAR = 10**6


class StoredColumn:
    """One private number a record, counted where it is.

    Args:
        source: a Warehouse, or whatever :meth:`Warehouse.open` takes.
        column: its name.

    Attributes:
        facts: where it came from, for the ledger.

    Raises:
        ValueError, TypeError: no such column, or one that is not numeric.
    """

    def __init__(self, source: Any, column: str, *, bounds: Any = None, grid: Numbers | None = None) -> None:
        self._warehouse = Warehouse.open(source)
        self._warehouse.require([column])
        self._name, self._bounds, self._grid = column, bounds, grid
        kind = self._warehouse.table[column].type()
        if not kind.is_numeric() or kind.is_boolean():
            raise TypeError(f"Column {column!r} is {kind} in the table: percentiles need numbers, cast it.")
        self.facts: Mapping[str, str] = {**self._warehouse.facts, "column": column}

    @classmethod
    def of(cls, expression: Any) -> StoredColumn:
        """Return the column of an Ibis expression, such as ``table.salary``."""
        name = expression.get_name()
        return cls(expression.as_table(), name)

    @property
    def clipped(self) -> int:
        """Return how many records ``clip`` has moved: private, for the curator only."""
        if self._bounds is None:
            return 0
        raw = self._raw()
        moved = (raw < literal(float(self._bounds[0]))) | (raw > literal(float(self._bounds[1])))
        rows = self._warehouse.ask(self._warehouse.table.aggregate(n=moved.sum()))
        return int(rows["n"][0] or 0)

    def clip(self, lower: float, upper: float) -> StoredColumn:
        """Return the column with every value moved into the public bounds; as :meth:`Column.clip`."""
        if not lower < upper:
            raise ValueError("lower must be below upper: pass the public bounds of the values.")
        if self._bounds is not None or self._grid is not None:
            raise ValueError("Clip once, and before the grid.")
        return StoredColumn(self._warehouse, self._name, bounds=(lower, upper))

    def onto(self, grid: ArrayLike) -> StoredColumn:
        """Return the column with every value moved to the nearest value of the public grid; as :meth:`Column.onto`."""
        if self._grid is not None:
            raise ValueError("The column is on a grid already.")
        return StoredColumn(self._warehouse, self._name, bounds=self._bounds, grid=public_points(grid))

    def counts_on(self, grid: Numbers) -> NDArray[np.int64]:
        """Return how many records stand on each value of the grid, shape of the grid, by one query.

        Raises:
            ValueError: a value is not on the grid, or missing.
            ConnectionError: the engine failed.
        """
        values, counts = self._distinct(grid.size) if self._grid is None else self._moved(self._grid)
        places = np.minimum(np.searchsorted(grid, values), grid.size - 1)
        if not np.array_equal(grid[places], values):
            raise ValueError(OFF_GRID)
        found = np.zeros(grid.size, dtype=np.int64)
        np.add.at(found, places, counts)
        return found

    def _raw(self) -> Any:
        column = self._warehouse.table[self._name]
        return column.cast("int64") if column.type().is_integer() else codes.number(column)

    def _value(self) -> Any:
        import ibis

        value = self._raw()
        if self._bounds is None:
            return value
        low, high = self._bounds
        if value.type().is_integer() and low == int(low) and high == int(high):
            ends = [ibis.literal(int(end), "int64") for end in (low, high)]
        else:
            value, ends = value.cast("float64"), [literal(float(end)) for end in (low, high)]
        return ibis.cases((value < ends[0], ends[0]), (value > ends[1], ends[1]), else_=value)

    def _distinct(self, most: int) -> tuple[Numbers, NDArray[np.int64]]:
        """Return the distinct values and their counts, or refuse when there are more than the grid has."""
        table = self._warehouse.table
        gone = codes.is_missing(table[self._name])
        base = table.select(gone=gone, value=self._value())
        groups = base.group_by("gone", "value").aggregate(n=base.count())
        # Both zeros, and the missing ones, may be groups of their own.
        rows = self._warehouse.ask(groups.limit(most + 4))
        if rows["gone"].any():
            raise ValueError(MISSING)
        if rows["n"].size > most + 1:
            raise ValueError(OFF_GRID)
        return rows["value"], rows["n"]

    def _moved(self, grid: Numbers) -> tuple[Numbers, NDArray[np.int64]]:
        """Return the values of the grid and how many records are nearest to each, of two the lower."""
        import ibis

        table, value = self._warehouse.table, self._value().cast("float64")
        middles = grid[:-1] + (grid[1:] - grid[:-1]) / 2
        outside = (value < literal(float(grid[0]))) | (value > literal(float(grid[-1])))
        gone = codes.is_missing(table[self._name])
        place, near = _place(value, grid, middles)
        base = table.select(
            place=ibis.cases((gone, -2), (outside, -1), else_=place).cast("int64"),
            exact=ibis.ifelse(gone | outside | ~near, ibis.null("float64"), value),
        )
        groups = base.group_by("place", "exact").aggregate(n=base.count())
        rows = self._warehouse.ask(groups.limit(2 * grid.size + _NEAR))
        if (rows["place"] == -2).any():
            raise ValueError(MISSING)
        if (rows["place"] == -1).any():
            raise ValueError(OUTSIDE_GRID)
        if rows["n"].size == 2 * grid.size + _NEAR:
            raise ValueError("Too many values lie in the middle of two grid values: choose a grid that they lie on.")
        exact = np.array([np.nan if each is None else each for each in rows["exact"].tolist()], dtype=np.float64)
        places = np.where(np.isnan(exact), rows["place"], np.searchsorted(middles, exact, side="left"))
        counts = np.zeros(grid.size, dtype=np.int64)
        np.add.at(counts, places.astype(np.int64), rows["n"])
        return grid, counts

    def __repr__(self) -> str:
        return "StoredColumn(private)"


def _place(value: Any, grid: Numbers, middles: Numbers) -> tuple[Any, Any]:
    """Return the place of a value on the grid, and whether it is so near to a middle that it is placed here instead."""
    import ibis

    first, scale = float(grid[0]), (grid.size - 1) / (float(grid[-1]) - float(grid[0]))
    with np.errstate(over="ignore", invalid="ignore"):
        uneven = float(np.max(np.abs((middles - first) * scale - (np.arange(middles.size) + 0.5))))
    slack = uneven + grid.size * _ROUNDING
    if math.isfinite(slack) and slack < 0.25:
        along = (value - literal(first)) * literal(scale)
        cell = along.floor().cast("int64")
        beyond = along - cell.cast("float64") - literal(0.5)
        return cell + ibis.ifelse(beyond > literal(0.0), 1, 0).cast("int64"), beyond.abs() <= literal(slack)
    if grid.size > _UNEVEN:
        raise ValueError(f"An uneven grid of more than {_UNEVEN} values is too much for one query: pass an even one.")

    def bisected(low: int, high: int) -> Any:
        if low == high:
            return ibis.literal(low, "int32")
        middle = (low + high) // 2
        return ibis.ifelse(value <= literal(float(middles[middle])), bisected(low, middle), bisected(middle + 1, high))

    return bisected(0, grid.size - 1), ibis.literal(False)

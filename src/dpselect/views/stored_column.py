"""A column of numbers that stays in its engine: only histograms over public grids leave it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.sources import codes
from dpselect.sources.codes import literal
from dpselect.sources.column_cells import INTEGER_CLIP
from dpselect.sources.warehouse import Warehouse
from dpselect.views.column import Column, public_points
from dpselect.views.grid import EvenGrid, Grid, Integers, Numbers, grid_of, middles, tally

# An uneven grid is bisected by the engine, value by value of the grid.
_UNEVEN = 4096
# Rounding of the place on an even grid, for each of its values: a thousand times what IEEE arithmetic can lose.
_ROUNDING = 2.0**-43
_EXACT = 2**53


class StoredColumn:
    """One private number per record, counted where it is.

    Numbers move to the nearest grid value, and those that are NULL or NaN are left out, as in :class:`Column`; in a csv
    file, those that are not numbers too. The type of the column is public, as a schema is.

    Args:
        source: a Warehouse, or whatever :meth:`Warehouse.open` takes.
        column: its name.

    Attributes:
        metadata: where it came from, for the ledger.

    Raises:
        ValueError, TypeError: no such column, or one that is not numeric.
    """

    def __init__(self, source: Any, column: str, *, bounds: Any = None, grid: Numbers | None = None) -> None:
        self._warehouse = Warehouse.open(source)
        self._warehouse.require([column])
        self._name, self._bounds, self._grid = column, bounds, grid
        table = self._warehouse.table
        if self._warehouse.is_csv and table[column].type().is_string():
            self._warehouse = replace(self._warehouse, table=table.mutate(**{column: codes.number(table[column])}))
        kind = self._warehouse.table[column].type()
        if not kind.is_numeric() or kind.is_boolean():
            raise TypeError(f"Column {column!r} is {kind} in the table: percentiles need numbers, cast it.")
        self.metadata: Mapping[str, str] = {**self._warehouse.metadata, "column": column}

    @classmethod
    def of(cls, expression: Any) -> StoredColumn:
        """Return the column of an Ibis expression, such as ``table.salary``."""
        name = expression.get_name()
        return cls(expression.as_table(), name)

    @property
    def clipped(self) -> int:
        """Return how many records ``clip`` has moved: private, for the curator only."""
        return 0 if self._bounds is None else self._outside(*self._bounds)

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
        """Return how many records are nearest to each value of the grid, of two the lower; shape of the grid.

        Raises:
            ValueError: a grid that the engine cannot place this type of column on.
            ConnectionError: the engine failed.
        """
        places, occupied = self.occupied_on(grid_of(grid))
        counts = np.zeros(grid.size, dtype=np.int64)
        counts[places] = occupied
        return counts

    def occupied_on(self, grid: Grid) -> tuple[Integers, Integers]:
        """Return the places of the grid that hold records, increasing, and how many records are nearest to each.

        Raises:
            ValueError, ConnectionError: as :meth:`counts_on`.
        """
        if self._grid is None:
            return self._counted(grid)
        places, counts = self._counted(grid_of(self._grid))
        moved = Column(self._grid).placed_on(grid)[places]
        return tally([(moved, counts)], grid.size)

    def check(self, grid: ArrayLike) -> dict[str, int]:
        """Return how many records lack a number or lie outside the grid's ends: private, for the curator only.

        Raises:
            ConnectionError: the engine failed.
        """
        points = public_points(grid)
        gone = codes.is_missing(self._warehouse.table[self._name])
        rows = self._warehouse.ask(self._warehouse.table.aggregate(n=gone.sum()))
        return {"lacking": int(rows["n"][0] or 0), "outside": self._outside(points[0].item(), points[-1].item())}

    def _outside(self, lower: float, upper: float) -> int:
        table, raw = self._warehouse.table, self._raw()
        raw, ends = _ends(raw, lower, upper)
        moved = (raw < ends[0]) | (raw > ends[1])
        rows = self._warehouse.ask(table.aggregate(n=(moved & ~codes.is_missing(table[self._name])).sum()))
        return int(rows["n"][0] or 0)

    def _raw(self) -> Any:
        """Return the numbers: int64, clipped far below where it ends, or float64."""
        column = self._warehouse.table[self._name]
        kind = column.type()
        if kind.is_uint64() or (kind.is_decimal() and kind.scale == 0):
            column = column.clip(upper=INTEGER_CLIP) if kind.is_uint64() else column.clip(-INTEGER_CLIP, INTEGER_CLIP)
            return column.cast("int64")
        return column.cast("int64") if kind.is_integer() else codes.number(column)

    def _value(self, first: float, last: float) -> Any:
        """Return the numbers within the bounds of ``clip``, if any, and within the ends of a grid."""
        value = self._raw()
        for low, high in ([self._bounds] if self._bounds is not None else []) + [(first, last)]:
            value = _within(value, low, high)
        return value

    def _counted(self, grid: Grid) -> tuple[Integers, Integers]:
        """Return the occupied places of a grid, and how many records are nearest to each."""
        return tally(self._parts(grid), grid.size)

    def _parts(self, grid: Grid) -> Iterator[tuple[Integers, Integers]]:
        """Yield places and how many records are nearest to each, in batches; a place may come several times."""
        import ibis

        table, ends = self._warehouse.table, (grid.value(0), grid.value(grid.size - 1))
        value = self._value(*ends)
        whole = value.type().is_integer() and not grid.real
        if not grid.real and not whole and max(map(abs, ends)) > _EXACT:
            raise ValueError(
                f"Column {self._name!r} is not of integers, and the grid needs integers beyond 2^53: cast it to int64."
            )
        edges = np.zeros(0) if whole else middles(grid.array())
        value = value if whole else value.cast("float64")
        place, near = _place_of_integer(value, grid) if whole else _place(value, grid.array(), edges)
        base = table.select(
            gone=codes.is_missing(table[self._name]),
            place=place.cast("int64"),
            exact=ibis.ifelse(near, value.cast("float64"), ibis.null("float64")),
        )
        base = base.filter(~base.gone)
        # However many lie near a middle: they arrive in batches.
        for rows in self._warehouse.batches(base.group_by("place", "exact").aggregate(n=base.count())):
            exact = np.array([np.nan if each is None else each for each in rows["exact"].tolist()], dtype=np.float64)
            places = np.where(np.isnan(exact), rows["place"], np.searchsorted(edges, exact, side="left"))
            yield np.clip(places.astype(np.int64), 0, grid.size - 1), rows["n"].astype(np.int64)

    def __repr__(self) -> str:
        return "StoredColumn(private)"


def _within(value: Any, low: float, high: float) -> Any:
    """Return numbers moved into bounds, integers where both are."""
    import ibis

    value, ends = _ends(value, low, high)
    return ibis.cases((value < ends[0], ends[0]), (value > ends[1], ends[1]), else_=value)


def _ends(value: Any, low: float, high: float) -> tuple[Any, list[Any]]:
    """Return numbers and bounds that can be compared: as integers where all are, else as doubles."""
    import ibis

    if value.type().is_integer() and low == int(low) and high == int(high):
        return value, [ibis.literal(int(end), "int64") for end in (low, high)]
    return value.cast("float64"), [literal(float(end)) for end in (low, high)]


def _place_of_integer(value: Any, grid: Grid) -> tuple[Any, Any]:
    """Return the place of an integer within the ends of an integer grid, exact; none is near anything."""
    import ibis

    if isinstance(grid, EvenGrid):
        if grid.step > 1 and grid.size > _EXACT // 8:
            raise ValueError("A grid of more than 2^50 values is too fine for an engine: choose a larger step, or 1.")
        along, step = value - ibis.literal(grid.first, "int64"), grid.step
        if step > 1:
            up = along + ibis.literal((step - 1) // 2, "int64")
            # Of a multiple the quotient is right however an engine divides.
            along = ((up - up % ibis.literal(step, "int64")) / ibis.literal(step, "int64")).round()
        return along, ibis.literal(False)
    # An integer is at most the middle if it is at most the integer below the middle.
    halves = [(int(a) + int(b)) // 2 for a, b in pairwise(grid.array())]
    return _bisected(value, [ibis.literal(half, "int64") for half in halves]), ibis.literal(False)


def _place(value: Any, grid: Numbers, edges: NDArray[np.float64]) -> tuple[Any, Any]:
    """Return the place of a value on the grid, and whether it is so near to a middle that it is placed here instead."""
    import ibis

    first, scale = float(grid[0]), (grid.size - 1) / (float(grid[-1]) - float(grid[0]))
    with np.errstate(over="ignore", invalid="ignore"):
        uneven = float(np.max(np.abs((edges - first) * scale - (np.arange(edges.size) + 0.5))))
    slack = uneven + grid.size * _ROUNDING
    if math.isfinite(slack) and slack < 0.25:
        along = (value - literal(first)) * literal(scale)
        cell = along.floor().cast("int64")
        beyond = along - cell.cast("float64") - literal(0.5)
        return cell + ibis.ifelse(beyond > literal(0.0), 1, 0).cast("int64"), beyond.abs() <= literal(slack)
    return _bisected(value, [literal(float(edge)) for edge in edges]), ibis.literal(False)


def _bisected(value: Any, edges: list[Any]) -> Any:
    """Return between which edges a value lies, by as many comparisons as the logarithm of their number."""
    import ibis

    if len(edges) >= _UNEVEN:
        raise ValueError(f"An uneven grid of more than {_UNEVEN} values is too much for one query: pass an even one.")

    def bisected(low: int, high: int) -> Any:
        if low == high:
            return ibis.literal(low, "int32")
        middle = (low + high) // 2
        return ibis.ifelse(value <= edges[middle], bisected(low, middle), bisected(middle + 1, high))

    return bisected(0, len(edges))

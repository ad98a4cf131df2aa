"""Public cells as expressions of an engine: the place of a number on a grid, its bin, or the code of a name.

They give what NumPy gives for the same numbers: middles of grids are computed by the same arithmetic of doubles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.sources import encoding
from dpselect.sources.column_cells import INTEGER_CLIP
from dpselect.sources.encoding import literal
from dpselect.sources.engines import engine_of
from dpselect.sources.periods import Periods
from dpselect.sources.public_names import PublicNames
from dpselect.views.engine_days import place_in
from dpselect.views.grid import EvenGrid, Grid, ListedGrid, middles
from dpselect.views.row_question import Bins, PublicCells

# Lists and uneven grids are written out in a query, value by value.
MOST_LISTED = 4096
_EXACT = 2**53


@dataclass(frozen=True)
class _ListDomain:
    """A public list, or bins, as expressions of codes take them."""

    name: Any
    size: int
    categories: Sequence[Any] | None = None
    edges: NDArray[np.float64] | None = None
    missing: bool = False


def cell_of(cells: PublicCells, column: Any, called: Any, *, text: bool = False) -> Any:
    """Return the expression of the public cell of every row, int64, negative where it has none.

    Args:
        cells: what a row may count in.
        column: the column of an engine.
        called: its name.
        text: whether text may spell numbers, as in a csv file.

    Raises:
        TypeError, ValueError: a column of a type that no domain lists, or cells that no query holds.
    """
    import ibis

    if isinstance(cells, Periods):
        return place_in(cells, column, called)
    if isinstance(cells, PublicNames):
        return _name(cells, column, called, text=text)
    if isinstance(cells, Bins):
        if len(cells) > MOST_LISTED:
            raise InputError(f"More than {MOST_LISTED} bins are too many for one query: use coarser bins.")
        bins = _ListDomain(called, len(cells), edges=cells.edges)
        require_number(column, called, text=text)
        return encoding.code(encoding.prepare_column(column, bins, clip=cells.clip), bins).cast("int64")
    require_number(column, called, text=text)
    number = raw_number(column)
    # The larger of nothing and a bound is the bound in engines: text that is not a number has no cell.
    lacks = encoding.is_missing(column) | number.isnull()
    return ibis.ifelse(lacks, ibis.literal(-1, "int64"), place_of(number, cells, called))


def place_and_mask(cells: PublicCells, column: Any, called: Any, *, text: bool = False) -> tuple[Any, Any]:
    """Return the expression of the cell of every row, and which rows have one; ``None`` where the cell says so itself.

    Args:
        cells, column, called, text: as for :func:`cell_of`, which raises the same.
    """
    kind = column.type()
    typed = (kind.is_integer() or kind.is_floating()) and engine_of(column).name != "sqlite"
    if not typed or not isinstance(cells, (EvenGrid, ListedGrid)):
        return cell_of(cells, column, called, text=text), None
    return place_of(raw_number(column), cells, called), ~encoding.is_missing(column)


def require_number(column: Any, called: Any, *, text: bool = False) -> None:
    """Refuse a column without numbers (``TypeError``); ``text`` says whether text may spell them."""
    kind = column.type()
    if not (text and kind.is_string()) and (not kind.is_numeric() or kind.is_boolean()):
        raise InputTypeError(f"Column {called!r} is {kind} in the table: percentiles need numbers, cast it.")


def raw_number(column: Any) -> Any:
    """Return numbers as int64, clipped far below where it ends, or as float64."""
    kind = column.type()
    if kind.is_uint64() or (kind.is_decimal() and kind.scale == 0):
        column = column.clip(upper=INTEGER_CLIP) if kind.is_uint64() else column.clip(-INTEGER_CLIP, INTEGER_CLIP)
        return column.cast("int64")
    return column.cast("int64") if kind.is_integer() else encoding.number(column)


def place_of(value: Any, grid: Grid, called: Any) -> Any:
    """Return the place of numbers on a grid, exact, of two the lower; NULL where there is no number.

    Raises:
        ValueError: a grid that the engine cannot place this type of column on.
    """
    import ibis

    ends = (grid.value(0), grid.value(grid.size - 1))
    value = within(value, *ends)
    if value.type().is_integer() and not grid.real:
        return _place_of_integer(value, grid)
    if not grid.real and max(map(abs, ends)) > _EXACT:
        raise InputError(
            f"Column {called!r} is not of integers, and the grid needs integers beyond 2^53: cast it to int64."
        )
    value = value.cast("float64")
    even = grid if isinstance(grid, EvenGrid) else evenly(grid)
    if even is None:
        return bisect_edges(value, [literal(float(edge)) for edge in middles(grid.array())])
    first, last = float(ends[0]), float(ends[1])
    # Rounding may mislead it by one place where a value is near a grid value, and then no middle is near. It is not
    # negative, as no value is below the first, and beyond the last place on the finest grids only.
    along = ((value - literal(first)) * literal((even.size - 1) / (last - first))).floor().cast("int64")
    if even.size > _EXACT // 8:
        along = ibis.least(along, ibis.literal(even.size - 2, "int64"))
    place, zero, one = along.cast("float64"), ibis.literal(0, "int64"), ibis.literal(1, "int64")
    low, high = _point(place, even), _point(place + literal(1.0), even)
    middle = low + (high - low) / literal(2.0)
    return along + ibis.ifelse(value > middle, one, zero)


def evenly(grid: ListedGrid) -> EvenGrid | None:
    """Return a listed grid as arithmetic if it is lower, lower + step, ... in decimal numbers, each rounded once."""
    points = grid.listed.astype(np.float64)
    if not np.isfinite(points).all():
        return None
    first, second = (Fraction(str(float(point))) for point in points[:2])
    over = lcm(first.denominator, second.denominator)
    start, step = int(first * over), int((second - first) * over)
    if max(abs(start), abs(start + step * points.size), over) > _EXACT:
        return None
    even = EvenGrid(start, step, points.size, over, True)
    return even if np.array_equal(even.points(np.arange(points.size)), points) else None


def within(value: Any, low: float, high: float) -> Any:
    """Return numbers moved into bounds, integers where both are."""
    import ibis

    value, ends = comparable(value, low, high)
    return ibis.cases((value < ends[0], ends[0]), (value > ends[1], ends[1]), else_=value)


def comparable(value: Any, low: float, high: float) -> tuple[Any, list[Any]]:
    """Return numbers and bounds that can be compared: as integers where all are, else as doubles."""
    import ibis

    if value.type().is_integer() and low == int(low) and high == int(high):
        return value, [ibis.literal(int(end), "int64") for end in (low, high)]
    return value.cast("float64"), [literal(float(end)) for end in (low, high)]


def bisect_edges(value: Any, edges: list[Any]) -> Any:
    """Return between which edges a value lies, by as many comparisons as the logarithm of their number.

    Raises:
        ValueError: more edges than a query holds.
    """
    import ibis

    if len(edges) >= MOST_LISTED:
        raise InputError(
            f"An uneven grid of more than {MOST_LISTED} values is too much for one query: pass an even one, by "
            "lower, upper and step."
        )

    def between(low: int, high: int) -> Any:
        if low == high:
            return ibis.literal(low, "int64")
        middle = (low + high) // 2
        return ibis.ifelse(value <= edges[middle], between(low, middle), between(middle + 1, high))

    return between(0, len(edges))


def _point(place: Any, grid: EvenGrid) -> Any:
    """Return the value of a grid at a place, which is a double, rounded once as :meth:`EvenGrid.points` does."""
    number = literal(float(grid.first)) + (place if grid.step == 1 else place * literal(float(grid.step)))
    return number / literal(float(grid.over)) if grid.over > 1 else number


def _place_of_integer(value: Any, grid: Grid) -> Any:
    """Return the place of an integer within the ends of an integer grid, exact."""
    import ibis

    if isinstance(grid, ListedGrid):
        # An integer is at most the middle if it is at most the integer below the middle.
        halves = [(int(a) + int(b)) // 2 for a, b in pairwise(grid.array())]
        return bisect_edges(value, [ibis.literal(half, "int64") for half in halves])
    if grid.step > 1 and grid.size > _EXACT // 8:
        raise InputError("A grid of more than 2^50 values is too fine for an engine: choose a larger step, or 1.")
    along, step = value - ibis.literal(grid.first, "int64"), grid.step
    if step > 1:
        up = along + ibis.literal((step - 1) // 2, "int64")
        # Of a multiple the quotient is right however an engine divides.
        along = ((up - up % ibis.literal(step, "int64")) / ibis.literal(step, "int64")).round()
    return along.cast("int64")


def _name(names: PublicNames, column: Any, called: Any, *, text: bool) -> Any:
    """Return the code of the public name in every row."""
    import ibis

    if names.categories is not None:
        if len(names) > MOST_LISTED:
            raise InputError(f"{names.argument} lists more than {MOST_LISTED} names, too many for one query.")
        listed = _ListDomain(called, len(names), names.names)
        encoding.require_kind(column, listed)
        return encoding.code(encoding.prepare_column(column, listed, clip=False), listed).cast("int64")
    first, last = names.names[0], names.names[-1]
    require_number(column, called, text=text)
    value = raw_number(column)
    inside = (value >= ibis.literal(first, "int64")) & (value <= ibis.literal(last, "int64"))
    if not value.type().is_integer():
        inside = inside & (value == value.floor())
    place = value.cast("int64") - ibis.literal(first, "int64")
    return ibis.ifelse((inside & ~encoding.is_missing(column)).fill_null(False), place, ibis.literal(-1, "int64"))

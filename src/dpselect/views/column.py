"""Columns of private numbers, and what a curator does before a utility may see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.scores.kinds import is_masked
from dpselect.sources import tables
from dpselect.sources.column_cells import INTEGER_CLIP, ColumnCells, Mask, array_of, declared_kind, integers, reals
from dpselect.sources.frames import is_retyped
from dpselect.views.grid import Grid, Numbers, grid_of, tally

Integers = NDArray[np.int64]

# Records placed at a time: the temporary arrays stay in the cache, and memory does not grow with the column.
_CHUNK = 2**16
# Counts of a histogram are clipped so that their sum stays below.
_MOST = 2**62
_EXACT = 2**53


@dataclass(frozen=True, repr=False, eq=False)
class Column:
    """One private number per record, each read by itself; arrays are read-only.

    Whether there is an answer never depends on a record: numbers outside the public bounds or grid move to the nearest
    one, and a cell that is missing or not a number is left out where records may come and go (percentiles), or
    counts as the lower bound where the number of records is public (the median). :meth:`check` counts all of them.

    Args:
        values: shape (n,): a list, an array, or a series of pandas, polars or arrow; numbers, or text that spells them.
        kind: ``"integer"`` (exact; the nearest integer, of two the lower) or ``"real"``. ``None`` takes integers where
            the type of the container says so, and real numbers otherwise, for every list too, whatever it contains.

    Attributes:
        kind: the public kind.
        cells: shape (n,), int64, or float64 with NaN where a number is missing: private.
        clipped: how many records ``clip`` has moved: private, for the curator only.

    Raises:
        TypeError: not a column, or of a type such as dates or complex numbers.
        ValueError: more than one dimension, or an unknown kind.

    >>> Column([3, 14, 15], kind="integer").clip(0, 10).values
    array([ 3, 10, 10])

    Limits: Rows are read one by one. A value outside the bounds or off the grid moves to the nearest, a record without
    a usable number is left out (``papers.median``, where every record is a candidate, counts it as its lower bound),
    and an edge that names no public node is left out. For the curator, ``dpselect check`` counts them for trees, a
    column of numbers or of names, and edges, as do ``Column.check(grid)`` for a column and
    ``graph.unknown_nodes_dropped`` for edges. Only what is public is refused: types of containers and columns, shapes
    and headers. One line of a csv file is one record: a line with too few or too many cells (empty ones at its end do
    not count), or with a quote that is never closed, is a record without cells, and so is one of more than 2^28 bytes.
    A cell that holds a line break is therefore two such records, unless ``line_breaks`` is declared (``line_breaks =
    true`` in a description, ``line_breaks=True`` in Python). Where it is declared, a quote that opens a cell and is
    never closed takes the lines along up to the next quote that closes a cell: declare it for tables that a csv writer
    made. Between tabs quotes do not quote.

    Pandas changes types. One missing cell turns a column of integers that NumPy holds into floats. Integers beyond 2^53
    are therefore refused in domains of such columns, and in a ``person=`` column they name nobody, so that those rows
    are left out: use ``Int64``, or text.
    """

    kind: str
    cells: Numbers
    clipped: int = 0
    _above: Mask | None = None
    _lacking: Mask | None = None
    _counts: Integers | None = None
    _retyped: bool = False
    # Columns in memory do not know where they came from.
    metadata: ClassVar[Mapping[str, str]] = {}

    def __init__(self, values: Any, *, kind: str | None = None) -> None:
        if kind not in (None, "integer", "real"):
            raise InputError('kind is "integer" or "real".')
        array = array_of(values)
        known = declared_kind(values, array) if kind is None else kind
        read = integers(array) if known == "integer" else reals(array)
        self._set(known, read, retyped=is_retyped(values))

    def _set(
        self, kind: str, read: ColumnCells, *, clipped: int = 0, counts: Integers | None = None, retyped: bool = False
    ) -> Column:
        view = read.values.view()
        view.flags.writeable = False
        fields = {"cells": view, "_above": read.above, "_lacking": read.lacking, "_counts": counts, "_retyped": retyped}
        for name, value in {"kind": kind, "clipped": clipped, **fields}.items():
            object.__setattr__(self, name, value)
        return self

    @classmethod
    def read(
        cls,
        path: str | Path,
        column: str | None = None,
        *,
        kind: str | None = None,
        separator: str | None = None,
        decimal: str | None = None,
        encoding: str = "utf-8",
        where: str | None = None,
        thousands: str | None = None,
        line_breaks: bool = False,
        sheet: str | None = None,
        skip_rows: int = 0,
        unit: str | Sequence[str] = (),
    ) -> Column:
        """Return a column of a file, as :meth:`dpselect.data.TableFile.of` takes it.

        Args:
            path: the file.
            column: its name; may be left out when the file has one column.
            kind: as for a column. ``None`` takes the type of a parquet column, and real numbers from other files.
            separator, decimal, encoding: how a text file is written: ``","`` (a tab in ``.tsv``), ``";"``, ``"|"`` or
                ``"tab"``; ``"."`` or ``","`` (asked for between semicolons); such as ``"cp1252"``. Never guessed.
            where: a public condition on columns, such as ``"region = North and age >= 18"``; other rows are left out.
            thousands: what groups digits in threes, as for :meth:`dpselect.data.TableFile.of`.
            line_breaks: whether quoted cells have line breaks; otherwise one line is one record.
            sheet, skip_rows, unit: as for :meth:`dpselect.data.TableFile.of`.

        Raises:
            FileNotFoundError, ImportError: no such file; what reads it is not installed.
            ValueError: another kind of file, no such column, or a dialect or condition that says nothing.
            TypeError: a parquet column of another type, such as dates.
        """
        how: dict[str, Any] = {"line_breaks": line_breaks, "unit": unit, "skip_rows": skip_rows}
        reading = tables.FileOptions.of(separator, decimal, encoding, where, thousands, (), sheet, **how)
        return cls(tables.column(path, column, reading), kind=kind)

    @classmethod
    def from_counts(cls, counts: ArrayLike, *, lower: float = 0, step: float = 1) -> Column:
        """Return the records that a histogram counts: ``counts[i]`` of value lower + i step.

        They are never written out one by one, so 10^12 records cost what the cells cost. Counts are clipped so that
        their sum stays below 2^62.

        Raises:
            ValueError: counts that are negative, not integers, or of more than one dimension.

        >>> Column.from_counts([2, 0, 1]).values
        array([0, 0, 2])
        """
        histogram = np.asarray(counts)
        if histogram.ndim != 1 or histogram.dtype.kind not in "iu" or (histogram < 0).any():
            raise InputError("A histogram is a list of counts: pass integers >= 0, shape (cells,).")
        wide = histogram.astype(np.uint64 if histogram.dtype.kind == "u" else np.int64)
        each = np.minimum(wide, np.asarray(_MOST // max(1, wide.size), dtype=wide.dtype)).astype(np.int64)
        values: Any = lower + step * np.arange(wide.size)
        return object.__new__(cls)._set(_kind(values), ColumnCells(values), counts=each)

    @cached_property
    def values(self) -> Numbers:
        """Return one number per record, shape (n,); integers that are lacking are 0, others NaN. Private."""
        each: Any = self.cells if self._counts is None else np.repeat(self.cells, self._counts)
        return each  # type: ignore[no-any-return]

    def clip(self, lower: float, upper: float) -> Column:
        """Return the column with every value moved into the public bounds; ``clipped`` says how many were moved.

        Raises:
            ValueError: lower >= upper, or integers beyond 2^53 from a pandas column that NumPy holds.
        """
        if not lower < upper:
            raise InputError("lower must be below upper: pass the public bounds of the values.")
        self._require_exact(lower, upper)
        moved = self._total(self._outside(lower, upper) & ~self._missing_rows())
        below, beyond = self.cells < lower, self.cells > upper
        above = None if self._above is None else self._above & ~below & (self.cells < upper)
        whole = self.kind == "integer" and float(lower).is_integer() and float(upper).is_integer()
        ends = (int(lower), int(upper)) if whole else (lower, upper)
        result = np.where(below, ends[0], np.where(beyond, ends[1], self.cells))
        if whole:
            read = ColumnCells(result.astype(np.int64), above, self._lacking)
        else:
            result = result.astype(np.float64)
            result[self._missing_rows()] = np.nan
            read = ColumnCells(result)
        return object.__new__(Column)._set(
            _kind(read.values), read, clipped=self.clipped + moved, counts=self._counts, retyped=self._retyped
        )

    def snap_to(self, grid: ArrayLike) -> Column:
        """Return the column with every value moved to the nearest value of the public grid, of two the lower.

        Each record moves by itself, so neighbours stay neighbours; what lies outside goes to the grid's ends.

        Raises:
            ValueError: a grid that does not increase, or that needs integers a pandas column may have rounded.

        >>> Column([0.4, 2.5, 8.1]).snap_to([0, 5, 10]).values
        array([ 0,  0, 10])
        """
        points = public_points(grid)
        self._require_exact(points[0], points[-1])
        values, gone = points[self.grid_index(grid_of(points))], self._missing_rows()
        values[gone] = np.nan if values.dtype.kind == "f" else 0
        read = ColumnCells(values, None, gone if values.dtype.kind == "i" and gone.any() else None)
        return object.__new__(Column)._set(
            _kind(values), read, clipped=self.clipped, counts=self._counts, retyped=self._retyped
        )

    def counts_on(self, grid: Numbers) -> Integers:
        """Return how many records are nearest to each value of the grid, of two the lower; shape of the grid.

        Records whose number is lacking are left out.

        Raises:
            ValueError: as :meth:`snap_to`.
        """
        places, occupied = self.grid_counts(grid_of(grid))
        counts = np.zeros(grid.size, dtype=np.int64)
        counts[places] = occupied
        return counts

    def grid_counts(self, grid: Grid) -> tuple[Integers, Integers]:
        """Return the places of the grid that hold records, increasing, and how many records are nearest to each.

        Raises:
            ValueError: as :meth:`snap_to`.
        """
        self._require_exact(grid.value(0), grid.value(grid.size - 1))
        return tally(self._grid_places(grid), grid.size)

    def _grid_places(self, grid: Grid) -> Iterator[tuple[NDArray[np.intp], Integers | None]]:
        """Yield the places of records, part by part, and how many records each stands for."""
        for start in range(0, self.cells.size, _CHUNK):
            chunk = slice(start, start + _CHUNK)
            places, gone = self._places(grid, chunk), self._missing_rows(chunk)
            there: Any = ~gone if gone.any() else slice(None)
            yield places[there], None if self._counts is None else self._counts[chunk][there]

    def row_places(self, grid: Grid) -> Integers:
        """Return the place of every record on the grid, of two the lower, and -1 where its number is lacking.

        Raises:
            ValueError: a histogram, which has no rows; as :meth:`snap_to`.
        """
        if self._counts is not None:
            raise InputError("A histogram has no rows that a group or a person could have: pass one value per row.")
        self._require_exact(grid.value(0), grid.value(grid.size - 1))
        places = self._places(grid, slice(None)).astype(np.int64)
        places[self._missing_rows()] = -1
        return places

    def grid_index(self, grid: Grid) -> NDArray[np.intp]:
        """Return the place on the grid that is nearest to each value, of two the lower; anything for lacking ones."""
        return self._places(grid, slice(None))

    def between(self, lower: float, upper: float) -> Numbers:
        """Return one number per record within public bounds, shape (n,): int64 for integer bounds, else float64.

        What is outside moves to the nearest bound, and a lacking number counts as the lower bound.

        Raises:
            ValueError: as :meth:`clip`.
        """
        self._require_exact(lower, upper)
        if isinstance(lower, int) and self.kind == "real":
            result = integers(self.values)
            each, gone = result.values, result.lacking
        else:
            each, gone = self.values, None if self._counts is not None else self._missing_rows()
        within = np.clip(each if isinstance(lower, int) else each.astype(np.float64), lower, upper)
        return np.asarray(within if gone is None else np.where(gone, lower, within))

    def missing_count(self) -> int:
        """Return how many cells are missing or not a number. Private: for the curator only."""
        return self._total(self._missing_rows())

    def check(self, grid: ArrayLike) -> dict[str, int]:
        """Return how many records lack a number, lie outside the grid's ends, or move to a grid value.

        These counts are private: they are for the curator, who may want to correct the data first.

        >>> Column([1, 2.5, 99, "x", None]).check([0, 1, 2, 3])
        {'lacking': 2, 'outside': 1, 'moved': 1}
        """
        points = public_points(grid)
        gone, outside = self._missing_rows(), self._outside(points[0], points[-1])
        same = points[self.grid_index(grid_of(points))] == self.cells
        if self._above is not None:
            same &= ~self._above
        masks = {"lacking": gone, "outside": outside & ~gone, "moved": ~same & ~outside & ~gone}
        return {name: self._total(rows) for name, rows in masks.items()}

    def _total(self, rows: Mask) -> int:
        return int(rows.sum() if self._counts is None else self._counts[rows].sum())

    def _missing_rows(self, rows: slice = slice(None)) -> Mask:
        """Return which records lack a number."""
        if self.kind == "real":
            return np.isnan(self.cells[rows])
        return np.zeros(self.cells[rows].shape, dtype=np.bool_) if self._lacking is None else self._lacking[rows]

    def _outside(self, lower: float, upper: float) -> Mask:
        beyond = self.cells > upper
        if self._above is not None:
            beyond |= self._above & (self.cells == upper)
        outside: Mask = (self.cells < lower) | beyond
        return outside

    def _require_exact(self, lower: Any, upper: Any) -> None:
        if self._retyped and max(abs(lower), abs(upper)) > _EXACT:
            raise InputError(
                "One missing cell makes pandas round integers beyond 2^53 in every row: pass a column with an arrow or "
                "nullable type, a list, or an array."
            )

    def _places(self, grid: Grid, rows: slice) -> NDArray[np.intp]:
        values: Any = self.cells[rows]
        if self.kind == "integer" and not grid.real:
            return grid.of_integers(values, None if self._above is None else self._above[rows])
        return grid.of_reals(values.astype(np.float64, copy=False))

    def __repr__(self) -> str:
        return "Column(private)"


def _kind(values: Numbers) -> str:
    return "integer" if values.dtype.kind == "i" else "real"


def public_points(grid: ArrayLike) -> Numbers:
    """Return a public grid: finite, strictly increasing, at least 2 values, or say what is wrong with it."""
    points = _public(grid)
    if points.size < 2:
        raise InputError("grid needs at least 2 values: with one there is nothing to choose.")
    if not np.isfinite(points).all() or not (points[1:] > points[:-1]).all():
        raise InputError("grid must be finite and strictly increasing: sort it and drop repeated values.")
    if points.dtype.kind == "i" and max(abs(int(points[0])), abs(int(points[-1]))) > INTEGER_CLIP:
        raise InputError("A grid of integers lies within 2^61: pass floats.")
    return points


def _public(grid: Any) -> Numbers:
    """Return the public grid as int64 if all of it are integers, else as float64."""
    complaint = "grid must be real numbers, none missing: pass integers or floats."
    if is_masked(grid):
        raise InputTypeError(complaint)
    try:
        array = np.asarray(grid)
    except ValueError:
        raise InputError("grid must be one-dimensional.") from None
    if array.ndim != 1:
        raise InputError("grid must be one-dimensional.")
    if array.dtype.kind == "u" and array.size and array.max() > np.iinfo(np.int64).max:
        raise InputError("grid has integers beyond 64 bits: pass floats.")
    if array.dtype.kind in "iu":
        return array.astype(np.int64, copy=False)
    if array.dtype.kind != "f" and array.size:
        raise InputTypeError(complaint)
    return array.astype(np.float64, copy=False)

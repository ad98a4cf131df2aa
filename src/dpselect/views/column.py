"""Columns of private numbers, and what a curator does before a utility may see them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.sources import tables

Numbers = NDArray[np.int64] | NDArray[np.float64]

# Records placed at a time: the temporary arrays stay in the cache, and memory does not grow with the column.
_CHUNK = 2**16
OFF_GRID = "A value is not on the grid: move the values there with Column(values).onto(grid), or pass a finer grid=."
OUTSIDE_GRID = "A value lies outside the public grid: clip the column first, or pass a wider grid."
MISSING = "values has missing entries (NaN): leave those records out, or give them a public value."


@dataclass(frozen=True, repr=False, eq=False)
class Column:
    """One private number a record, shape (n,), int64 or float64, read-only.

    Integers stay integers, because they are handled exactly.

    Attributes:
        values: shape (n,), private.
        clipped: how many records ``clip`` has moved: private, for the curator only.

    Raises:
        TypeError: values that are masked or not real numbers.
        ValueError: more than one dimension, or integers beyond 64 bits.

    >>> Column([3, 14, 15]).clip(0, 10).values
    array([ 3, 10, 10])
    """

    values: Numbers
    clipped: int = 0
    # Columns in memory do not know where they came from.
    facts: ClassVar[Mapping[str, str]] = {}

    def __init__(self, values: ArrayLike, clipped: int = 0) -> None:
        view = numbers_of(values, "values").view()
        view.flags.writeable = False
        object.__setattr__(self, "values", view)
        object.__setattr__(self, "clipped", clipped)

    @classmethod
    def read(cls, path: str | Path, column: str | None = None) -> Column:
        """Return a column of a ``.csv`` or ``.parquet`` file.

        Args:
            path: the file.
            column: its name; may be left out when the file has one column.

        Raises:
            FileNotFoundError, ImportError: no such file; pyarrow is not installed.
            ValueError: another kind of file, no such column, a cell that is empty or no number.
        """
        return cls(tables.column(path, column))

    @classmethod
    def from_counts(cls, counts: ArrayLike, *, lower: float = 0, step: float = 1) -> Column:
        """Return the records that a histogram counts: ``counts[i]`` of value lower + i step.

        Raises:
            ValueError: counts that are negative, no integers, or of more than one dimension.

        >>> Column.from_counts([2, 0, 1]).values
        array([0, 0, 2])
        """
        histogram = np.asarray(counts)
        if histogram.ndim != 1 or histogram.dtype.kind not in "iu" or (histogram < 0).any():
            raise ValueError("A histogram is a list of counts: pass integers >= 0, shape (cells,).")
        return cls(np.repeat(lower + step * np.arange(histogram.size), histogram))

    def clip(self, lower: float, upper: float) -> Column:
        """Return the column with every value moved into the public bounds; ``clipped`` says how many were moved.

        Raises:
            ValueError: NaN, or lower >= upper.
        """
        if not lower < upper:
            raise ValueError("lower must be below upper: pass the public bounds of the values.")
        self.complete()
        outside = int(((self.values < lower) | (self.values > upper)).sum())
        return Column(np.clip(self.values, lower, upper), self.clipped + outside)

    def onto(self, grid: ArrayLike) -> Column:
        """Return the column with every value moved to the nearest value of the public grid, of two the lower.

        Each record moves by itself, so neighbours stay neighbours.

        Raises:
            ValueError: NaN, a value outside the grid's ends (clip first), or a grid that does not increase.

        >>> Column([0.4, 2.5, 8.1]).onto([0, 5, 10]).values
        array([ 0,  0, 10])
        """
        points = public_points(grid)
        self.complete()
        if self.values.size and (self.values.min() < points[0] or self.values.max() > points[-1]):
            raise ValueError(OUTSIDE_GRID)
        middles = points[:-1] + (points[1:] - points[:-1]) / 2
        return Column(points[np.searchsorted(middles, self.values, side="left")], self.clipped)

    def counts_on(self, grid: Numbers) -> NDArray[np.int64]:
        """Return how many records stand on each value of the grid, shape of the grid.

        On an evenly spaced grid the place is computed, which takes a third of the time of a search. Whether a
        grid is one is found out by placing the grid itself, and every record is compared with the value it is
        placed on.

        Raises:
            ValueError: a value is not on the grid, or missing.
        """
        first = float(grid[0])
        scale = (grid.size - 1) / (float(grid[-1]) - first)

        def computed(chunk: Numbers) -> NDArray[np.intp]:
            place = np.subtract(chunk, first, dtype=np.float64)
            place *= scale
            # Rounds values at or after the first; whatever is placed wrongly is found by the comparison.
            place += 0.5
            return place.astype(np.intp)

        counts = np.zeros(grid.size, dtype=np.int64)
        with np.errstate(invalid="ignore", over="ignore"):
            even = math.isfinite(scale) and np.array_equal(computed(grid), np.arange(grid.size))
            for start in range(0, self.values.size, _CHUNK):
                chunk = self.values[start : start + _CHUNK]
                places = computed(chunk) if even else np.searchsorted(grid, chunk)
                if not np.array_equal(grid.take(places, mode="clip"), chunk):
                    self.complete()
                    raise ValueError(OFF_GRID)
                counts += np.bincount(places, minlength=grid.size)
        return counts

    def complete(self) -> None:
        """Raise ``ValueError`` if a value is missing."""
        if np.isnan(self.values).any():
            raise ValueError(MISSING)

    def __repr__(self) -> str:
        return "Column(private)"


def public_points(grid: ArrayLike) -> Numbers:
    """Return a public grid: finite, strictly increasing, at least 2 values, or say what is wrong with it."""
    points = numbers_of(grid, "grid")
    if points.size < 2:
        raise ValueError("grid needs at least 2 values: with one there is nothing to choose.")
    if not np.isfinite(points).all() or not (points[1:] > points[:-1]).all():
        raise ValueError("grid must be finite and strictly increasing: sort it and drop repeated values.")
    return points


def numbers_of(values: Any, name: str) -> Numbers:
    """Return an array of int64 or float64, shape (n,), or say what is wrong with it."""
    complaint = f"{name} must be real numbers, none missing: pass integers or floats."
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(complaint)
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must be one-dimensional.") from None
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional.")
    if not array.size and array.dtype.kind in "fO":
        # An empty list has no kind of its own.
        empty: Numbers = np.array([], np.int64) if array.dtype.kind == "O" else np.array([], np.float64)
        return empty
    if array.dtype.kind == "u" and array.size and array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"{name} has integers beyond 64 bits: pass floats.")
    if array.dtype.kind in "iu":
        return array.astype(np.int64, copy=False)
    if array.dtype.kind != "f":
        raise TypeError(complaint)
    return array.astype(np.float64, copy=False)

"""Public grids: listed value by value, or even ones of any size, which are arithmetic and never an array."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError

Numbers = NDArray[np.int64] | NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]
Places = NDArray[np.intp]

# Even grids of more values are not written out where they must be.
_MOST = 10**7 + 1
# Up to here differences of two integers, and sums, fit 64 bits.
_WIDEST = 2**61
# Grids this small are counted value by value, part by part: then memory does not grow with the records.
_SMALL = 2**18


@dataclass(frozen=True)
class EvenGrid:
    """The values (first + i step) / over for i = 0 .. size - 1, each rounded once.

    Attributes:
        first, step, over: integers; ``step`` and ``over`` positive. Within 2^61, and within 2^53 for real numbers.
        size: at least 2.
        real: whether the values are floats; integers have ``over`` 1.
    """

    first: int
    step: int
    size: int
    over: int = 1
    real: bool = False

    def value(self, place: int) -> int | float:
        """Return the value at a place."""
        number = self.first + place * self.step
        return number / self.over if self.real else number

    def points(self, places: Places | Integers) -> Numbers:
        """Return the values at places."""
        numbers = self.first + self.step * places
        return numbers / self.over if self.real else numbers

    def array(self) -> Numbers:
        """Return all values.

        Raises:
            ValueError: there are more than 10^7.
        """
        if self.size > _MOST:
            raise InputError(
                f"This column has to be placed on a grid that is written out, and that has at most {_MOST} values: "
                "choose a larger step, or cast the column to int64 and let the grid be of integers."
            )
        return self.points(np.arange(self.size))

    def of_integers(self, values: Integers, above: Mask | None) -> Places:
        """Place integers exactly, ``above`` says which numbers lie above their integer; for grids of integers."""
        # Beyond the ends it does not matter how far.
        along = np.clip(values, self.first, self.value(self.size - 1)) - self.first
        if self.step > 1:
            along += (self.step - 1) // 2
            if above is not None and self.step % 2 == 0:
                along += above
            along //= self.step
        return along.astype(np.intp, copy=False)

    def of_reals(self, values: NDArray[np.float64]) -> Places:
        """Place doubles: by arithmetic, and by halving where rounding may have misled it; anything for NaN."""
        last, start = self.size - 1, float(self.value(0))
        scale = last / (float(self.value(last)) - start)
        with np.errstate(invalid="ignore", over="ignore"):
            along = np.clip((values - start) * scale + 0.5, 0, last)
        places = np.minimum(np.where(np.isnan(along), 0, along).astype(np.int64), last)
        low = (places > 0) & (values <= self._middles(np.maximum(places - 1, 0)))
        wrong = np.flatnonzero(low | ((places < last) & (values > self._middles(np.minimum(places, last - 1)))))
        if wrong.size:
            places[wrong] = self._count_middles(values[wrong])
        return places.astype(np.intp, copy=False)

    def _middles(self, places: Integers) -> NDArray[np.float64]:
        return _half_way(*(self.points(places + more).astype(np.float64) for more in (0, 1)))

    def _count_middles(self, values: NDArray[np.float64]) -> Integers:
        """Return how many middles lie below each value."""
        least, most = np.zeros(values.size, dtype=np.int64), np.full(values.size, self.size - 1)
        while (least < most).any():
            middle = least + (most - least) // 2
            # Those that are settled compare with a middle that may not exist; they stay as they are.
            up = (least < most) & (values > self._middles(np.minimum(middle, self.size - 2)))
            least, most = np.where(up, middle + 1, least), np.where(up, most, middle)
        return least


@dataclass(frozen=True, eq=False)
class ListedGrid:
    """Public values as they are listed, strictly increasing."""

    listed: Numbers

    @property
    def size(self) -> int:
        """Return how many values there are."""
        return self.listed.size

    @property
    def real(self) -> bool:
        """Return whether the values are floats."""
        return self.listed.dtype.kind == "f"

    def value(self, place: int) -> int | float:
        """Return the value at a place."""
        value: int | float = self.listed[place].item()
        return value

    def points(self, places: Places | Integers) -> Numbers:
        """Return the values at places."""
        points: Numbers = self.listed[places]
        return points

    def array(self) -> Numbers:
        """Return all values."""
        return self.listed

    def of_integers(self, values: Integers, above: Mask | None) -> Places:
        """Place integers exactly, on a grid of integers; ``above`` says which numbers lie above their integer."""
        halves = 2 * values if above is None else 2 * values + above
        return np.searchsorted(self.listed[:-1] + self.listed[1:], halves, side="left")

    def of_reals(self, values: NDArray[np.float64]) -> Places:
        """Place doubles: on an even grid those that stand on it by arithmetic, the others by a search."""
        points, size = self.listed.astype(np.float64, copy=False), self.size
        with np.errstate(invalid="ignore", over="ignore"):
            scale = (size - 1) / (float(points[-1]) - float(points[0]))
            if not math.isfinite(scale):
                return np.searchsorted(middles(points), values, side="left")
            along = np.clip((values - points[0]) * scale + 0.5, 0, size - 1)
            places = np.where(np.isnan(along), 0, along).astype(np.intp)
            others = np.flatnonzero(points[places] != values)
        if others.size:
            places[others] = np.searchsorted(middles(points), values[others], side="left")
        return places


Grid = EvenGrid | ListedGrid


def grid_of(points: Numbers) -> Grid:
    """Return a listed grid as an even one if it is one of integers: then it is never looked at again."""
    if points.dtype.kind == "i":
        first, last = int(points[0]), int(points[-1])
        step, rest = divmod(last - first, points.size - 1)
        if not rest and last - first < _WIDEST and (points[1:] - points[:-1] == step).all():
            return EvenGrid(first, step, points.size)
    return ListedGrid(points)


def tally(parts: Iterable[tuple[Places, Integers | None]], size: int) -> tuple[Integers, Integers]:
    """Return the occupied places of a grid, increasing, and how many records each holds.

    Args:
        parts: of the records: their places, and how many records each stands for; in all parts, or ``None`` for one.
        size: of the grid.
    """
    if size <= _SMALL:
        dense = np.zeros(size, dtype=np.int64)
        for part, many in parts:
            _add(dense, part, many)
        occupied = np.flatnonzero(dense)
        return occupied, dense[occupied]
    listed = [*parts]
    places = np.concatenate([part for part, _ in listed] or [np.zeros(0, dtype=np.int64)])
    weights = [each for _, each in listed if each is not None]
    # Sorting by halves of the width takes half the time.
    places = places.astype(np.int32 if size < 2**31 else np.int64, copy=False)
    if not weights:
        occupied, counts = np.unique(places, return_counts=True)
        return occupied.astype(np.int64), counts.astype(np.int64)
    occupied, which = np.unique(places, return_inverse=True)
    counts = np.zeros(occupied.size, dtype=np.int64)
    np.add.at(counts, which, np.concatenate(weights))
    return occupied[counts > 0].astype(np.int64), counts[counts > 0]


def _add(dense: Integers, places: Places, weights: Integers | None) -> None:
    if weights is None:
        dense += np.bincount(places, minlength=dense.size)
    else:
        np.add.at(dense, places, weights)


def middles(grid: Numbers) -> NDArray[np.float64]:
    """Return what lies half-way between the values of a public grid, shape (size - 1,)."""
    points = grid.astype(np.float64, copy=False)
    return _half_way(points[:-1], points[1:])


def _half_way(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        gaps = high - low
    return np.where(np.isinf(gaps), low / 2 + high / 2, low + gaps / 2)

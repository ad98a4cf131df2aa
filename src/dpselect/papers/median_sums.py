"""Sums of a published median's sensitivity over its first distances, O(n log n) for all records at once.

From distance 2 on, a record sees a plain function of its value a until the window of values that may become the median
reaches it, and from two steps later on a constant that it shares with all others. Before that, with w as in
``median.py``, delta is the largest of three lines (``median.md``, *Sums*):

    left of the median:   w[m-1+t] - a,             L - w[m-t] - w[m-1-t] + a,   max(w[m-2+t], L - w[m+1-t]),
    right of the median:  w[m-1+t] + w[m+t] - a,    a - w[m-t],                  max(w[m-2+t], L - w[m+1-t]).

So every distance adds at most three pieces along the sorted values, and sums of pieces are running sums. They are taken
in integers of two halves; floats, and integers of a range beyond 2^61, are first rounded to multiples of about 2^-61
of the range.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.scores.sensitivity import Floats
from dpselect.views.grid import Numbers

Integers = NDArray[np.int64]
# Halves of integers, so that sums of 2^31 of them stay within 64 bits.
_HALF = 31
# Floats become integers below this power of two.
_DIGITS = 61


@dataclass(frozen=True)
class MedianRecords:
    """Sums that make up the rows of a median's sensitivity, n >= 3.

    Attributes:
        distinct: the values that occur, from the least, less the lower bound.
        ranks: the first rank of each.
        ordered: all values in their order.
        length: the public upper bound, less the lower.
        at: positions in ``distinct`` and a distance for each to the sensitivity there.
    """

    distinct: Numbers
    ranks: Integers
    ordered: Numbers
    length: float
    at: Callable[[NDArray[np.intp], Any], Floats]


class DistanceSums:
    """Called with distances (k,), returns the sums of the sensitivity over those before each: (k, distinct values)."""

    def __init__(self, records: MedianRecords) -> None:
        self._records = records
        self._middle = (records.ordered.size + 1) // 2
        self._ready: _Pieces | None = None

    def __call__(self, t: Integers) -> Floats:
        """Return the sums, exact where they are integers below 2^53 and else right to 2^-50 of t times the range."""
        if self._ready is None:
            self._ready = _Pieces(self._records, self._middle)
        return np.stack([self._before(step, self._ready) for step in t.tolist()])

    def _before(self, t: int, pieces: _Pieces) -> Floats:
        # From the reach on every value is the whole range.
        steps = min(t, self._middle + 1)
        # Sums beyond floats are infinite.
        with np.errstate(over="ignore"):
            total = pieces.sum_distances(steps) + float(self._records.length) * (t - steps)
            for distance, values in zip(pieces.distances, pieces.values, strict=True):
                total += np.where(distance < steps, values, 0.0)
        return total


class _Pieces:
    """The pieces that every distance adds, and what is added record by record.

    Attributes:
        distances, values: lists of arrays, a distance for every distinct value and the sensitivity there.
    """

    def __init__(self, records: MedianRecords, middle: int) -> None:
        rows = np.arange(records.distinct.size)
        apart = np.abs(middle - records.ranks)
        self.distances: list[Integers] = [np.zeros_like(apart), np.ones_like(apart)]
        self.values = [records.at(rows, 0), records.at(rows, 1)]
        # The window of the median reaches a record at one of these distances; those below 2 are known.
        for distance in (apart, apart + 1):
            late = np.flatnonzero(distance >= 2)
            value = np.zeros(apart.size)
            value[late] = records.at(late, distance[late])
            self.distances.append(np.where(distance >= 2, distance, 0))
            self.values.append(value)
        # Lines add two values: integers of a wider range than this are rounded as floats are.
        whole = records.ordered.dtype.kind == "i" and records.length <= 2**_DIGITS
        self.shift = 0 if whole else _DIGITS - int(np.frexp(records.length)[1])
        self._lines(records, middle)
        # From here on a record shares what all see.
        self._shared_from = np.maximum(apart + 2, 2)

    def _lines(self, records: MedianRecords, m: int) -> None:
        """Find which records each distance from 2 to m adds its lines to."""
        self._a, ordered, length = (_whole(x, self.shift) for x in (records.distinct, records.ordered, records.length))
        size, t = ordered.size, np.arange(2, m + 1)

        def seen(k: Integers, behind: bool) -> Integers:
            """w_k seen from records whose rank is at most k, or greater."""
            place = np.clip(k if behind else k - 1, 0, size - 1)
            return np.where(k <= 0, 0, np.where(k >= size, length, ordered[place]))

        def lines(behind: bool) -> tuple[Integers, Integers, Integers]:
            up, far, down, near = (seen(k, behind) for k in (m - 1 + t, m + t, m - t, m - 1 - t))
            level = np.maximum(seen(m - 2 + t, behind), length - seen(m + 1 - t, behind))
            return (up, length - down - near, level) if behind else (up + far, -down, level)

        none, every = np.zeros_like(t), np.full_like(t, self._a.size)
        left = _cut(self._a, *lines(True), none, np.searchsorted(records.ranks, m - 1 - t, side="right"))
        right = _cut(self._a, *lines(False), np.searchsorted(records.ranks, m + t, side="right"), every)
        self._added = [*left, *right]
        shared = np.maximum(seen(m - 2 + t, True), length - seen(m + 1 - t, False))
        self._shared = [np.concatenate(([0], np.cumsum(half))) for half in _halves(shared)]

    def sum_distances(self, steps: int) -> Floats:
        """Return the sums over distances from 2 to below ``steps`` but those that are added record by record."""
        count, rows = max(steps - 2, 0), self._a.size
        start = np.minimum(self._shared_from, count + 2) - 2
        slopes = np.zeros(rows + 1, dtype=np.int64)
        high, low = np.zeros_like(slopes), np.zeros_like(slopes)
        for begin, end, slope, height in self._added:
            for into, by in zip((high, low), _halves(height[:count]), strict=True):
                np.add.at(into, begin[:count], by)
                np.subtract.at(into, end[:count], by)
            if slope:
                np.add.at(slopes, begin[:count], slope)
                np.subtract.at(slopes, end[:count], slope)
        slopes = np.cumsum(slopes)[:-1]
        both = [
            np.cumsum(into)[:-1] + slopes * half + shared[count] - shared[start]
            for into, half, shared in zip((high, low), _halves(self._a), self._shared, strict=True)
        ]
        both[0] += both[1] >> _HALF
        sums = both[0] * 2.0**_HALF + (both[1] & (2**_HALF - 1))
        return np.asarray(np.ldexp(sums, -self.shift))


def _cut(
    a: Integers, falls: Integers, rises: Integers, level: Integers, start: Any, stop: Any
) -> list[tuple[NDArray[np.intp], NDArray[np.intp], int, Integers]]:
    """Cut max(falls - a, level, rises + a), from start to stop, into pieces: begin, end, slope and height."""
    crossing = (falls - rises) >> 1
    first = np.clip(np.searchsorted(a, np.minimum(falls - level, crossing), side="right"), start, stop)
    second = np.clip(np.searchsorted(a, np.maximum(level - rises, crossing), side="right"), start, stop)
    return [(start, first, -1, falls), (first, second, 0, level), (second, stop, 1, rises)]


def _halves(numbers: Integers) -> tuple[Integers, Integers]:
    return numbers >> _HALF, numbers & (2**_HALF - 1)


def _whole(numbers: Any, shift: int) -> Any:
    """Return integers: numbers rounded to multiples of 2^-shift."""
    return np.asarray(numbers) if not shift else np.rint(np.ldexp(numbers, shift)).astype(np.int64)

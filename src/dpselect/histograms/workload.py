"""Workloads: the range queries that a histogram is to answer, evaluated through prefix sums."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpselect.histograms.count_arrays import Floats, Integers, require_shape
from dpselect.histograms.public_numbers import PublicNumbers
from dpselect.kernel.errors import InputError, InputTypeError

MOST_QUERIES = 2**22


class Workload:
    """Public range queries over a domain: each is the sum of the cells in [low, high) along every axis.

    Args:
        shape: of the domain, (n,) or (rows, columns).
        low: first cells, shape (k,) or (k, 2).
        high: one past the last cells, of the same shape.
        name: in words.

    Raises:
        TypeError, ValueError: no domain, no queries, bounds outside the domain or not low < high.

    >>> Workload((4,), low=[0, 1], high=[4, 3]).answers(np.array([3, 1, 4, 1])).tolist()
    [9, 5]
    """

    def __init__(self, shape: Any, low: ArrayLike, high: ArrayLike, name: str = "ranges") -> None:
        self.shape = require_shape(shape)
        self.low, self.high, self.name = _bounds(low, self.shape), _bounds(high, self.shape), name
        if self.low.shape != self.high.shape or not len(self.low):
            raise InputError("A workload needs at least one query: pass as many low as high bounds.")
        if (self.low < 0).any() or (self.high > np.array(self.shape)).any() or (self.low >= self.high).any():
            raise InputError("Every query must satisfy 0 <= low < high <= cells along each axis.")

    @classmethod
    def random_ranges(cls, shape: Any, count: int = 2000, *, seed: int = 0) -> Workload:
        """Return ranges between two uniformly random cells along every axis, both included.

        >>> Workload.random_ranges((256, 256), 2000)
        Workload('random ranges', shape=(256, 256), queries=2000)
        """
        sides, many, numbers = require_shape(shape), _count(count), PublicNumbers(seed)
        ends = np.stack([np.sort(numbers.below(side, 2 * many).reshape(2, many), axis=0) for side in sides], axis=-1)
        return cls(sides, ends[0], ends[1] + 1, "random ranges")

    @classmethod
    def cells(cls, shape: Any) -> Workload:
        """Return one query for each cell.

        >>> Workload.cells((2, 2)).answers(np.array([[3, 1], [4, 1]])).tolist()
        [3, 1, 4, 1]
        """
        sides = require_shape(shape)
        at = _every_cell(sides)
        return cls(sides, at, at + 1, "cells")

    @classmethod
    def prefixes(cls, shape: Any) -> Workload:
        """Return the ranges that begin at the first cell, one for each cell they may end at.

        >>> Workload.prefixes((4,)).answers(np.array([3, 1, 4, 1])).tolist()
        [3, 4, 8, 9]
        """
        sides = require_shape(shape)
        at = _every_cell(sides)
        return cls(sides, np.zeros_like(at), at + 1, "prefixes")

    def answers(self, histogram: ArrayLike) -> Any:
        """Return the answer to every query, shape (k,): integers for integers, floats for floats.

        Raises:
            ValueError: a histogram of another shape.
        """
        values = np.asarray(histogram)
        if values.shape != self.shape:
            raise InputError(f"This workload is about shape {self.shape}: the histogram has shape {values.shape}.")
        sums = np.zeros([side + 1 for side in self.shape], dtype=np.int64 if values.dtype.kind in "biu" else np.float64)
        if len(self.shape) == 1:
            np.cumsum(values, out=sums[1:])
            return sums[self.high[:, 0]] - sums[self.low[:, 0]]
        np.cumsum(np.cumsum(values, axis=0), axis=1, out=sums[1:, 1:])
        (top, left), (bottom, right) = self.low.T, self.high.T
        return sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]

    def __len__(self) -> int:
        return len(self.low)

    def __repr__(self) -> str:
        return f"Workload({self.name!r}, shape={self.shape}, queries={len(self)})"


def scaled_average_error(estimate: ArrayLike, counts: ArrayLike, workload: Workload, *, loss: str = "L2") -> float:
    """Return the error of a workload per query and record: ||W estimate - W counts|| / (scale k).

    The scale is the total of the counts and k the number of queries. It is computed from the true counts, so show it
    for public data only. DPBench defines it for any loss and reports the L2 norm, the default here.

    Args:
        loss: "L2" (the root of the summed squares) or "L1" (the summed absolute errors).

    Raises:
        ValueError: shapes that differ, counts that sum to 0, another loss.

    >>> scaled_average_error([2.0, 2.0], [1, 3], Workload.cells((2,)), loss="L1")
    0.25

    Source: Hay et al. 2016 (DPBench), Definition 3.
    """
    if loss not in ("L1", "L2"):
        raise InputError(f"loss must be 'L1' or 'L2', not {loss!r}.")
    true = np.asarray(counts)
    scale = float(true.sum())
    if not scale > 0:
        raise InputError("The scaled error of an empty histogram is undefined: pass counts with at least one record.")
    errors: Floats = workload.answers(np.asarray(estimate, dtype=np.float64)) - workload.answers(true)
    norm = np.abs(errors).sum() if loss == "L1" else np.sqrt(np.square(errors).sum())
    return float(norm / (scale * len(workload)))


def _bounds(bounds: ArrayLike, shape: tuple[int, ...]) -> Integers:
    array = np.asarray(bounds)
    if array.dtype.kind not in "iu":
        raise InputTypeError("Bounds of queries must be integers: positions of cells.")
    if array.ndim == 1 and len(shape) == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != len(shape):
        raise InputError("Bounds of queries have shape (k,) on a line and (k, 2) on a grid.")
    return array.astype(np.int64)


def _every_cell(sides: tuple[int, ...]) -> Integers:
    return np.indices(sides, dtype=np.int64).reshape(len(sides), -1).T


def _count(count: Any) -> int:
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or not 1 <= count <= MOST_QUERIES:
        raise InputError(f"count must be an integer from 1 to {MOST_QUERIES}: how many queries to make.")
    return int(count)

"""The Hilbert curve through a grid: neighbours on the line are neighbours on the grid."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dpselect.histograms.counts import Integers


@lru_cache(maxsize=8)
def curve(shape: tuple[int, ...]) -> Integers:
    """Return the flat positions of the cells of a domain along the curve, each once, shape (cells,).

    A line is its own curve. A grid is visited as part of the smallest square of a power of two that holds it.

    >>> curve((2, 2)).tolist()
    [0, 1, 3, 2]
    """
    if len(shape) == 1:
        return np.arange(shape[0], dtype=np.int64)
    rows, columns = shape
    side = 2 ** (max(shape) - 1).bit_length()
    left = np.arange(side * side, dtype=np.int64)
    row, column, size = np.zeros_like(left), np.zeros_like(left), 1
    while size < side:
        # Which quarter of the square of twice the size: the lower two are mirrored, or swapped.
        down = left // 2 & 1
        right = (left ^ down) & 1
        mirrored = (right == 0) & (down == 1)
        row, column = np.where(mirrored, size - 1 - row, row), np.where(mirrored, size - 1 - column, column)
        row, column = np.where(right == 0, column, row), np.where(right == 0, row, column)
        row, column = row + size * down, column + size * right
        left, size = left // 4, size * 2
    inside = (row < rows) & (column < columns)
    return row[inside] * columns + column[inside]

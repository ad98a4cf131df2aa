"""The Hilbert curve through a grid: neighbours on the line are neighbours on the grid."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dpselect.histograms.count_arrays import Integers


@lru_cache(maxsize=8)
def curve(shape: tuple[int, ...]) -> Integers:
    """Return the flat positions of the cells of a domain along the curve, each once, shape (cells,).

    A line is its own curve. A grid is cut along its longer side into squares, whose side is the shorter side rounded
    up to a power of two; the curve goes through one after the other, and leaves out what lies outside of the grid.

    >>> curve((2, 2)).tolist()
    [0, 1, 3, 2]
    >>> curve((4, 1)).tolist(), curve((2, 3)).tolist()
    ([0, 1, 2, 3], [0, 3, 4, 1, 2, 5])
    """
    if len(shape) == 1:
        return np.arange(shape[0], dtype=np.int64)
    rows, columns = shape
    side = 2 ** (min(shape) - 1).bit_length()
    # A square is left in the column in which it was entered, so the next one begins there; turned over, in the row.
    across, along = _square(side)
    squares = np.arange(-(-max(shape) // side), dtype=np.int64)[:, None] * side
    if squares.size == 1 or rows >= columns:
        row, column = (along + squares).ravel(), np.broadcast_to(across, (squares.size, across.size)).ravel()
    else:
        row, column = np.broadcast_to(across, (squares.size, across.size)).ravel(), (along + squares).ravel()
    inside = (row < rows) & (column < columns)
    cells: Integers = row[inside] * columns + column[inside]
    return cells


def _square(side: int) -> tuple[Integers, Integers]:
    """Return columns and rows of the cells of a square along its curve, from its first row to its last."""
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
    return column, row

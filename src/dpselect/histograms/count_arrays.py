"""Histograms that may be answered: integers >= 0 over a public domain of cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bound import Bound
from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.scores.kinds import is_masked

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_CELLS = 2**22
# A public clip, far beyond any count, so that no sum over a domain leaves 64 bits: clipping is 1-Lipschitz.
COUNT_CLIP = 2**40
# How far one record more or fewer moves the counts of cells, or a sum of some of them: proof in ``count_arrays.md``.
ONE = Bound(1)


def require_counts(counts: Any) -> Integers:
    """Return the counts as int64, shape (n,) or (rows, columns), or say what to pass.

    Raises:
        TypeError: not integers.
        ValueError: not one or two dimensions, no cells, more than 2^22 cells, a negative count.
    """
    if is_masked(counts):
        raise InputTypeError("counts must not be masked: pass plain integers, with 0 for empty cells.")
    try:
        array = np.asarray(counts)
    except ValueError:
        raise InputError("counts must have rows of equal length: pass shape (n,) or (rows, columns).") from None
    if array.dtype.kind not in "iu":
        raise InputTypeError(
            "counts must be integers: pass how many records each cell holds, such as np.bincount gives."
        )
    require_shape(array.shape)
    if array.dtype.kind == "i" and (array < 0).any():
        raise InputError("counts must not be negative: pass how many records each cell holds.")
    if array.dtype.itemsize == 8:
        array = np.minimum(array, array.dtype.type(COUNT_CLIP))
    return np.asarray(array, dtype=np.int64)


def require_shape(shape: Any) -> tuple[int, ...]:
    """Return a public domain of cells, (n,) or (rows, columns), or say what to pass.

    Raises:
        TypeError: not integers.
        ValueError: not one or two dimensions, no cells, more than 2^22 cells.
    """
    sides = shape if isinstance(shape, tuple) else tuple(shape) if isinstance(shape, list) else (shape,)
    if any(isinstance(side, bool) or not isinstance(side, (int, np.integer)) for side in sides):
        raise InputTypeError("shape must be a number of cells or a pair (rows, columns).")
    if len(sides) not in (1, 2):
        raise InputError(
            f"A histogram has one or two dimensions, not {len(sides)}: pass shape (n,) or (rows, columns)."
        )
    if min(sides) < 1:
        raise InputError("A histogram needs at least one cell: pass the whole public domain, empty cells included.")
    cells = int(np.prod([int(side) for side in sides], dtype=object))
    if cells > MOST_CELLS:
        raise InputError(f"A histogram has at most {MOST_CELLS} cells, not {cells}: use coarser public bins.")
    return tuple(int(side) for side in sides)

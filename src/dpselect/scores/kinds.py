"""Scores as arrays of a public kind: integers, exact, or real numbers as doubles.

Which of the two is said by the caller or by the type of the array, never by the values: a list of integers on one
database may hold a fraction on its neighbour, and the two kinds are handled differently.
"""

from __future__ import annotations

import math
import numbers
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.kernel.units import TICK_CLIP

Numbers = NDArray[np.int64] | NDArray[np.float64]

# A double holds every integer up to 2^53, and half a tick (2^-21 units) of any number up to 2^32 units.
_WHOLE, _UNITS = 2.0**53, 2.0**32
_LARGEST = float(np.finfo(np.float64).max)
_NUMBERS: Any = (numbers.Real, Decimal, np.bool_)
_EMPTY = "Scores need at least one candidate: pass values of shape (m,), m >= 1."
_REAL = "Scores must be real numbers: pass integers or floats."
_INTEGER = 'kind="integer" takes integers only: round the scores in the utility, or leave kind out for real numbers.'


def numbers_of(values: Any, kind: str | None, ceiling: float, finest: float | None = None) -> Numbers:
    """Return a read-only copy of scores, int64 clipped at 2^61, or float64 clipped where doubles lose a unit.

    Args:
        values: a list, tuple, range or array, shape (m,).
        kind: ``"integer"``, ``"real"``, or ``None`` for the kind of the array or range, and real for others.
        ceiling: the public bound of the sensitivity.
        finest: the smallest public bound of any candidate, 0 where none is known, or ``None`` for the ceiling: what
            numbers may not be rounded against that are not doubles already.

    Raises:
        ValueError, TypeError: as :class:`dpselect.scores.scores.Scores`.

    >>> numbers_of([1, 2], None, 1), numbers_of(range(2), None, 1)
    (array([1., 2.]), array([0, 1]))
    """
    if kind not in (None, "integer", "real"):
        raise InputError('kind is "integer" or "real".')
    if is_masked(values):
        raise InputTypeError("Scores must not be masked: pass plain arrays, with a public value for what is missing.")
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(_EMPTY) from None
    if array.ndim != 1 or not array.size:
        raise InputError(_EMPTY)
    if kind is None:
        kind = _kind_of(values, array)
    if kind == "integer":
        return _read_only(_integers(values, array))
    exact = getattr(getattr(values, "dtype", None), "kind", "") == "f"
    return _read_only(_reals(array, ceiling if exact or finest is None else finest))


def is_masked(values: Any) -> bool:
    """Return whether this is a masked array; for all else the module of masked arrays is not imported.

    >>> is_masked(np.ma.masked_array([1, 2], mask=[False, True])), is_masked(np.arange(2)), is_masked([1, 2])
    (True, False, False)
    """
    return isinstance(values, np.ndarray) and type(values) is not np.ndarray and isinstance(values, np.ma.MaskedArray)


def distances_of(distance: Any, size: int) -> NDArray[np.int64]:
    """Return a read-only copy of counts of changes, clipped at 2^61.

    Raises:
        ValueError: not one integer >= 0 for each candidate.
    """
    try:
        array = np.asarray(distance)
        result = _integers(distance, array)
    except (TypeError, ValueError):
        result = np.array([-1])
    if result.shape != (size,) or array.dtype.kind == "b" or (result < 0).any():
        raise InputError("distance counts changes: pass one integer >= 0 for each candidate.")
    return _read_only(result)


def _kind_of(values: Any, array: NDArray[Any]) -> str:
    """Return the kind that the container declares; lists and arrays of objects declare none, and are real."""
    declared = getattr(values, "dtype", None)
    letter = getattr(declared, "kind", array.dtype.kind)
    return "integer" if (declared is not None or isinstance(values, range)) and letter in "biu" else "real"


def _integers(values: Any, array: NDArray[Any]) -> NDArray[np.int64]:
    """Return integers, clipped before they can leave 64 bits; no size of theirs ever decides their type."""
    if array.dtype.kind in "bi":
        return np.asarray(np.clip(array.astype(np.int64), -TICK_CLIP, TICK_CLIP))
    if array.dtype.kind == "u":
        return np.asarray(np.minimum(array, np.uint64(TICK_CLIP)).astype(np.int64))
    # NumPy makes floats of integers around 2^63.
    each = array.tolist() if array.dtype == object or hasattr(values, "dtype") else list(values)
    if not all(isinstance(value, (numbers.Integral, np.bool_)) for value in each):
        real = all(isinstance(value, _NUMBERS) for value in each)
        raise InputTypeError(_INTEGER if real else _REAL)
    return np.array([max(-TICK_CLIP, min(TICK_CLIP, int(value))) for value in each], dtype=np.int64)


def _reals(array: NDArray[Any], ceiling: float) -> NDArray[np.float64]:
    if array.dtype == object:
        array = np.array([_double(value) for value in array.tolist()])
    if array.dtype.kind not in "biuf":
        raise InputTypeError(_REAL)
    floats = array.astype(np.float64)
    # Rounding an integer beyond this would move it by more than the span allows for.
    end = max(_WHOLE, _UNITS * ceiling) if math.isfinite(ceiling) else _WHOLE
    # The least and the most of numbers with a NaN among them are NaN.
    if floats[floats.argmin()] >= -end and floats[floats.argmax()] <= end < math.inf:
        return floats
    if not np.isfinite(floats).all():
        raise InputError("Scores must be finite: the utility gave NaN or an infinite value.")
    return np.clip(floats, -end, end, out=floats)


def _double(value: Any) -> float:
    if not isinstance(value, _NUMBERS):
        raise InputTypeError(_REAL)
    try:
        return float(value)
    except OverflowError:
        return _LARGEST if value > 0 else -_LARGEST
    except (ValueError, TypeError):
        raise InputTypeError(_REAL) from None


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array

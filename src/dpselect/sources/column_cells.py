"""Cells of a column of numbers, each read by itself: as an integer or as a double, as a public kind says.

Text is read as csv files are (:mod:`dpselect.sources.csv_text`), ``true`` and ``false`` as 1 and 0. What is empty, NaN
or is not a number is missing by itself: no cell decides how another is read, and none is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sized
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.sources import csv_text
from dpselect.sources.categories import TRUTH
from dpselect.sources.cell_types import mask_of
from dpselect.sources.dialects import trim
from dpselect.sources.frames import hint, is_retyped

Mask = NDArray[np.bool_]
# Integers are read up to here, so that twice their size fits 64 bits; larger ones are clipped.
INTEGER_CLIP = 2**61
_NUMBERS = (int, float, np.integer, np.floating, np.bool_, Decimal, Fraction)
_PLAIN = "^-?[0-9]+([.][0-9]+)?$"
# The zeros are possessive, so that a long text is read in one pass.
_WHOLE = re.compile(r"([+-]?)(?=[0-9])0*+([0-9]*)")


@dataclass(frozen=True, repr=False, eq=False)
class ColumnCells:
    """The content of a column, shape (n,).

    Attributes:
        values: int64, the nearest integer, of two the lower; or float64, NaN where a cell is lacking.
        above: where the number is above its integer, ``None`` for nowhere; integers only.
        lacking: where a cell is lacking, ``None`` for nowhere; integers only.
    """

    values: NDArray[np.int64] | NDArray[np.float64]
    above: Mask | None = None
    lacking: Mask | None = None


def array_of(values: Any) -> NDArray[Any]:
    """Return a column as an array, perhaps masked, in which no cell has changed its type for another's sake.

    Raises:
        TypeError: not a column, or one of a type that no number is read from.
        ValueError: an array of more than one dimension.
    """
    if isinstance(values, (str, Path)):
        raise InputTypeError(
            'A column of numbers is a list or an array: of a file take dps.data.Column.read(path, "name"), or a '
            "column of an Ibis table to leave it where it is."
        )
    if isinstance(values, bytes) or not (isinstance(values, Iterable) or hasattr(values, "__array__")):
        raise InputTypeError(f"A column of numbers is a list or an array of one number per record{hint(values)}.")
    if isinstance(values, (list, tuple)) or not (isinstance(values, Sized) or hasattr(values, "__array__")):
        array = np.fromiter(values, dtype=object, count=len(values) if isinstance(values, Sized) else -1)
    elif isinstance(values, (np.ndarray, range)):
        array = values if isinstance(values, np.ndarray) else np.asarray(values)
    elif is_retyped(values):
        # Rows decide whether it is a column of dates or complex numbers, so none is refused for that.
        plain = isinstance(values.dtype, np.dtype) and values.dtype.kind in "biufO"
        array = np.asarray(values) if plain else np.fromiter(values, dtype=object, count=len(values))
    else:
        array = of_arrow(values) if type(values).__module__.startswith("pyarrow") else _of_series(values)
    if array.ndim != 1:
        raise InputError(
            "A column is one-dimensional: pass shape (n,), one number per record; of a table, one column, table[name]."
        )
    if array.dtype.kind not in "biufUTO":
        raise InputTypeError(
            f"A column of type {array.dtype} has no numbers: pass real numbers or text that spells them."
        )
    return array


def of_arrow(values: Any) -> NDArray[Any]:
    """Return an arrow column: integers masked where they are null, floats, or objects.

    Raises:
        TypeError: a type that no number is read from; types are public, as a schema is.
    """
    import pyarrow

    types, kind = pyarrow.types, values.type
    if types.is_dictionary(kind):
        values = values.cast(kind.value_type)
        kind = values.type
    if types.is_integer(kind):
        whole = np.asarray(values.fill_null(0).to_numpy())
        gone = np.asarray(values.is_null().to_numpy(zero_copy_only=False) if values.null_count else False)
        return np.ma.masked_array(whole, mask=gone) if values.null_count else whole
    if types.is_floating(kind):
        return np.asarray(values.cast(pyarrow.float64()).fill_null(math.nan).to_numpy())
    plain = (types.is_string, types.is_large_string, types.is_boolean, types.is_decimal, types.is_null)
    if not any(test(kind) for test in plain):
        raise InputTypeError(f"A column of type {kind} has no numbers: pass real numbers or text that spells them.")
    return np.fromiter(values.to_pylist(), dtype=object, count=len(values))


def _of_series(values: Any) -> NDArray[Any]:
    """Return a series of polars, or of pandas with a type that rows do not change."""
    try:
        import narwhals as nw

        series = nw.from_native(values, series_only=True, eager_only=True)
    except (ImportError, TypeError):
        return np.asarray(values)
    return of_arrow(series.to_arrow())


def declared_kind(values: Any, array: NDArray[Any]) -> str:
    """Return the kind that a container declares: integers by a type of theirs, else real numbers.

    Columns of pandas that NumPy holds declare nothing, because one missing cell makes floats of all of them.
    """
    if isinstance(values, (list, tuple)) or is_retyped(values):
        return "real"
    return "integer" if array.dtype.kind in "biu" else "real"


def reals(array: NDArray[Any]) -> ColumnCells:
    """Return every cell as a double, NaN where it is lacking."""
    gone, values = mask_of(array), np.asarray(array)
    if values.dtype.kind in "UTO":
        cells = values.tolist()
        types = set(map(type, cells))
        try:
            quick = types <= {float, int, bool, type(None)}
            result = np.array(cells, dtype=np.float64) if quick else None
        except OverflowError:
            result = None
        if result is None:
            result = np.fromiter(map(_real, cells), dtype=np.float64, count=len(cells))
    else:
        result = values.astype(np.float64, copy=gone is not None)
    if gone is not None:
        result[gone] = np.nan
    return ColumnCells(result)


def read_text(values: Any) -> NDArray[np.float64] | None:
    """Return what :func:`reals` reads from an arrow column of text, without a loop over it; ``None`` for all others.

    Where some cells are not plain numbers, those are read one by one.
    """
    if not type(values).__module__.startswith("pyarrow"):
        return None
    import pyarrow
    import pyarrow.compute

    if not (pyarrow.types.is_string(values.type) or pyarrow.types.is_large_string(values.type)):
        return None
    try:
        return _doubles(values)
    except pyarrow.ArrowInvalid:
        pass
    plain = pyarrow.compute.match_substring_regex(values, _PLAIN)
    result = _doubles(pyarrow.compute.if_else(plain, values, None))
    others = np.flatnonzero(~np.asarray(plain.fill_null(True).to_numpy(), dtype=np.bool_))
    result[others] = [_real(cell) for cell in values.take(others).to_pylist()]
    return result


def _doubles(values: Any) -> NDArray[np.float64]:
    numbers = values.cast("float64").fill_null(math.nan)
    return np.array(numbers.to_numpy(), dtype=np.float64)


def integers(array: NDArray[Any]) -> ColumnCells:
    """Return every cell as the nearest integer, of two the lower, exact and clipped at 2^61."""
    gone, values = mask_of(array), np.asarray(array)
    if values.dtype.kind in "biu":
        if values.dtype.kind == "u":
            values = np.minimum(values, np.asarray(INTEGER_CLIP, dtype=np.uint64))
        whole = values.astype(np.int64, copy=False)
        if whole.size and values.dtype.itemsize == 8 and (whole.max() > INTEGER_CLIP or whole.min() < -INTEGER_CLIP):
            whole = np.clip(whole, -INTEGER_CLIP, INTEGER_CLIP)
        return ColumnCells(whole, None, gone)
    if values.dtype.kind == "f":
        lacking = np.isnan(values)
        doubled = np.where(lacking, 0.0, np.clip(values.astype(np.float64), -(2.0**61), 2.0**61))
        halves = np.ceil(2 * doubled).astype(np.int64)
    else:
        cells = values.tolist()
        whole_or_none = _whole(cells)
        if whole_or_none is not None:
            return ColumnCells(whole_or_none, None, gone)
        read = [_halves(cell) for cell in cells]
        lacking = np.fromiter((half is None for half in read), dtype=np.bool_, count=len(read))
        halves = np.fromiter((half or 0 for half in read), dtype=np.int64, count=len(read))
    above = (halves & 1).astype(np.bool_)
    lacking = lacking if gone is None else lacking | gone
    return ColumnCells(halves >> 1, above if above.any() else None, lacking if lacking.any() else None)


def _whole(cells: list[Any]) -> NDArray[np.int64] | None:
    """Return cells that are all plain integers, the quick way; ``None`` where others are among them."""
    if not set(map(type, cells)) <= {int, bool}:
        return None
    try:
        return np.asarray(np.clip(np.array(cells, dtype=np.int64), -INTEGER_CLIP, INTEGER_CLIP))
    except OverflowError:
        return None


def _real(cell: Any) -> float:
    """Return one cell as a double, NaN where it is lacking or not a number."""
    if isinstance(cell, str):
        number = csv_text.number(cell)
        return float(TRUTH.get(trim(cell).lower(), math.nan)) if number is None else number
    if isinstance(cell, complex) and not cell.imag:
        # A column of integers of pandas beside one complex cell.
        return cell.real
    if not isinstance(cell, _NUMBERS) or isinstance(cell, np.timedelta64):
        return math.nan
    try:
        return float(cell)
    except OverflowError:
        return math.inf if cell > 0 else -math.inf
    except Exception:
        # The signalling NaN of decimals; numbers of other makers that cannot be read.
        return math.nan


def _halves(cell: Any) -> int | None:
    """Return the least integer that is at least twice the number, clipped; ``None`` where it is lacking."""
    if isinstance(cell, str):
        written = _WHOLE.fullmatch(trim(cell))
        if written is not None:
            # Python refuses to read thousands of digits, and the clip needs only the first ones.
            size = int(written[2] or 0) if len(written[2]) < 30 else INTEGER_CLIP
            cell = -size if written[1] == "-" else size
    if isinstance(cell, (int, np.integer, np.bool_)) and not isinstance(cell, np.timedelta64):
        return 2 * max(-INTEGER_CLIP, min(INTEGER_CLIP, int(cell)))
    number = _real(cell)
    if math.isnan(number):
        return None
    if abs(number) >= INTEGER_CLIP:
        return 2 * (INTEGER_CLIP if number > 0 else -INTEGER_CLIP)
    if isinstance(cell, (Decimal, Fraction)) and cell == int(cell):
        return 2 * int(cell)
    # As in an engine, a fraction is rounded to a double once.
    return math.ceil(2 * number)

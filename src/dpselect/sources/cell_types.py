"""Cells of a table read one by one against a public domain.

How a cell is read depends on that cell, on the domain and on the type that the container declares (NumPy's dtype, an
arrow, parquet or polars type), never on other rows. Nothing here refuses a cell: one that the domain does not know is
``OUTSIDE``, a missing one is ``LACKING``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sized
from decimal import Decimal
from fractions import Fraction
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.scores.kinds import is_masked
from dpselect.sources import csv_text
from dpselect.sources.categories import TRUTH, Categories, plain_number
from dpselect.sources.dialects import trim

OUTSIDE, LACKING = -1, -2
Integers = NDArray[np.int64]
# Kinds of arrays whose cells can be read: truth values, integers, floats, text, objects.
READABLE = "biufUTO"
_NUMBERS = (int, float, np.integer, np.floating, np.bool_, Decimal, Fraction)
# In ASCII without these, float() reads what csv_text.number reads, and refuses what that refuses.
_SAMPLE = 4096
_UNLIKE = "_\n\r\v\f\x1c\x1d\x1e\x1f"


def objects(values: Iterable[Any]) -> NDArray[Any]:
    """Return cells as they are, shape (n,): NumPy gives them no common type.

    >>> objects([1, "x", [2]]).tolist()
    [1, 'x', [2]]
    """
    return np.fromiter(values, dtype=object, count=len(values) if isinstance(values, Sized) else -1)


def places(values: NDArray[Any], categories: Categories) -> Integers:
    """Return the code of the category that every cell stands for, shape (n,)."""
    gone = mask_of(values)
    values = np.asarray(values)
    if values.dtype.kind in "UTO":
        codes = _places_of_objects(values.tolist(), categories)
    else:
        codes = _places_of_numbers(values, categories)
    if gone is not None:
        codes[gone] = LACKING
    return codes


def numbers(values: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.bool_] | None]:
    """Return every cell as float64, NaN where it is missing, and where cells are neither numbers nor missing.

    Both have shape (n,); the second is ``None`` where the type of the column rules such cells out.
    """
    gone = mask_of(values)
    values = np.asarray(values)
    if values.dtype.kind in "UTO":
        result, unreadable = _numbers_of_objects(values.tolist())
    else:
        result, unreadable = values.astype(np.float64, copy=gone is not None), None
    if gone is not None:
        result[gone] = np.nan
        if unreadable is not None:
            unreadable &= ~gone
    return result, unreadable


def missing(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where None, NaN, NaT, pandas' NA or masked cells stand, shape (n,)."""
    gone = mask_of(values)
    values = np.asarray(values)
    if values.dtype.kind == "f":
        mask = np.isnan(values)
    elif values.dtype.kind in "mM":
        mask = np.isnat(values)
    elif values.dtype.kind == "O":
        mask = np.fromiter(map(is_missing, values.tolist()), dtype=np.bool_, count=values.size)
    else:
        mask = np.zeros(values.shape, dtype=np.bool_)
    return np.asarray(mask if gone is None else mask | gone)


def mask_of(values: NDArray[Any]) -> NDArray[np.bool_] | None:
    """Return which cells of a masked array lack a value, shape (n,); ``None`` where none can."""
    if not is_masked(values):
        return None
    mask = np.ma.getmask(values)
    return None if mask is np.ma.nomask else np.asarray(mask, dtype=np.bool_)


def is_missing(cell: Any) -> bool:
    """Return whether a cell is None, NaN, NaT or pandas' NA."""
    # NaN and NaT differ from themselves; what the comparison of pandas' NA returns is neither true nor false.
    if cell is None:
        return True
    try:
        return bool(cell != cell)
    except Exception:
        return not isinstance(cell, np.ndarray)


def _places_of_numbers(values: NDArray[Any], categories: Categories) -> Integers:
    gone = None
    if values.dtype.kind == "f":
        values = values.astype(np.float64, copy=False)
        gone = np.isnan(values)
        known = [(value, code) for value, code in categories.numbers.items() if _survives(value)]
        kind: Any = np.float64
    else:
        if values.dtype.kind == "b":
            values = values.astype(np.int8)
        kind = values.dtype
        ends = np.iinfo(kind)
        known = [
            (int(value), code)
            for value, code in categories.numbers.items()
            if abs(value) < np.inf and value == int(value) and ends.min <= value <= ends.max
        ]
    codes = np.full(values.size, OUTSIDE, dtype=np.int64)
    if known:
        known.sort()
        marks, known_codes = np.array([value for value, _ in known], dtype=kind), np.array([code for _, code in known])
        positions = np.searchsorted(marks, values)
        positions[positions == marks.size] = 0
        np.copyto(codes, known_codes[positions], where=marks[positions] == values)
    if gone is not None:
        codes[gone] = LACKING
    return codes


def _survives(value: Any) -> bool:
    try:
        return bool(float(value) == value)
    except OverflowError:
        return False


def _places_of_objects(cells: list[Any], categories: Categories) -> Integers:
    known: dict[Any, int] = {**categories.texts, **categories.numbers}
    if np.timedelta64 in set(map(type, cells)):
        # Spans of time are equal to numbers, and none of them.
        cells = [Ellipsis if isinstance(cell, np.timedelta64) and not np.isnat(cell) else cell for cell in cells]
    try:
        codes = np.fromiter(map(known.get, cells, repeat(OUTSIDE)), dtype=np.int64, count=len(cells))
    except Exception:
        # A cell that cannot be looked up, such as a list: it alone is outside.
        codes = np.fromiter((_looked_up(known, cell) for cell in cells), dtype=np.int64, count=len(cells))
    seen: dict[str, int] = {}
    for at in np.flatnonzero(codes == OUTSIDE).tolist():
        cell = cells[at]
        if isinstance(cell, str):
            # A plain text, whatever a class of its own does when compared.
            cell = str.__str__(cell)
            code = seen.get(cell)
            if code is None:
                code = seen[cell] = _code_of_text(cell, categories)
            codes[at] = code
        elif is_missing(cell):
            codes[at] = LACKING
        elif not isinstance(cell, (int, float)) and (number := plain_number(cell)) is not None:
            codes[at] = categories.numbers.get(number, OUTSIDE)
    return codes


def _looked_up(known: dict[Any, int], cell: Any) -> int:
    try:
        return known.get(cell, OUTSIDE)
    except Exception:
        return OUTSIDE


def _code_of_text(text: str, categories: Categories) -> int:
    code = categories.code_of_text(text)
    if code is not None:
        return code
    number = csv_text.number(text)
    return LACKING if number is not None and number != number else OUTSIDE


def _numbers_of_objects(cells: list[Any]) -> tuple[NDArray[np.float64], NDArray[np.bool_] | None]:
    """Return cells of any type as numbers; the quick ways give what the slow one gives."""
    types = set(map(type, cells))
    try:
        if types <= {float, int, bool, type(None)}:
            return np.array(cells, dtype=np.float64), None
        if types <= {str, type(None)}:
            # Few different texts are read once each; a table of many costs more than reading them.
            repeated = len(set(cells[:_SAMPLE])) < _SAMPLE // 4
            distinct = dict.fromkeys(cells) if repeated else cells
            texts = [cell if cell else "nan" for cell in distinct]
            together = "".join(texts)
            if together.isascii() and not any(character in together for character in _UNLIKE):
                read: Any = map(float, texts)
                if repeated:
                    read = map(dict(zip(distinct, read, strict=True)).__getitem__, cells)
                return np.fromiter(read, dtype=np.float64, count=len(cells)), None
    except (ValueError, OverflowError):
        pass
    return _numbers_one_by_one(cells)


def _numbers_one_by_one(cells: list[Any]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    read = [_number(cell) for cell in cells]
    unreadable = np.fromiter((number is None for number in read), dtype=np.bool_, count=len(read))
    return np.array([0.0 if number is None else number for number in read], dtype=np.float64), unreadable


def _number(cell: Any) -> float | None:
    if isinstance(cell, str):
        number = csv_text.number(cell)
        truth = TRUTH.get(trim(cell).lower()) if number is None else None
        return number if truth is None else float(truth)
    if isinstance(cell, _NUMBERS) and not isinstance(cell, np.timedelta64):
        try:
            return float(cell)
        except OverflowError:
            return float("inf") if cell > 0 else float("-inf")
        except Exception:
            # The signalling NaN of decimals; numbers of other makers that cannot be read.
            return float("nan")
    if isinstance(cell, complex) and not cell.imag:
        # A column of integers of pandas beside one complex cell.
        return cell.real
    return float("nan") if is_missing(cell) else None

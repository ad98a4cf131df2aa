"""The identity of a row: persons and names without a public list, distinguished cell by cell.

A cell that is empty, "nan" or NaN names nobody and nothing. Columns of
pandas that NumPy holds change the types of cells for other rows: 1 becomes 1.0 beside a missing cell, and "01" beside
a text is 1 without it. There a text that spells a number is that number, and numbers beyond 2^53, which may have been
rounded, name nobody; "true" and "false" are the truth values 1 and 0. In all other columns text is that very text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.sources import csv_text
from dpselect.sources.categories import EXACT, TRUTH, exact_number, plain_number
from dpselect.sources.cell_types import OUTSIDE, is_missing
from dpselect.sources.distinct import Distinct

# How many attoseconds are in a unit.
_SECOND = 10**18
_UNITS = {
    "W": 604800 * _SECOND,
    "D": 86400 * _SECOND,
    "h": 3600 * _SECOND,
    "m": 60 * _SECOND,
    **{unit: 1000**power for power, unit in enumerate(("as", "fs", "ps", "ns", "us", "ms", "s"))},
}
Integers = NDArray[np.int64]
# What a text that stands for a missing cell ends with, if it has an end.
_ENDS = "nN \t"
# What pandas passes over around a number.
_SPACE = " \t\n\r\v\f"


def persons(column: Distinct) -> Integers:
    """Return a number for the person of every row, ``OUTSIDE`` where it names nobody, shape (n,).

    Whatever can be compared tells persons apart: text, numbers, bytes, dates.
    """
    return number_persons(column)[0]


def number_persons(column: Distinct) -> tuple[Integers, Sequence[Any] | NDArray[Any]]:
    """Return a number for the person of every row as :func:`persons`, and what tells apart the person of each."""
    kind = column.cells.dtype.kind
    if kind in "iu" and not column.retyped:
        return column.codes, column.cells
    if kind in "mM":
        codes = column.read(np.where(np.isnat(column.cells), OUTSIDE, np.arange(column.cells.size)))
        return codes, column.cells
    return _number_names(column, person_of)


def number_names(column: Distinct) -> tuple[Integers, list[Any]]:
    """Return a number for the name in every row, ``OUTSIDE`` where there is none, and the name of each number.

    Names are integers, other numbers, or text; how the container wrote them does not show: 1.0 is 1.
    """
    if column.cells.dtype.kind in "iu" and not column.retyped:
        return column.codes, column.cells.tolist()
    if column.cells.dtype.kind in "mM":
        return np.full(column.codes.size, OUTSIDE, dtype=np.int64), []
    return _number_names(column, name_of)


def _number_names(column: Distinct, read: Callable[[Any, bool], Any]) -> tuple[Integers, list[Any]]:
    known: dict[tuple[type, Any], int] = {}
    names = column.cells.tolist()
    if column.text and not column.retyped:
        meaning = np.arange(len(names))
        # Nothing else may be missing.
        meaning[
            [place for place, cell in enumerate(names) if not cell or (cell[-1] in _ENDS and read(cell, False) is None)]
        ] = OUTSIDE
        return column.read(meaning), names
    meaning = np.full(len(names), OUTSIDE, dtype=np.int64)
    for place, cell in enumerate(names):
        name = read(cell, column.retyped)
        if name is not None:
            meaning[place] = known.setdefault((type(name), name), len(known))
    return column.read(meaning), [name for _, name in known]


def person_of(cell: Any, retyped: bool = False) -> Any:
    """Return what tells a person apart, ``None`` where a cell names nobody."""
    cell = told_apart(cell)
    if isinstance(cell, (str, int, float)) or plain_number(cell) is not None:
        return name_of(cell, retyped)
    if isinstance(cell, np.generic):
        cell = cell.item()
    # What is left of numbers is not finite.
    number = isinstance(cell, (float, np.floating)) or (isinstance(cell, complex) and not cell.imag)
    return None if number or is_missing(cell) else cell


def name_of(cell: Any, retyped: bool = False) -> Any:
    """Return the name in a cell, ``None`` where there is none.

    >>> name_of(1.0), name_of("01"), name_of("01", retyped=True), name_of(" nan"), name_of([1])
    (1, '01', 1, None, None)
    """
    if isinstance(cell, str):
        cell = str.__str__(cell)
        number = csv_text.number(cell) if retyped or cell[-1:] in _ENDS else 0.0
        if number is not None and number != number:
            return None
        spelled = TRUTH.get(cell.lower(), exact_number(cell.strip(_SPACE))) if retyped else None
        return cell if spelled is None else _plain(spelled, retyped)
    number = plain_number(cell)
    return None if number is None else _plain(number, retyped)


def _plain(number: float, retyped: bool) -> float | None:
    """Return a number as an integer where it is one, ``None`` where it is none that can be trusted."""
    if number != number or abs(number) == np.inf or (retyped and abs(number) >= EXACT):
        return None
    return int(number) if number == int(number) else number


def in_public_order(names: list[Any]) -> Integers:
    """Return where names stand in an order that depends on none of them: numbers by size, then text by its signs."""
    order = sorted(range(len(names)), key=lambda place: (isinstance(names[place], str), names[place]))
    places = np.empty(len(names), dtype=np.int64)
    places[order] = np.arange(len(names))
    return places


def told_apart(cell: Any) -> Any:
    """Return what tells a moment or a span from others, ``None`` for NaT; any other cell as it is.

    >>> told_apart(np.datetime64("2020-01-01", "ns")) == told_apart(datetime(2020, 1, 1))
    True
    """
    if isinstance(cell, (datetime, timedelta)) and getattr(cell, "tzinfo", None) is None:
        # Those of pandas have nanoseconds.
        plain = np.datetime64 if isinstance(cell, datetime) else np.timedelta64
        cell = cell.asm8 if hasattr(cell, "asm8") else plain(cell)
    if not isinstance(cell, (np.datetime64, np.timedelta64)):
        return cell
    if np.isnat(cell):
        return None
    kind = type(cell)
    if kind is np.datetime64 and np.datetime_data(cell.dtype)[0] in "YM":
        cell = cell.astype("M8[D]")
    unit, count = np.datetime_data(cell.dtype)
    size = int(cell.astype(np.int64)) * count
    return (kind, size * _UNITS[unit]) if unit in _UNITS else (kind, unit, size)

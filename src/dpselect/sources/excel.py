"""Sheets of Excel files as text: every cell is spelled out by itself, so a sheet is read as a csv file is."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from dpselect.kernel.extras import not_installed
from dpselect.sources.categories import plain_number, spellings

ENDING = ".xlsx"
_ERRORS = ("#NULL", "#DIV/0", "#VALUE", "#REF", "#NAME", "#NUM", "#N/A")


def header(path: Path) -> list[str]:
    """Return the names of the columns of the first sheet, which no message may quote.

    Raises:
        ImportError: openpyxl is not installed.
        ValueError: not an Excel file, no names in the first row, or two alike.
    """
    return _names(path, _rows(path, 1))


def columns(path: Path, names: Sequence[Any]) -> dict[Any, Any]:
    """Return columns of the first sheet as arrow arrays of text, ``None`` where a cell is empty or an error.

    Whole numbers are spelled without a fraction, dates as 2024-01-31; of a formula, the value that was saved counts.

    Raises:
        ImportError, ValueError: as :func:`header`.
    """
    arrow = importlib.import_module("pyarrow")
    rows = _rows(path)
    there = _names(path, rows)
    wanted = {name: there.index(name) for name in names if name in there}
    cells = {
        name: [_spelled(row[place]) if place < len(row) else None for row in rows[1:]] for name, place in wanted.items()
    }
    return {name: arrow.chunked_array([arrow.array(each, arrow.string())]) for name, each in cells.items()}


def _rows(path: Path, most: int | None = None) -> list[tuple[Any, ...]]:
    """Return the first rows of the first sheet, all without ``most``.

    What the reader says when it fails may quote cells, so it is not repeated.
    """
    try:
        reader = importlib.import_module("openpyxl")
    except ImportError:
        raise not_installed("Reading Excel files needs openpyxl", "excel") from None
    with warnings.catch_warnings(), suppress(Exception):
        # They are about styles and cells.
        warnings.simplefilter("ignore")
        book = reader.load_workbook(path, read_only=True, data_only=True)
        try:
            return [*book.worksheets[0].iter_rows(max_row=most, values_only=True)]
        finally:
            book.close()
    raise ValueError(f"{path.name} is not a complete Excel file with a sheet.")


def _names(path: Path, rows: Sequence[tuple[Any, ...]]) -> list[str]:
    names = [_spelled(cell) for cell in rows[0]] if rows else []
    while names and names[-1] is None:
        names.pop()
    known = [name for name in names if name is not None]
    if not known or len(known) != len(names):
        raise ValueError(f"{path.name} has a first row with empty cells: it must name the columns.")
    if len({*known}) != len(known):
        raise ValueError(
            f"The first row of {path.name} holds the same name twice: it must name the columns, no two of them alike."
        )
    return known


def _spelled(cell: Any) -> str | None:
    """Return a cell as text, ``None`` where it is empty or an error of a formula."""
    if cell is None or cell == "":
        return None
    if isinstance(cell, str):
        return None if cell.startswith("#") and cell.rstrip("?!") in _ERRORS else cell
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, datetime):
        return (cell.date() if cell.time() == time() else cell).isoformat()
    if isinstance(cell, (date, time)):
        return cell.isoformat()
    number = plain_number(cell)
    return None if number is None else spellings(number)[0]

"""Sheets as text: every cell is spelled out by itself, so a sheet is read as a csv file is."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from dpselect.kernel.errors import InputError
from dpselect.sources import excel, ods
from dpselect.sources.dialects import PLAIN, Dialect
from dpselect.sources.sheet_rows import SheetRow

# What opens the rows of a sheet, by the ending of a file.
_READERS = {".xlsx": excel.open_workbook, ".ods": ods.open_document}
ENDINGS = tuple(_READERS)


def header(path: Path, sheet: str | None = None, dialect: Dialect = PLAIN) -> list[str]:
    """Return the names of the columns of a sheet, by default of the first, which no message may quote.

    Raises:
        ImportError: what reads such a file is not installed.
        ValueError: not a file of sheets, no names in the first row, or two alike.
    """
    with _open_sheet(path, sheet) as rows:
        return _names(path, _below(rows, dialect.skip_rows))


def columns(path: Path, names: Sequence[Any], sheet: str | None = None, dialect: Dialect = PLAIN) -> dict[Any, Any]:
    """Return columns of a sheet, by default of the first, as arrow arrays of text.

    A cell that is empty, wrong or an error is ``None``. Whole numbers are spelled without a fraction, dates as
    2024-01-31; of a formula, the value that was saved counts. Where ``"%"`` is a declared unit, a number that is shown
    as 42 % is spelled 42; otherwise .42, which is what the file holds. Each row that is written is a record, hidden or
    not, whatever number it states.

    Raises:
        ImportError, ValueError: as :func:`header`.
    """
    arrow = importlib.import_module("pyarrow")
    with _open_sheet(path, sheet) as rows:
        there = _names(path, _below(rows, dialect.skip_rows))
        places = {name: place for place, name in enumerate(there, 1)}
        wanted = {name: places[name] for name in names if name in places}
        cells: dict[Any, list[str | None]] = {name: [] for name in wanted}
        as_percent = "%" in dialect.unit
        for row in rows:
            for name, place in wanted.items():
                text = row.cells.get(place)
                cells[name].append(_of_percent(text) if as_percent and place in row.percents else text)
    return {name: arrow.chunked_array([arrow.array(each, arrow.string())]) for name, each in cells.items()}


def rows(path: Path, sheet: str | None = None, dialect: Dialect = PLAIN) -> Iterator[SheetRow]:
    """Yield the rows of a sheet below the names of its columns, for the curator alone.

    Raises:
        ImportError, ValueError: as :func:`header`.
    """
    with _open_sheet(path, sheet) as read:
        _names(path, _below(read, dialect.skip_rows))
        yield from read


def _open_sheet(path: Path, sheet: str | None) -> Any:
    return _READERS[path.suffix.lower()](path, sheet)


def _below(rows: Iterator[SheetRow], skipped: int) -> SheetRow:
    """Return the first row below so many rows, whether those are written or not."""
    return next((row for row in rows if row.number > skipped or not skipped), SheetRow())


def _of_percent(text: str | None) -> str | None:
    """Return a hundred times the number that a text spells, exactly."""
    try:
        return None if text is None else f"{(100 * Decimal(text)).normalize():f}"
    except ArithmeticError:
        return text


def _names(path: Path, first: SheetRow) -> list[str]:
    row = first.cells
    known = [row[place] for place in sorted(row)]
    if not known or [*sorted(row)] != [*range(1, len(known) + 1)]:
        raise InputError(
            f"{path.name} has a first row with empty cells, and it must name the columns: sheet names another sheet, "
            "and skip_rows says how many rows stand before the names."
        )
    if len({*known}) != len(known):
        raise InputError(
            f"The first row of {path.name} holds the same name twice: it must name the columns, no two of them alike, "
            "and skip_rows says how many rows stand before it."
        )
    return known

"""Sheets of Excel files as text: every cell is spelled out by itself, so a sheet is read as a csv file is."""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

from dpselect._optional import not_installed
from dpselect.sources import csv_text
from dpselect.sources.categories import plain_number, spellings
from dpselect.sources.dialects import PLAIN, Dialect

ENDING = ".xlsx"
# Formats of a file's own are numbered from here on; in them, quoted text says nothing about the format.
_OWN_FORMATS = 164
_QUOTED = re.compile(r'"[^"]*"|\\.')
_ERRORS = ("#NULL", "#DIV/0", "#VALUE", "#REF", "#NAME", "#NUM", "#N/A")


def header(path: Path, sheet: str | None = None, dialect: Dialect = PLAIN) -> list[str]:
    """Return the names of the columns of a sheet, by default of the first, which no message may quote.

    Raises:
        ImportError: openpyxl is not installed.
        ValueError: not an Excel file, no names in the first row, or two alike.
    """
    with _opened(path, sheet) as rows:
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
    with _opened(path, sheet) as rows:
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


@dataclass(frozen=True)
class SheetRow:
    """A row of a sheet.

    Attributes:
        number: which row it says it is; 0 where that is not a number.
        cells: texts by the number of their column.
        percents: the columns of numbers that are shown as percents.
        hidden: whether it is not shown.
    """

    number: int = 0
    cells: Mapping[int, str] = field(default_factory=dict)
    percents: frozenset[int] = frozenset()
    hidden: bool = False


def rows(path: Path, sheet: str | None = None, dialect: Dialect = PLAIN) -> Iterator[SheetRow]:
    """Yield the rows of a sheet below the names of its columns, for the curator alone.

    Raises:
        ImportError, ValueError: as :func:`header`.
    """
    with _opened(path, sheet) as read:
        _names(path, _below(read, dialect.skip_rows))
        yield from read


def _below(rows: Iterator[SheetRow], skipped: int) -> SheetRow:
    """Return the first row below so many rows, whether those are written or not."""
    return next((row for row in rows if row.number > skipped or not skipped), SheetRow())


@contextmanager
def _opened(path: Path, name: str | None) -> Iterator[Iterator[SheetRow]]:
    """Yield the rows of a sheet.

    What the reader says when it fails may quote cells, so it is not repeated.
    """
    try:
        reader = importlib.import_module("openpyxl")
    except ImportError:
        raise not_installed("Reading Excel files needs openpyxl", "excel") from None
    with warnings.catch_warnings():
        # They are about styles and cells.
        warnings.simplefilter("ignore")
        try:
            book = reader.load_workbook(path, read_only=True, data_only=True)
            sheets = {sheet.title: sheet for sheet in book.worksheets}
            sheet = book.worksheets[0] if name is None else sheets.get(name)
        except Exception:
            raise ValueError(_incomplete(path)) from None
        if sheet is None:
            book.close()
            raise ValueError(f"{path.name} has no sheet {name!r}: name one that it has, or leave it out for the first.")
        try:
            yield _rows(path, book, sheet)
        finally:
            book.close()


def _rows(path: Path, book: Any, sheet: Any) -> Iterator[SheetRow]:
    """Yield the cells of each row by itself.

    A sheet says how large it is, and some writers say it wrongly; and to openpyxl one wrong cell is a wrong sheet. So
    the rows are taken from the file as they come, and each cell is parsed alone.
    """
    parsing, tree = (importlib.import_module(f"openpyxl.{name}") for name in ("worksheet._reader", "xml.functions"))
    # Of openpyxl's parser these are what its own reading passes; tests/sources/test_excel.py would notice a change.
    formats = {"date_formats": book._date_formats, "timedelta_formats": book._timedelta_formats}
    percents = _percent_styles(book)
    with sheet._get_source() as source:
        parser = parsing.WorkSheetParser(source, sheet._shared_strings, data_only=True, epoch=book.epoch, **formats)
        elements = tree.iterparse(source)
        number = 0
        while True:
            try:
                _, element = next(elements)
            except StopIteration:
                return
            except Exception:
                raise ValueError(_incomplete(path)) from None
            if element.tag == parsing.ROW_TAG:
                number = csv_text.integer(element.get("r") or "") or number + 1
                yield _row(parser, element, number, percents)
                element.clear()


def _percent_styles(book: Any) -> frozenset[int]:
    """Return the styles of cells whose numbers are shown as percents."""
    formats = dict(importlib.import_module("openpyxl.styles.numbers").BUILTIN_FORMATS)
    formats |= dict(enumerate(map(str, book._number_formats), _OWN_FORMATS))
    shown = [formats.get(style.numFmtId, "") for style in book._cell_styles]
    return frozenset(place for place, text in enumerate(shown) if "%" in _QUOTED.sub("", text))


def _row(parser: Any, row: Any, number: int, percents: frozenset[int]) -> SheetRow:
    """Return a row; a cell that cannot be read is left out."""
    texts: dict[int, str] = {}
    shown = set()
    parser.row_counter, parser.col_counter = 1, 0
    for element in row:
        with suppress(Exception):
            # Parsed first, so that the cells behind it keep their places.
            cell = parser.parse_cell(element)
            # To a list of strings -1 would be its last.
            wrong = element.get("t") == "s" and "-" in "".join(element.itertext())
            text = None if wrong else _spelled(cell["value"])
            if text is not None:
                texts[cell["column"]] = text
                if cell["data_type"] == "n" and cell["style_id"] in percents:
                    shown.add(cell["column"])
    return SheetRow(number, texts, frozenset(shown), row.get("hidden") in ("1", "true"))


def _incomplete(path: Path) -> str:
    return f"{path.name} is not a complete Excel file with a sheet."


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
        raise ValueError(
            f"{path.name} has a first row with empty cells, and it must name the columns: sheet names another sheet, "
            "and skip_rows says how many rows stand before the names."
        )
    if len({*known}) != len(known):
        raise ValueError(
            f"The first row of {path.name} holds the same name twice: it must name the columns, no two of them alike, "
            "and skip_rows says how many rows stand before it."
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

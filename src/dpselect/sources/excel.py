"""Rows of sheets of Excel files: every cell is spelled out by itself."""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from dpselect._optional import not_installed
from dpselect.kernel.errors import InputError
from dpselect.sources import csv_text
from dpselect.sources.categories import plain_number, spellings
from dpselect.sources.sheet_rows import SheetRow, no_sheet

# Formats of a file's own are numbered from here on; in them, quoted text says nothing about the format.
_OWN_FORMATS = 164
_QUOTED_TEXT = re.compile(r'"[^"]*"|\\.')
_ERRORS = ("#NULL", "#DIV/0", "#VALUE", "#REF", "#NAME", "#NUM", "#N/A")


@contextmanager
def open_workbook(path: Path, name: str | None) -> Iterator[Iterator[SheetRow]]:
    """Yield the rows of a sheet, by default of the first.

    What the reader says when it fails may quote cells, so it is not repeated.

    Raises:
        ImportError: openpyxl is not installed.
        ValueError: not an Excel file, or no such sheet.
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
            raise InputError(_incomplete(path)) from None
        if sheet is None:
            book.close()
            raise no_sheet(path, name)
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
                raise InputError(_incomplete(path)) from None
            if element.tag == parsing.ROW_TAG:
                number = csv_text.integer(element.get("r") or "") or number + 1
                yield _row(parser, element, number, percents)
                element.clear()


def _percent_styles(book: Any) -> frozenset[int]:
    """Return the styles of cells whose numbers are shown as percents."""
    formats = dict(importlib.import_module("openpyxl.styles.numbers").BUILTIN_FORMATS)
    formats |= dict(enumerate(map(str, book._number_formats), _OWN_FORMATS))
    shown = [formats.get(style.numFmtId, "") for style in book._cell_styles]
    return frozenset(place for place, text in enumerate(shown) if "%" in _QUOTED_TEXT.sub("", text))


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
            text = None if wrong else _cell_text(cell["value"])
            if text is not None:
                texts[cell["column"]] = text
                if cell["data_type"] == "n" and cell["style_id"] in percents:
                    shown.add(cell["column"])
    return SheetRow(number, texts, frozenset(shown), row.get("hidden") in ("1", "true"))


def _incomplete(path: Path) -> str:
    return f"{path.name} is not a complete Excel file with a sheet."


def _cell_text(cell: Any) -> str | None:
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

"""Rows of sheets of OpenDocument files: every cell is spelled out by itself.

The file is read as it comes, an element at a time, by the parser of the standard library, which bounds what entities
may grow to. A cell says its value beside its text, and the value counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dpselect.kernel.errors import InputError
from dpselect.sources import csv_text
from dpselect.sources.categories import spellings
from dpselect.sources.sheet_rows import SheetRow, no_sheet

_OPEN = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
_TABLE, _OFFICE, _TEXT = (_OPEN % name for name in ("table", "office", "text"))
_ERROR_TYPE = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}value-type"
_CELLS = (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell")
_CONTENT_TAGS = (*_CELLS, f"{_TABLE}shapes")
_NUMBERS = ("float", "percentage", "currency")
# A sheet has no more rows, and no more columns, than these.
_ROWS, _COLUMNS = 2**20, 2**14


@contextmanager
def open_document(path: Path, name: str | None) -> Iterator[Iterator[SheetRow]]:
    """Yield the rows of a sheet, by default of the first.

    Raises:
        ValueError: not an OpenDocument file, or no such sheet.
    """
    import zipfile

    try:
        with zipfile.ZipFile(path) as packed, packed.open("content.xml") as content:
            yield _rows(path, content, name)
    except (zipfile.BadZipFile, KeyError, OSError, RuntimeError, EOFError):
        # Nothing that is said of a file that breaks off, or has a password, is repeated.
        raise InputError(_incomplete(path)) from None


def _rows(path: Path, content: Any, name: str | None) -> Iterator[SheetRow]:
    """Yield the rows of a sheet; those behind the last one with a cell are not records."""
    tables, inside, is_there = 0, False, False
    number, waiting, depth = 0, 0, 0
    for event, element in _elements(path, content):
        # A cell or a picture may hold tables and rows of its own, which are none of the sheet.
        if element.tag in _CONTENT_TAGS:
            depth += 1 if event == "start" else -1
        elif depth:
            continue
        elif element.tag == f"{_TABLE}table":
            if event == "start":
                inside = element.get(f"{_TABLE}name") == name if name is not None else tables == 0
                is_there, tables = is_there or inside, tables + 1
            elif inside:
                return
        elif event == "end" and element.tag == f"{_TABLE}table-row":
            many = _repeat_count(element, "rows", _ROWS)
            if inside:
                cells, percents = _cells(element)
                if not cells:
                    waiting, many = waiting + many, 0
                else:
                    for _ in range(min(waiting, _ROWS)):
                        number += 1
                        yield SheetRow(number)
                    waiting = 0
                hidden = element.get(f"{_TABLE}visibility") in ("collapse", "filter")
                for _ in range(many):
                    number += 1
                    yield SheetRow(number, cells, percents, hidden)
            element.clear()
    if not is_there:
        raise InputError(_incomplete(path)) if name is None else no_sheet(path, name)


def _elements(path: Path, content: Any) -> Iterator[tuple[str, Any]]:
    """Yield elements as they begin and end (``ValueError``: this is not such a file)."""
    import zipfile
    from xml.etree import ElementTree

    try:
        yield from ElementTree.iterparse(content, ("start", "end"))
    except (ElementTree.ParseError, zipfile.BadZipFile, OSError, ValueError, EOFError):
        raise InputError(_incomplete(path)) from None


def _repeat_count(element: Any, what: str, most: int) -> int:
    """Return how often a row or a cell stands there, once where that is not said."""
    many = csv_text.integer(element.get(f"{_TABLE}number-{what}-repeated") or "1")
    return min(max(1 if many is None else many, 1), most)


def _cells(row: Any) -> tuple[dict[int, str], frozenset[int]]:
    """Return the texts of a row by the number of their column, and the columns that are shown as percents."""
    texts: dict[int, str] = {}
    percents, place = set(), 0
    for element in row:
        if element.tag not in _CELLS:
            continue
        many = min(_repeat_count(element, "columns", _COLUMNS), _COLUMNS - place)
        try:
            text = _cell_text(element)
        except Exception:
            # A text of a thousand elements in each other: it is this cell's own.
            text = None
        for column in range(place + 1, place + many + 1):
            if text is None:
                break
            texts[column] = text
            if element.get(f"{_OFFICE}value-type") == "percentage":
                percents.add(column)
        place += many
    return texts, frozenset(percents)


def _cell_text(cell: Any) -> str | None:
    """Return a cell as text, ``None`` where it is empty, an error, or says a value that is none of its kind."""
    kind = cell.get(f"{_OFFICE}value-type")
    if cell.get(_ERROR_TYPE) == "error":
        return None
    if kind in _NUMBERS:
        number = csv_text.number(cell.get(f"{_OFFICE}value") or "")
        return None if number is None or number != number else spellings(number)[0]
    if kind == "date":
        day, _, time = (cell.get(f"{_OFFICE}date-value") or "").partition("T")
        return (day if not time.strip("0:.,") else f"{day}T{time}") or None
    if kind == "boolean":
        return cell.get(f"{_OFFICE}boolean-value") or None
    if kind == "time":
        return cell.get(f"{_OFFICE}time-value") or None
    said = cell.get(f"{_OFFICE}string-value")
    paragraphs = [_paragraph_text(each) for each in cell if each.tag == f"{_TEXT}p"]
    return (said if said is not None else "\n".join(paragraphs)) or None


def _paragraph_text(element: Any) -> str:
    """Return the text of a paragraph; several spaces, tabs and line breaks are elements there."""
    parts = [element.text or ""]
    for each in element:
        if each.tag == f"{_TEXT}s":
            many = csv_text.integer(each.get(f"{_TEXT}c") or "1") or 1
            parts.append(" " * min(max(many, 1), _COLUMNS))
        elif each.tag in (f"{_TEXT}tab", f"{_TEXT}line-break"):
            parts.append("\t" if each.tag.endswith("tab") else "\n")
        else:
            parts.append(_paragraph_text(each))
        parts.append(each.tail or "")
    return "".join(parts)


def _incomplete(path: Path) -> str:
    return f"{path.name} is not a complete OpenDocument file with a sheet."

"""Files of OpenDocument sheets, written by hand as programs of offices write them."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

_NAMES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
)
_CALC = 'xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'


def cell(value: Any) -> str:
    """A cell; text that is marked as XML stands as it is."""
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, str) and value.startswith("<table:"):
        return value
    if isinstance(value, bool):
        return f'<table:table-cell office:value-type="boolean" office:boolean-value="{str(value).lower()}"/>'
    if isinstance(value, (int, float)):
        number = f'office:value-type="float" office:value="{value!r}"'
        return f"<table:table-cell {number}><text:p>x</text:p></table:table-cell>"
    if isinstance(value, (date, datetime)):
        return f'<table:table-cell office:value-type="date" office:date-value="{value.isoformat()}"/>'
    return f'<table:table-cell office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'


def row(cells: Sequence[Any], more: str = "") -> str:
    """A row; ``more`` is what it says of itself."""
    return f"<table:table-row{more}>{''.join(map(cell, cells))}</table:table-row>"


def sheet(rows: Sequence[Any], name: str = "Sheet1") -> str:
    """A sheet of rows, which are lists of cells, or XML."""
    written = "".join(each if isinstance(each, str) else row(each) for each in rows)
    # Programs fill the sheet up with empty rows.
    rest = '<table:table-row table:number-rows-repeated="1048000"/>'
    return f'<table:table table:name="{name}">{written}{rest}</table:table>'


def ods_file(path: Path, rows: Sequence[Any], *sheets: str) -> Path:
    """A file of a sheet of these rows, and of others."""
    body = "".join([sheet(rows), *sheets])
    content = f"<office:document-content {_NAMES} {_CALC}><office:body>{body}</office:body></office:document-content>"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        packed.writestr("content.xml", content)
    return path

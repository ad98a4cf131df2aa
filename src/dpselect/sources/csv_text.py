"""Csv files as text: no row decides what the cells of another row are.

Every column is read as text, and whoever knows the public domain makes numbers of it. Commas separate, double quotes
quote, and both are constants: a separator that is guessed from the rows would be one that rows decide.
"""

from __future__ import annotations

import csv
import importlib
import io
import re
from pathlib import Path
from typing import Any

from dpselect.sources.locators import missing, without_secrets

ENDINGS = (".csv", ".csv.gz")

# Decimal numbers as engines and languages write them; no underscores, no digits of other scripts. The words are what
# floats are written as. :func:`float` reads all of these, and DuckDB's TRY_CAST reads the same value.
DECIMAL = "[ \t]*[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?[ \t]*"
ENDLESS = "[ \t]*[+-]?([iI][nN][fF]([iI][nN][iI][tT][yY])?)[ \t]*"
# What stands for a missing number. The signs are what some languages write.
LACKING = "[ \t]*([+-]?[nN][aA][nN])?[ \t]*"

_NUMBER = re.compile(f"{DECIMAL}|{ENDLESS}")
_LACKING = re.compile(LACKING)


def number(text: str) -> float | None:
    """Return the number that a text spells, ``None`` where it spells none, and NaN where it is empty or "nan".

    >>> number("01000"), number(" 1e3"), number("1_000"), number("")
    (1000.0, 1000.0, None, nan)
    """
    if _NUMBER.fullmatch(text):
        return float(text)
    return float("nan") if _LACKING.fullmatch(text) else None


def header(path: str | Path) -> list[str]:
    """Return the names of the columns, which are public as a schema is.

    Raises:
        FileNotFoundError, ImportError: no such file; pyarrow is not installed.
        ValueError: another kind of file, or two columns of the same name.
    """
    path = Path(path)
    if not path.name.lower().endswith(ENDINGS):
        shown = without_secrets(str(path))
        raise ValueError(f"{shown} is not a table: pass a file that ends in .csv, .csv.gz or .parquet.")
    if not path.is_file():
        raise missing(path)
    try:
        with _arrow().input_stream(str(path), compression="detect") as stream:
            # Text is decoded by the block, and the first block may hold cells of any bytes.
            lines = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
            names = next(csv.reader(lines), [])
    except (OSError, csv.Error):
        raise ValueError(_malformed(path)) from None
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"{path.name} has two columns called {twice!r}: give every column a name of its own.")
    return names


def columns(path: str | Path, names: list[str]) -> dict[str, Any]:
    """Return columns of a csv file as arrow arrays of text, ``None`` where a cell is empty.

    Columns that the file lacks are left out, and so are lines with more or fewer cells than the header. Bytes that are
    not UTF-8 are replaced, cell by cell: one line never decides whether the others are read.

    Raises:
        FileNotFoundError, ImportError, ValueError: as :func:`header`.
    """
    path = Path(path)
    present = [name for name in header(path) if name in names]
    if not present:
        return {}
    arrow, reader = _arrow(), importlib.import_module("pyarrow.csv")
    try:
        table = reader.read_csv(
            path,
            parse_options=reader.ParseOptions(newlines_in_values=True, invalid_row_handler=lambda _: "skip"),
            convert_options=reader.ConvertOptions(
                include_columns=present,
                column_types=dict.fromkeys(present, arrow.binary()),
                strings_can_be_null=True,
                null_values=[""],
            ),
        )
    except (arrow.ArrowException, OSError):
        raise ValueError(_malformed(path)) from None
    return {name: _text(table[name]) for name in present}


def _text(cells: Any) -> Any:
    arrow = _arrow()
    try:
        return cells.cast(arrow.string())
    except arrow.ArrowInvalid:
        decoded = [None if cell is None else cell.decode(errors="replace") for cell in cells.to_pylist()]
        return arrow.chunked_array([arrow.array(decoded, arrow.string())])


def _malformed(path: Path) -> str:
    return f"{path.name} is not a table of comma separated values with a header line in UTF-8."


def _arrow() -> Any:
    try:
        return importlib.import_module("pyarrow")
    except ImportError:
        raise ImportError('Reading tables needs pyarrow: python -m pip install "dpselect[graph]".') from None

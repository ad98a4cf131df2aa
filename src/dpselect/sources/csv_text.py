"""Csv files as text: no row decides what the cells of another row are.

Every column is read as text, and the code that knows the public domain turns it into numbers. Double quotes quote
unless tabs separate, and the separator is declared (:mod:`dpselect.sources.dialects`): if it were guessed, rows would
decide it.
"""

from __future__ import annotations

import codecs
import csv
import importlib
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dpselect._optional import not_installed
from dpselect.sources.dialects import PLAIN, Dialect, clauses
from dpselect.sources.locators import missing, no_table, without_secrets

ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")

# Decimal numbers as engines and languages write them; no underscores, no digits of other scripts. The words are what
# floats are written as. :func:`float` reads all of these, and DuckDB's TRY_CAST reads the same value.
# Each is written so that a text is read in one pass: two repetitions of the same sign in a row would take the square
# of the length of one cell, and that cell would decide whether a fit ends.
DECIMAL = "[ \t]*[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?[ \t]*"
ENDLESS = "[ \t]*[+-]?([iI][nN][fF]([iI][nN][iI][tT][yY])?)[ \t]*"
# What stands for a missing number. The signs are what some languages write.
LACKING = "[ \t]*([+-]?[nN][aA][nN][ \t]*)?"

# A line must fit a block. One long cell is not what a file fails for, so larger blocks are tried.
_BLOCKS = (2**20, 2**26, 2**31 - 1)

_NUMBER = re.compile(f"{DECIMAL}|{ENDLESS}")
_LACKING = re.compile(LACKING)
_INTEGER = re.compile("[ \t]*([+-]?)0*([0-9]{1,19})[ \t]*")


def number(text: str) -> float | None:
    """Return the number that a text spells, ``None`` where it spells none, and NaN where it is empty or "nan".

    >>> number("01000"), number(" 1e3"), number("1_000"), number("")
    (1000.0, 1000.0, None, nan)
    """
    if _NUMBER.fullmatch(text):
        return float(text)
    return float("nan") if _LACKING.fullmatch(text) else None


def integer(text: str) -> int | None:
    """Return the integer of 64 bits that a text spells, ``None`` where it spells none.

    Stricter than int(), which also takes "1_0" and digits of other scripts, and refuses thousands of zeros.

    >>> integer("007"), integer("-1"), integer("1.0"), integer("0x10"), integer("9223372036854775808")
    (7, -1, None, None, None)
    """
    written = _INTEGER.fullmatch(text)
    if written is None:
        return None
    value = int(written[1] + written[2])
    return value if -(2**63) <= value < 2**63 else None


def header(path: str | Path, dialect: Dialect = PLAIN) -> list[str]:
    """Return the names of the columns, which no message may quote: perhaps the first line is a person's record.

    Raises:
        FileNotFoundError, ImportError: no such file; pyarrow is not installed.
        ValueError: another kind of file, no columns, two of the same name, or names in another encoding.
    """
    path = Path(path)
    if not path.name.lower().endswith(ENDINGS):
        shown = without_secrets(str(path))
        raise no_table(path, shown, "a file that ends in .csv, .csv.gz, .tsv, .xlsx or .parquet")
    if not path.is_file():
        raise missing(path)
    try:
        with _opened(path) as stream:
            # Text is decoded by the block, and the first block may hold cells of any bytes: each byte is a letter here.
            lines = io.TextIOWrapper(stream, encoding="latin-1", newline="")
            if dialect.quotes(path):
                rows = csv.reader(lines, delimiter=dialect.of(path))
            else:
                rows = csv.reader(lines, delimiter=dialect.of(path), quoting=csv.QUOTE_NONE)
            raw = next(rows, None)
    except (OSError, csv.Error):
        raise ValueError(_malformed(path)) from None
    names = None if raw is None else _decoded(path, [name.encode("latin-1") for name in raw], dialect)
    if not names:
        what = "is empty" if names is None else "begins with an empty line"
        raise ValueError(f"{path.name} {what}: its first line must name the columns.")
    if not dialect.quotes(path) and any('"' in name for name in names):
        raise ValueError(
            f"The first line of {path.name} holds double quotes, which do not quote between tabs: save the table "
            "without them, or with commas or semicolons."
        )
    if len({*names}) < len(names):
        # Perhaps this line is a person's record, so nothing of it is quoted.
        raise ValueError(
            f"The first line of {path.name} holds the same name twice: it must name the columns, no two of them alike."
        )
    return names


def columns(path: str | Path, names: list[str], dialect: Dialect = PLAIN) -> dict[str, Any]:
    """Return columns of a csv file as arrow arrays of text, ``None`` where a cell is empty.

    Columns that the file lacks are left out. A line with more or fewer cells than the header is a record whose cells
    are all empty, and a cell that does not decode is empty too: one line never decides how others are read.

    Raises:
        FileNotFoundError, ImportError, ValueError: as :func:`header`.
    """
    path = Path(path)
    every = header(path, dialect)
    wanted = {*names}
    present = {name: place for place, name in enumerate(every) if name in wanted}
    if not present:
        return {}
    form = _Form(path, dialect, len(every), tuple(present.values()))
    table = None
    for block in _BLOCKS:
        table = table if table is not None else _read(form, block)
    if table is None:
        raise ValueError(_malformed(path))
    return {name: dialect.text(table[place]) for place, name in enumerate(present)}


def _decoded(path: Path, raw: list[bytes], dialect: Dialect) -> list[str]:
    """Return the names of the columns; a first line in another encoding says that of every cell of the file."""
    try:
        return [name.decode(dialect.encoding) for name in raw]
    except UnicodeDecodeError:
        names = [name.decode("ascii", errors="replace") for name in raw]
        raise ValueError(f"The first line of {path.name} {clauses(names)}.") from None


@dataclass(frozen=True)
class _Form:
    """Which columns of a file are read, by their places: names may be bytes that are not UTF-8."""

    path: Path
    dialect: Dialect
    width: int
    wanted: tuple[int, ...]


def _read(form: _Form, block: int) -> Any:
    """Return columns of a file, ``None`` where it cannot be read, perhaps because a cell is longer than a block.

    A line of another length keeps its place: a malformed record is a record all the same, and their number is public
    where one record is replaced.
    """
    table = _table(form, block)
    if table is not None:
        return table
    skipped: list[int] = []
    table = _table(form, block, skipped)
    if table is None:
        return None
    arrow = _arrow()
    mask = np.ones(table.num_rows + len(skipped), dtype=np.bool_)
    # The header is the first line.
    mask[np.array(skipped, dtype=np.int64) - 2] = False
    table = table.take(arrow.array(mask.cumsum() - 1, mask=~mask))
    return arrow.table([_raw(column) for column in table.columns], names=table.column_names)


def _table(form: _Form, block: int, skipped: list[int] | None = None) -> Any:
    """Return columns of bytes; lines of another length fail, or are noted in ``skipped`` where that is passed.

    What is noted holds the line as UTF-8. So the bytes of the file then pass for Latin-1, in which each is a letter,
    and :func:`_raw` undoes that.
    """
    arrow, reader = _arrow(), importlib.import_module("pyarrow.csv")
    wanted = [*map(str, form.wanted)]

    def skip(row: Any) -> str:
        assert skipped is not None
        skipped.append(row.number)
        return "skip"

    careful = skipped is not None
    try:
        with _opened(form.path) as stream:
            return reader.read_csv(
                stream,
                read_options=reader.ReadOptions(
                    block_size=block,
                    # Only one thread knows the numbers of lines.
                    use_threads=not careful,
                    column_names=[*map(str, range(form.width))],
                    skip_rows_after_names=1,
                    encoding="latin-1" if careful else "utf8",
                ),
                # An empty line is a record without cells.
                parse_options=reader.ParseOptions(
                    delimiter=form.dialect.of(form.path),
                    quote_char='"' if form.dialect.quotes(form.path) else False,
                    newlines_in_values=form.dialect.quotes(form.path),
                    ignore_empty_lines=False,
                    invalid_row_handler=skip if careful else None,
                ),
                convert_options=reader.ConvertOptions(
                    include_columns=wanted,
                    column_types=dict.fromkeys(wanted, arrow.binary()),
                    strings_can_be_null=True,
                    null_values=[""],
                ),
            )
    except (arrow.ArrowException, OSError):
        return None


def _opened(path: Path) -> Any:
    """Return the bytes of a file without the mark of UTF-8 before them, unpacked."""
    arrow = _arrow()
    with arrow.input_stream(str(path), compression="detect") as stream:
        marked = stream.read(3) == codecs.BOM_UTF8
    stream = arrow.input_stream(str(path), compression="detect")
    if marked:
        stream.read(3)
    return stream


def _raw(cells: Any) -> Any:
    """Return the bytes that passed for Latin-1."""
    arrow = _arrow()
    coded = cells.combine_chunks().dictionary_encode()
    texts = [None if text is None else text.decode().encode("latin-1") for text in coded.dictionary.to_pylist()]
    return arrow.chunked_array([arrow.array(texts, arrow.binary()).take(coded.indices)])


def _malformed(path: Path) -> str:
    return f"{path.name} is not a table of separated values with a header line."


def _arrow() -> Any:
    try:
        return importlib.import_module("pyarrow")
    except ImportError:
        raise not_installed("Reading tables needs pyarrow", "graph") from None

"""Csv files as text: no row decides what the cells of another row are.

Every column is read as text, and the code that knows the public domain turns it into numbers. Double quotes quote
unless tabs separate, and the separator is declared (:mod:`dpselect.sources.dialects`): if it were guessed, rows would
decide it. A file is read in blocks of whole records (:mod:`dpselect.sources.text_blocks`), a few at a time.
"""

from __future__ import annotations

import codecs
import csv
import importlib
import io
import os
import re
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from dpselect._optional import not_installed
from dpselect.kernel.errors import Advice, InputError
from dpselect.sources.dialects import PLAIN, Dialect, clauses, trim
from dpselect.sources.text_blocks import TextForm, blocks, first_record, other_widths, sound, stays_open
from dpselect.sources.urls import missing, no_table, without_secrets

ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz")

# Decimal numbers as engines and languages write them; no underscores, no digits of other scripts. The words are what
# floats are written as. :func:`float` reads all of these, and DuckDB's TRY_CAST reads the same value.
# Each is written so that a text is read in one pass: two repetitions of the same sign in a row would take the square
# of the length of one cell, and that cell would decide whether a fit ends.
DECIMAL = "[ \t]*[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?[ \t]*"
ENDLESS = "[ \t]*[+-]?([iI][nN][fF]([iI][nN][iI][tT][yY])?)[ \t]*"
# What stands for a missing number. The signs are what some languages write.
LACKING = "[ \t]*([+-]?[nN][aA][nN][ \t]*)?"

# Names beside which several columns may have none.
_FEWEST = 2
# So many separators at the ends of all records of a block are looked for at once.
_MOST_ENDS = 2**8
# Blocks are parsed by so many threads at most; each holds a few copies of one.
_THREADS = 4

_NUMBER = re.compile(f"{DECIMAL}|{ENDLESS}")
_LACKING = re.compile(LACKING)
_INTEGER = re.compile("[ \t]*([+-]?)0*([0-9]{1,19})[ \t]*")


def number(text: str) -> float | None:
    """Return the number that a text spells, ``None`` where it spells none, and NaN where it is empty or "nan".

    >>> number("01000"), number(" 1e3"), number("1_000"), number(""), number("\u22121\u00a0")
    (1000.0, 1000.0, None, nan, -1.0)
    """
    written = text if text.isascii() else trim(text)
    if _NUMBER.fullmatch(written):
        return float(written)
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
    """Return the names of the columns, which no message may quote: perhaps the first record is that of a person.

    Raises:
        FileNotFoundError, ImportError: no such file; pyarrow is not installed.
        ValueError: another kind of file, no columns, two of the same name, or names in another encoding.
    """
    path = Path(path)
    if not path.name.lower().endswith(ENDINGS):
        shown = without_secrets(str(path))
        raise no_table(
            path, shown, "a file that ends in .csv, .tsv, .jsonl, .xlsx, .ods, .parquet, .feather, .sav or .dta"
        )
    if not path.is_file():
        raise missing(path)
    form = _form(path, dialect)
    record = next((first_record(block, form) for block in _blocks(path, form)), None)
    if record is not None and stays_open(record, form):
        raise InputError(
            Advice(
                "The first line of {file} closes no quote: where cells have line breaks, pass "
                "{line_breaks=True|--line-breaks}.",
                file=path.name,
            )
        )
    raw = None if record is None else _cells(record, form)
    names = None if raw is None else _column_names(path, [name.encode("latin-1") for name in raw], dialect)
    if not names:
        what = "is empty" if names is None else "begins with an empty line"
        raise InputError(f"{path.name} {what}: its first line must name the columns.")
    if not dialect.quotes(path) and any('"' in name for name in names):
        raise InputError(
            f"The first line of {path.name} holds double quotes, which do not quote between tabs: save the table "
            "without them, or with commas or semicolons."
        )
    # Columns at the end of a sheet may have no names; beside a single name they are those of a title.
    named = [name for name in names if name]
    if len({*named}) < len(named) or (len(named) < _FEWEST and len({*names}) < len(names)):
        # Perhaps this line is a person's record, so nothing of it is quoted.
        raise InputError(
            f"The first line of {path.name} holds the same name twice: it must name the columns, no two of them alike, "
            "and skip_rows says how many lines stand before it."
        )
    return names


def columns(path: str | Path, names: list[str], dialect: Dialect = PLAIN) -> dict[str, Any]:
    """Return columns of a csv file as arrow arrays of text, ``None`` where a cell is empty.

    Columns that the file lacks are left out. A line with more or fewer cells than the header is a record whose cells
    are all empty; empty cells at its end, as separators behind the last one make them, are not counted. A cell that
    does not decode is empty too: one line never decides how others are read.

    Raises:
        FileNotFoundError, ImportError, ValueError: as :func:`header`.
    """
    arrow = _arrow()
    there = {*header(path, dialect)}
    present = [name for name in dict.fromkeys(names) if name in there]
    if not present:
        return {}
    read = [*batches(path, present, dialect)]
    if not read:
        return {name: arrow.chunked_array([], arrow.string()) for name in present}
    table = arrow.concat_tables(read)
    return {name: table[place] for place, name in enumerate(present)}


def batches(path: str | Path, names: list[str], dialect: Dialect = PLAIN) -> Iterator[Any]:
    """Yield arrow tables of columns of a csv file, in order: text, as :func:`columns` returns it.

    A few blocks of the file are in memory at a time, whatever its size. All of the columns must be there.

    Raises:
        FileNotFoundError, ImportError, ValueError: as :func:`header`.
    """
    path = Path(path)
    every = header(path, dialect)
    form = _form(path, dialect, len(every))
    places = {name: place for place, name in enumerate(every)}
    parse = partial(_parse_block, path, dialect, form, {name: places[name] for name in names})
    threads = min(_THREADS, os.cpu_count() or 1)
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Any]] = deque()
        for place, block in enumerate(_blocks(path, form)):
            rest = block if place else block[len(first_record(block, form)) :]
            if rest:
                waiting.append(pool.submit(parse, rest))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def line_widths(path: str | Path, dialect: Dialect = PLAIN) -> tuple[int, Counter[int]]:
    """Return how many columns there are, and how many lines have another number of cells: private, for a check alone.

    Raises:
        FileNotFoundError, ImportError, ValueError: as :func:`header`.
    """
    path = Path(path)
    form, found = _form(path, dialect, len(header(path, dialect))), Counter[int]()
    for place, block in enumerate(_blocks(path, form)):
        rest = block if place else block[len(first_record(block, form)) :]
        found += other_widths(rest, form) if rest else Counter()
    return form.width, found


def _form(path: Path, dialect: Dialect, width: int = 0) -> TextForm:
    """Return how the records of a file are written."""
    return TextForm(dialect.of(path).encode(), width, dialect.quotes(path), dialect.line_breaks, dialect.skip_rows)


def _blocks(path: Path, form: TextForm) -> Iterator[bytes]:
    """Yield the blocks of a file (``ValueError``: it cannot be unpacked)."""
    try:
        with _open_bytes(path) as stream:
            yield from blocks(stream, form)
    except OSError:
        raise InputError(_malformed_message(path)) from None


def _cells(record: bytes, form: TextForm) -> list[str] | None:
    """Return the cells of the first record, each byte a letter; ``None`` where they are too long to be names."""
    text = record.decode("latin-1")
    if not form.quotes:
        return text.rstrip("\n").split(form.separator.decode()) if text.strip("\n") else []
    return next(csv.reader(io.StringIO(text, newline=""), delimiter=form.separator.decode()), None)


def _column_names(path: Path, raw: list[bytes], dialect: Dialect) -> list[str]:
    """Return the names of the columns; a first line in another encoding says that of every cell of the file."""
    try:
        return [name.decode(dialect.encoding) for name in raw]
    except UnicodeDecodeError:
        names = [name.decode("ascii", errors="replace") for name in raw]
        raise InputError(f"The first line of {path.name} {clauses(names)}.") from None


def _parse_block(path: Path, dialect: Dialect, form: TextForm, wanted: dict[str, int], block: bytes) -> Any:
    """Return columns of text of a block of records."""
    arrow = _arrow()
    table = _table(sound(block, form), form, [*wanted.values()])
    if table is None:
        table = _of_equal_ends(block, form, [*wanted.values()])
    if table is None:
        table = _table(sound(block, form, ragged=True), form, [*wanted.values()])
    if table is None:
        raise InputError(_malformed_message(path))
    return arrow.table([dialect.text(cells) for cells in table.columns], names=[*wanted])


def _of_equal_ends(block: bytes, form: TextForm, wanted: list[int]) -> Any:
    """Return columns of a block whose records all end in as many separators of empty cells; ``None`` of any other."""
    more = first_record(block, form).count(form.separator) - (form.width - 1)
    if not 1 <= more <= _MOST_ENDS or (form.quotes and b'"' in block):
        return None
    ends = [*range(form.width, form.width + more)]
    table = _table(block, replace(form, width=form.width + more), [*wanted, *ends])
    if table is None or any(cells.null_count < len(cells) for cells in table.columns[len(wanted) :]):
        return None
    return table.select([*range(len(wanted))])


def _table(block: bytes, form: TextForm, wanted: list[int]) -> Any:
    """Return columns of bytes by their places, since names may not be UTF-8; ``None`` where records differ in width."""
    arrow, reader = _arrow(), importlib.import_module("pyarrow.csv")
    places = [*map(str, wanted)]
    try:
        return reader.read_csv(
            arrow.BufferReader(block),
            read_options=reader.ReadOptions(
                # One block: a cell may be as long as it is.
                block_size=len(block) + 1,
                use_threads=False,
                column_names=[*map(str, range(form.width))],
            ),
            # An empty line is a record without cells.
            parse_options=reader.ParseOptions(
                delimiter=form.separator.decode(),
                quote_char='"' if form.quotes else False,
                newlines_in_values=form.quotes and form.line_breaks,
                ignore_empty_lines=False,
            ),
            convert_options=reader.ConvertOptions(
                include_columns=places,
                column_types=dict.fromkeys(places, arrow.binary()),
                strings_can_be_null=True,
                null_values=[""],
            ),
        )
    except arrow.ArrowException:
        return None


def _open_bytes(path: Path) -> Any:
    """Return the bytes of a file without the mark of UTF-8 before them, unpacked (``ValueError``: UTF-16)."""
    arrow = _arrow()
    with arrow.input_stream(str(path), compression="detect") as stream:
        mark = stream.read(3)
    if mark.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{path.name} is in UTF-16, which is not read here: save the table as UTF-8.")
    stream = arrow.input_stream(str(path), compression="detect")
    if mark == codecs.BOM_UTF8:
        stream.read(3)
    return stream


def _malformed_message(path: Path) -> str:
    return f"{path.name} is not a table of separated values with a header line."


def _arrow() -> Any:
    try:
        return importlib.import_module("pyarrow")
    except ImportError:
        raise not_installed("Reading tables needs pyarrow", "graph") from None

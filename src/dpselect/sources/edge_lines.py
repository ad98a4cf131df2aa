"""Edges in text without a header: each line is read by itself, and is its first two fields."""

from __future__ import annotations

import codecs
import gzip
import importlib
import io
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby, islice
from pathlib import Path
from typing import IO, Any

from dpselect._optional import not_installed

_BLOCK = 2**20
# Two fields, of which the first begins no comment. And a line that is blank or a comment.
_EDGE = r"^[ \t]*(?P<source>[^ \t,;#%][^ \t,;]*)(?:[ \t]*[,;][ \t]*|[ \t]+)(?P<target>[^ \t,;]+)"
_NOTHING = r"^[ \t]*($|[#%])"
_LABEL = re.compile(r"[^ \t\r\n,;#%][^ \t\r\n,;]*")
# The most bytes that the other reader takes at once.
_LARGEST = 2**31 - 1
_COMMENT = re.compile(rb"^[ \t]*[#%][^\n]*", re.MULTILINE)


def fields(path: Path, *, integers: bool = False) -> tuple[list[Any], int]:
    """Return arrow tables of sources and targets, in the order of the lines, and how many lines are not edges.

    White space, a comma or a semicolon ends a field; what follows the second is ignored. Blank lines, and lines that
    begin with ``#`` or ``%``, are comments.

    Args:
        path: the file.
        integers: ids are integers, so a block of nothing but pairs of digits may come as such. Fields are text else.

    Raises:
        ImportError, ValueError: pyarrow is not installed; not a complete gzip file.
    """
    try:
        arrow = importlib.import_module("pyarrow")
    except ImportError:
        raise not_installed("Edge files need pyarrow", "graph") from None
    tables, dropped = [], 0
    for block in _blocks(path):
        table, wrong = (_pairs(block) if integers else None), 0
        if table is None:
            table, wrong = _fields(block)
        tables.append(table)
        dropped += wrong
    return [arrow.concat_tables([*alike]) for _, alike in groupby(tables, lambda table: table.schema)], dropped


def _fields(block: bytes) -> tuple[Any, int]:
    """Return the first two fields of each line as text, and how many lines are not edges."""
    arrow, compute = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.compute")
    lines = arrow.array(_lines(block), arrow.large_string())
    found = compute.extract_regex(lines, _EDGE)
    is_edge = found.is_valid()
    nothing = compute.match_substring_regex(lines.filter(compute.invert(is_edge)), _NOTHING)
    table = arrow.table([*found.flatten()], names=["source", "target"]).filter(is_edge)
    return table, len(nothing) - (compute.sum(nothing).as_py() or 0)


def _pairs(block: bytes) -> Any:
    """Return a block of nothing but pairs of integers and comments; ``None`` for all else.

    Whatever it returns, :func:`_fields` reads the same, and it is asked again for the whole block otherwise: so a line
    decides how fast its block is read, and never how.
    """
    arrow, reader = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.csv")
    plain = _COMMENT.sub(b"", block) if b"#" in block or b"%" in block else block
    # Signs, quotes, and 0x10 are left to the other reader, and so is a block without any digits.
    if len(plain) >= _LARGEST or plain.translate(None, b"0123456789 \t\n") or not plain.strip():
        return None
    kept = arrow.int64()
    try:
        return reader.read_csv(
            io.BytesIO(plain),
            read_options=reader.ReadOptions(column_names=["source", "target"], block_size=len(plain) + 1),
            parse_options=reader.ParseOptions(delimiter="\t" if b"\t" in plain else " ", quote_char=False),
            convert_options=reader.ConvertOptions(column_types={"source": kept, "target": kept}, null_values=[]),
        )
    except arrow.ArrowException:
        return None


def is_field(label: str) -> bool:
    """Return whether a label can be either end of an edge: nothing in it ends a field or a line, or is a comment.

    >>> is_field("ann-lee"), is_field("ann lee"), is_field("#7")
    (True, False, False)
    """
    return _LABEL.fullmatch(label) is not None


def unread(path: Path, is_edge: Callable[[Sequence[str]], bool], most: int) -> list[str]:
    """Return the first lines that are neither comments nor edges; they are private.

    Raises:
        ValueError: not a complete gzip file.
    """
    edge, nothing = re.compile(_EDGE), re.compile(_NOTHING)
    lines = (line for block in _blocks(path) for line in _lines(block) if not nothing.match(line))
    wrong = (line for line in lines if (found := edge.match(line)) is None or not is_edge(found.groups()))
    return [*islice(wrong, most)]


@contextmanager
def opened(path: Path) -> Iterator[IO[str]]:
    """Yield a text, unpacked; what is not UTF-8 spoils its own line.

    Raises:
        ValueError: not a complete gzip file.
    """
    # No public label holds the sign that stands for what is not UTF-8.
    with _unpacked(path) as stream, io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace") as lines:
        yield lines


@contextmanager
def _unpacked(path: Path) -> Iterator[gzip.GzipFile | io.BufferedReader]:
    try:
        with gzip.open(path, "rb") if path.name.lower().endswith(".gz") else path.open("rb") as stream:
            yield stream
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise ValueError(f"{path.name} is not a complete gzip file.") from None


def _blocks(path: Path) -> Iterator[bytes]:
    """Yield whole lines of a file, many at a time, each but the last ended by a line feed."""
    with _unpacked(path) as stream:
        begun = [stream.read(len(codecs.BOM_UTF8)).removeprefix(codecs.BOM_UTF8)]
        while block := stream.read(_BLOCK):
            whole, newline, rest = block.rpartition(b"\n")
            if newline:
                yield _ended(b"".join([*begun, whole]))
                begun = []
            begun.append(rest)
        yield _ended(b"".join(begun))


def _ended(block: bytes) -> bytes:
    """Return lines that are ended as Python ends them when it reads a text."""
    return block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in block else block


def _lines(block: bytes) -> list[str]:
    return block.decode("utf-8", errors="replace").split("\n")

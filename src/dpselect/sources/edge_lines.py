"""Edges in text without a header: each line is read by itself, its first two fields as ends, the third as a weight."""

from __future__ import annotations

import codecs
import gzip
import importlib
import io
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import IO, Any

from dpselect._optional import not_installed
from dpselect.kernel.errors import InputError

ENDINGS = (".txt", ".txt.gz", ".edges", ".edges.gz")
_BLOCK = 2**20
# Two fields, of which the first begins no comment, and a third. And a line that is blank or a comment.
_GAP = r"(?:[ \t]*[,;][ \t]*|[ \t]+)"
_EDGE = rf"^[ \t]*(?P<source>[^ \t,;#%][^ \t,;]*){_GAP}(?P<target>[^ \t,;]+)"
_WEIGHT = rf"(?:{_GAP}(?P<weight>[^ \t,;]+))?"
_WEIGHTED_LINE = re.compile(_EDGE + _WEIGHT)
_NOTHING = r"^[ \t]*($|[#%])"
_LABEL = re.compile(r"[^ \t\r\n,;#%][^ \t\r\n,;]*")
# The most bytes that the other reader takes at once.
_LARGEST = 2**31 - 1
_COMMENT = re.compile(rb"^[ \t]*[#%][^\n]*", re.MULTILINE)
# The first line of a KONECT file: whether edges have directions, and what their weights are.
_FORM = re.compile(r"%+[ \t]*(sym|asym|bip)[ \t]+([a-z]+)[ \t]*(\n|$)")


def is_directed(path: Path) -> bool | None:
    """Return whether the first line says that edges have directions; ``None`` where it says nothing.

    That is the first line of a KONECT file, such as ``% asym positive``.

    Raises:
        ValueError: it says that the two ends are numbered apart; not a complete gzip file.
    """
    form = _form(path)
    if form == "bip":
        raise InputError(
            f"The first line of {path.name} says that its edges join nodes of two kinds (bip), which are numbered "
            "apart: give those of the second column other numbers or names, and delete that line."
        )
    return None if form is None else form == "asym"


def require_weights(path: Path) -> None:
    """Refuse a file whose first line says that edges have no weights (``ValueError``)."""
    if _form(path, 2) == "unweighted":
        raise InputError(f"The first line of {path.name} says that its edges have no weights: rank by another metric.")


def _form(path: Path, word: int = 1) -> str | None:
    with open_text(path) as lines:
        found = _FORM.match(next(lines, ""))
    return None if found is None else found[word]


def fields(path: Path, *, integers: bool = False, weights: bool = False, skipped: int = 0) -> tuple[list[Any], int]:
    """Return arrow tables of sources and targets, in the order of the lines, and how many lines are not edges.

    White space, a comma or a semicolon ends a field; what follows the second, or the third where weights are wanted, is
    ignored. Blank lines, and lines that begin with ``#`` or ``%``, are comments.

    Args:
        path: the file.
        integers: ids are integers, so a block of nothing but pairs of digits may come as such. Fields are text else.
        weights: a third column, ``weight``, holds the third field, empty where there is none.
        skipped: how many lines come before the first that may be an edge.

    Raises:
        ImportError, ValueError: pyarrow is not installed; not a complete gzip file.
    """
    try:
        arrow = importlib.import_module("pyarrow")
    except ImportError:
        raise not_installed("Edge files need pyarrow", "graph") from None
    tables, dropped = [], 0
    for block in _behind(_blocks(path), skipped):
        table, wrong = (_numbers(block, weights=weights) if integers else None), 0
        if table is None:
            table, wrong = _fields(block, weights=weights)
        tables.append(table)
        dropped += wrong
    return [arrow.concat_tables([*alike]) for _, alike in groupby(tables, lambda table: table.schema)], dropped


def _fields(block: bytes, *, weights: bool = False) -> tuple[Any, int]:
    """Return the first fields of each line as text, and how many lines are not edges."""
    arrow, compute = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.compute")
    lines = arrow.array(_lines(block), arrow.large_string())
    found = compute.extract_regex(lines, _EDGE + (_WEIGHT if weights else ""))
    is_edge = found.is_valid()
    nothing = compute.match_substring_regex(lines.filter(compute.invert(is_edge)), _NOTHING)
    table = arrow.table([*found.flatten()], names=["source", "target", "weight"][: 2 + weights]).filter(is_edge)
    return table, len(nothing) - (compute.sum(nothing).as_py() or 0)


def _numbers(block: bytes, *, weights: bool = False) -> Any:
    """Return a block of nothing but integers in columns, and comments; ``None`` for all else.

    What follows the second column may be fractions. Whatever it returns, :func:`_fields` reads the same, and it is
    asked again for the whole block otherwise: so a line decides how fast its block is read, and never how.
    """
    arrow, reader = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.csv")
    plain = _COMMENT.sub(b"", block) if b"#" in block or b"%" in block else block
    first = plain.lstrip().partition(b"\n")[0]
    # Quotes, and 0x10 are left to the other reader, and so is a block without any digits.
    if len(plain) >= _LARGEST or plain.translate(None, b"0123456789 \t\n.,+-eE") or not first:
        return None
    separator = next((sign for sign in (b"\t", b",") if sign in first), b" ")
    width, least = first.count(separator) + 1, 2 + weights
    if width < least:
        return None
    wanted = {"source": arrow.int64(), "target": arrow.int64(), "weight": arrow.string()}
    try:
        table = reader.read_csv(
            io.BytesIO(plain),
            read_options=reader.ReadOptions(
                column_names=[*wanted, *map(str, range(width))][:width], block_size=len(plain) + 1
            ),
            parse_options=reader.ParseOptions(delimiter=separator.decode(), quote_char=False),
            convert_options=reader.ConvertOptions(
                column_types=wanted, include_columns=[*wanted][:least], null_values=[], strings_can_be_null=False
            ),
        )
    except arrow.ArrowException:
        return None
    return table if not weights or _are_fields(table["weight"]) else None


def _are_fields(cells: Any) -> bool:
    compute = importlib.import_module("pyarrow.compute")
    return bool(compute.all(compute.match_substring_regex(cells, "^[^ \t,;]+$")).as_py())


def is_field(label: str) -> bool:
    """Return whether a label can be either end of an edge: nothing in it ends a field or a line, or is a comment.

    >>> is_field("ann-lee"), is_field("ann lee"), is_field("#7")
    (True, False, False)
    """
    return _LABEL.fullmatch(label) is not None


def edge(line: str) -> tuple[str, str, str | None] | None:
    """Return the first three fields of a line, ``None`` for a third that is not there, or for what is not an edge.

    >>> edge("1 2 0.5"), edge("1,2"), edge("1")
    (('1', '2', '0.5'), ('1', '2', None), None)
    """
    found = _WEIGHTED_LINE.match(line)
    return None if found is None else (found[1], found[2], found[3])


def wrong(path: Path, is_edge: Callable[[Sequence[str]], bool], skipped: int = 0) -> Iterator[str]:
    """Yield the lines that are neither comments nor edges; they are private.

    Raises:
        ValueError: not a complete gzip file.
    """
    first, nothing = re.compile(_EDGE), re.compile(_NOTHING)
    lines = (line for block in _behind(_blocks(path), skipped) for line in _lines(block) if not nothing.match(line))
    yield from (line for line in lines if (found := first.match(line)) is None or not is_edge(found.groups()))


@contextmanager
def open_text(path: Path) -> Iterator[IO[str]]:
    """Yield a text, unpacked; what is not UTF-8 spoils its own line.

    Raises:
        ValueError: not a complete gzip file.
    """
    # No public label holds the sign that stands for what is not UTF-8.
    with _open_unpacked(path) as stream, io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace") as lines:
        yield lines


def is_utf16(path: Path) -> bool:
    """Return whether a file begins with the mark of UTF-16 (``ValueError``: not a complete gzip file)."""
    with _open_unpacked(path) as stream:
        return stream.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@contextmanager
def _open_unpacked(path: Path) -> Iterator[gzip.GzipFile | io.BufferedReader]:
    try:
        with gzip.open(path, "rb") if path.name.lower().endswith(".gz") else path.open("rb") as stream:
            yield stream
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise InputError(f"{path.name} is not a complete gzip file.") from None


def _blocks(path: Path) -> Iterator[bytes]:
    """Yield whole lines of a file, many at a time, each but the last ended by a line feed."""
    with _open_unpacked(path) as stream:
        begun = [stream.read(len(codecs.BOM_UTF8)).removeprefix(codecs.BOM_UTF8)]
        while block := stream.read(_BLOCK):
            whole, newline, rest = block.rpartition(b"\n")
            if newline:
                yield _end_lines(b"".join([*begun, whole]).removesuffix(b"\r"))
                begun = []
            begun.append(rest)
        yield _end_lines(b"".join(begun))


def _behind(blocks: Iterable[bytes], lines: int) -> Iterator[bytes]:
    """Yield what follows so many lines."""
    for block in blocks:
        rest: bytes | None = block
        while lines and rest is not None:
            _, newline, after = rest.partition(b"\n")
            rest = after if newline else None
            lines -= 1
        yield rest or b""


def _end_lines(block: bytes) -> bytes:
    """Return lines that are ended as Python ends them when it reads a text."""
    return block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in block else block


def _lines(block: bytes) -> list[str]:
    return block.decode("utf-8", errors="replace").split("\n")

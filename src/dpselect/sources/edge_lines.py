"""Edges in text without a header: each line is read by itself, and is its first two fields."""

from __future__ import annotations

import gzip
import importlib
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any

from dpselect._optional import not_installed

_BLOCK = 2**20
# Two fields, of which the first begins no comment. And a line that is blank or a comment.
_EDGE = r"^[ \t]*(?P<source>[^ \t,;#%][^ \t,;]*)(?:[ \t]*[,;][ \t]*|[ \t]+)(?P<target>[^ \t,;]+)"
_NOTHING = r"^[ \t]*($|[#%])"


def fields(path: Path) -> tuple[Any, int]:
    """Return an arrow table of the sources and targets as text, and how many lines are not edges.

    White space, a comma or a semicolon ends a field; what follows the second is ignored. Blank lines, and lines that
    begin with ``#`` or ``%``, are comments.

    Raises:
        ImportError, ValueError: pyarrow is not installed; not a complete gzip file.
    """
    try:
        arrow, compute = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.compute")
    except ImportError:
        raise not_installed("Edge files need pyarrow", "graph") from None
    tables, dropped = [], 0
    for block in _blocks(path):
        lines = arrow.array(block, arrow.large_string())
        found = compute.extract_regex(lines, _EDGE)
        is_edge = found.is_valid()
        nothing = compute.match_substring_regex(lines.filter(compute.invert(is_edge)), _NOTHING)
        dropped += len(nothing) - (compute.sum(nothing).as_py() or 0)
        tables.append(arrow.table([*found.flatten()], names=["source", "target"]).filter(is_edge))
    return arrow.concat_tables(tables), dropped


def unread(path: Path, is_edge: Callable[[Sequence[str]], bool], most: int) -> list[str]:
    """Return the first lines that are neither comments nor edges; they are private.

    Raises:
        ValueError: not a complete gzip file.
    """
    edge, nothing = re.compile(_EDGE), re.compile(_NOTHING)
    lines = (line for block in _blocks(path) for line in block if not nothing.match(line))
    wrong = (line for line in lines if (found := edge.match(line)) is None or not is_edge(found.groups()))
    return [*islice(wrong, most)]


@contextmanager
def opened(path: Path) -> Iterator[IO[str]]:
    """Yield a text, unpacked; what is not UTF-8 spoils its own line.

    Raises:
        ValueError: not a complete gzip file.
    """
    opener: Callable[..., IO[str]] = gzip.open if path.name.lower().endswith(".gz") else open
    try:
        # No public label holds the sign that stands for what is not UTF-8.
        with opener(path, "rt", encoding="utf-8-sig", errors="replace") as lines:
            yield lines
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise ValueError(f"{path.name} is not a complete gzip file.") from None


def _blocks(path: Path) -> Iterator[list[str]]:
    """Yield the lines of a file, many at a time."""
    with opened(path) as lines:
        begun: list[str] = []
        while block := lines.read(_BLOCK):
            whole, newline, rest = block.rpartition("\n")
            if newline:
                yield "".join([*begun, whole]).split("\n")
                begun = []
            begun.append(rest)
        yield "".join(begun).split("\n")

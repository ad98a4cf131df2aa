"""Lines of JSON as text: one object on each line, whose keys are the names of columns; ``a.b`` is a key in an object.

Each line is a record and is read by itself. No line names the columns for the others, so no column is missing: one
that a line lacks is an empty cell of that line, and a name that no line has is a column of empty cells, which ``check``
says.
"""

from __future__ import annotations

import importlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dpselect.kernel.errors import InputError

ENDINGS = (".jsonl", ".jsonl.gz", ".ndjson")
# Lines that are parsed at a time, and bytes that are read at a time.
_LINES, _BYTES = 2**16, 2**20
# Objects in objects, and different keys, that are looked at for a check.
_DEEPEST, _KEYS = 8, 10_000


class AnyName(list[str]):
    """The names of the columns of such a file: none is listed, and each may be asked about."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)

    def count(self, name: object) -> int:
        """Return 1: no name stands there twice."""
        return int(name in self)


def names(path: Path) -> AnyName:  # noqa: ARG001
    """Return the names of the columns."""
    return AnyName()


def batches(path: Path, wanted: Sequence[Any]) -> Iterator[dict[Any, Any]]:
    """Yield columns as arrow arrays of text, a part of the lines at a time.

    A line that is not an object is a record whose cells are all empty. Numbers are spelled as they are written, truth
    values as ``true`` and ``false``; what is ``null``, a list or an object is an empty cell.

    Raises:
        ValueError: the file cannot be unpacked.
    """
    arrow = importlib.import_module("pyarrow")
    # Numbers stay as they are written, whatever their size.
    decoder = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str)
    cells: dict[Any, list[str | None]] = {name: [] for name in wanted}
    many = 0
    for line in _lines(path):
        read = _object(decoder, line) or {}
        for name, column in cells.items():
            column.append(_value_text(_value(read, name)))
        many += 1
        if many == _LINES:
            yield _arrays(arrow, cells)
            cells, many = {name: [] for name in wanted}, 0
    if many:
        yield _arrays(arrow, cells)


def columns(path: Path, wanted: Sequence[Any]) -> dict[Any, Any]:
    """Return columns as :func:`batches` does, at once."""
    arrow = importlib.import_module("pyarrow")
    read = [*batches(path, wanted)]
    return {name: arrow.chunked_array([each[name].chunk(0) for each in read], arrow.string()) for name in wanted}


def keys(path: Path) -> tuple[Counter[str], int]:
    """Return how many lines have each key, and how many lines are not objects: private, for a check alone.

    Raises:
        ValueError: as :func:`batches`.
    """
    decoder, result, others = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=str), Counter[str](), 0
    for line in _lines(path):
        read = _object(decoder, line)
        others += read is None
        result.update(name for name in {*_leaves(read or {})} if name in result or len(result) < _KEYS)
    return result, others


def _leaves(held: dict[str, Any], before: str = "", depth: int = 1) -> Iterator[str]:
    """Yield the keys whose values are not objects, those in objects as ``a.b``."""
    for name, value in held.items():
        if isinstance(value, dict) and value and depth < _DEEPEST:
            yield from _leaves(value, f"{before}{name}.", depth + 1)
        else:
            yield before + name


def _value(held: dict[str, Any], name: Any) -> Any:
    """Return the value of a key, or of a key in an object: of ``a.b``, that of ``a.b`` itself where there is one."""
    if name in held or "." not in str(name):
        return held.get(name)
    for place in (place for place, sign in enumerate(name) if sign == "."):
        inner = held.get(name[:place])
        value = _value(inner, name[place + 1 :]) if isinstance(inner, dict) else None
        if value is not None:
            return value
    return None


def _arrays(arrow: Any, cells: dict[Any, list[str | None]]) -> dict[Any, Any]:
    return {name: arrow.chunked_array([arrow.array(column, arrow.string())]) for name, column in cells.items()}


def _object(decoder: json.JSONDecoder, line: bytes) -> dict[str, Any] | None:
    """Return the object of a line, ``None`` where it holds something else."""
    try:
        read = decoder.decode(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


def _value_text(value: Any) -> str | None:
    """Return a value as text, ``None`` where it is not a single value, or holds half of a surrogate pair."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str) or not value:
        return None
    try:
        value.encode()
    except UnicodeEncodeError:
        return None
    return value


def _lines(path: Path) -> Iterator[bytes]:
    """Yield lines without their ends; one that is empty is a record, too, but not the end of the last one."""
    arrow = importlib.import_module("pyarrow")
    try:
        with arrow.input_stream(str(path), compression="detect") as stream:
            begun: list[bytes] = []
            first = True
            while part := stream.read(_BYTES):
                if first:
                    part, first = part.removeprefix(b"\xef\xbb\xbf"), False
                lines = part.split(b"\n")
                if len(lines) > 1:
                    yield b"".join([*begun, lines[0]])
                    yield from lines[1:-1]
                    begun = []
                begun.append(lines[-1])
            if any(begun):
                yield b"".join(begun)
    except OSError:
        raise InputError(f"{path.name} is not a complete file of lines.") from None

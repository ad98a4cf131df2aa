"""Tables in several files of one kind, named by a pattern such as ``part-*.parquet``, one after the other by name."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dpselect.kernel.errors import InputError
from dpselect.sources.urls import missing


def are_in(path: Path) -> bool:
    """Return whether a path is a pattern: a file whose name holds ``*`` is that file."""
    return "*" in path.name and not path.is_file()


def files(path: Path) -> list[Path]:
    """Return the files that match, sorted by name.

    Raises:
        FileNotFoundError: none does.
    """
    result = sorted(each for each in path.parent.glob(path.name) if each.is_file())
    if not result:
        raise missing(path)
    return result


def header(path: Path, of_one: Callable[[Path], list[str]]) -> list[str]:
    """Return the names of the columns, which all files share.

    Raises:
        FileNotFoundError, ValueError: no file matches; other columns in one of them.
    """
    first, *others = files(path)
    names = of_one(first)
    for other in others:
        if of_one(other) != names:
            raise InputError(
                f"{other.name} and {first.name} have different columns: give all parts the same, in order."
            )
    return names


def join_parts(path: Path, of_one: Callable[[Path], Mapping[Any, Any]]) -> dict[Any, Any]:
    """Return the columns of all files, as arrow arrays.

    Raises:
        FileNotFoundError, ValueError: no file matches; a column of another type in one of them.
    """
    arrow = importlib.import_module("pyarrow")
    paths = files(path)
    read = [of_one(each) for each in paths]
    result = {}
    for name in read[0]:
        chunks = [chunk for each in read for chunk in _chunks(each[name])]
        if len({chunk.type for chunk in chunks}) > 1:
            raise unlike(name, path)
        result[name] = arrow.chunked_array(chunks, read[0][name].type)
    return result


def unlike(name: Any, path: Path) -> ValueError:
    """Return what refuses a column whose type differs between files."""
    return InputError(
        f"Column {name!r} has another type in some of the files that match {path.name}: give all of them one."
    )


def _chunks(column: Any) -> list[Any]:
    return column.chunks if hasattr(column, "chunks") else [column]

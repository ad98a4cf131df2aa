"""Files that say themselves how they are written and whose cells are spelled out as text, by their endings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dpselect.sources import json_lines, plink, sheets, statistics_files
from dpselect.sources.dialects import Dialect

_OTHERS = {each: module for module in (json_lines, plink, statistics_files) for each in module.ENDINGS}
ENDINGS = (*sheets.ENDINGS, *_OTHERS)


def header(path: Path, sheet: str | None, dialect: Dialect) -> list[str]:
    """Return the names of the columns.

    Raises:
        ImportError: what reads such a file is not installed.
        ValueError: not a complete file of its kind.
    """
    module = _other(path)
    return sheets.header(path, sheet, dialect) if module is None else module.names(path)


def columns(path: Path, names: Sequence[Any], sheet: str | None, dialect: Dialect) -> dict[Any, Any]:
    """Return columns as arrow arrays of text; those that the file lacks are left out (errors as :func:`header`)."""
    module = _other(path)
    return sheets.columns(path, names, sheet, dialect) if module is None else module.columns(path, names)


def batches(path: Path, names: Sequence[Any], sheet: str | None, dialect: Dialect) -> Iterator[dict[Any, Any]]:
    """Yield columns as arrow arrays of text, a part of the rows at a time; a sheet is read at once.

    Raises:
        ImportError, ValueError: as :func:`header`.
    """
    module = _other(path)
    if module is None:
        yield sheets.columns(path, names, sheet, dialect)
    else:
        yield from module.batches(path, names)


def _other(path: Path) -> Any:
    """Return the module of a file that is not one of sheets."""
    name = path.name.lower()
    return next((module for ending, module in _OTHERS.items() if name.endswith(ending)), None)

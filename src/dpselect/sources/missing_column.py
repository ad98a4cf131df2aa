"""The message when a table lacks a column.

The first line of a csv file names its columns, or is the first person's record where somebody forgot the names: no
message quotes it. Parquet files, frames and engines have a schema, which is public.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from dpselect.kernel.errors import InputError
from dpselect.sources.dialects import advice
from dpselect.sources.urls import is_url

# So many columns are named in a message.
_MOST_SHOWN = 20
# Files whose first line, and no schema, names the columns.
_BEFORE = "skip_rows or --skip-rows says how many lines stand before it"
_SHEETS = (".xlsx", ".ods")
_CSV = (".csv", ".csv.gz", ".tsv", ".tsv.gz", *_SHEETS)


def no_column(name: Any, names: Sequence[Any], source: Any = None) -> ValueError:
    """Return what refuses a column that a table lacks.

    Args:
        name: the column that was asked for.
        names: the columns that there are.
        source: the file or files that the table is in, if any.
    """
    return InputError(f"The table has no column {name!r}: {available_columns(names, source, name)}.")


def available_columns(names: Sequence[Any], source: Any = None, name: Any = None) -> str:
    """Return which columns there are, or how many the first line of a csv file names, which lacks the wanted one."""
    if not in_csv(source):
        more = ", ..." if len(names) > _MOST_SHOWN else ""
        return f"it has {', '.join(map(repr, names[:_MOST_SHOWN]))}{more}"
    # A sheet has no separators.
    advised = "" if _is(source, _SHEETS) else advice([*map(str, names)])
    if advised:
        return advised
    if name is not None and _plain(name) in map(_plain, names):
        return "the first line of the file has that name, written otherwise: capitals and blanks matter"
    if len(names) == 1:
        return f"the first line of the file must name the columns, and names only one here ({_BEFORE})"
    many = f"none of the {len(names)} here is called that"
    return f"the first line of the file must name the columns, and {many} ({_BEFORE})"


def _plain(name: Any) -> str:
    """Return a name without what people mix up: capitals, and blanks anywhere."""
    return "".join(str(name).casefold().split())


def in_csv(source: Any) -> bool:
    """Return whether a table is in a csv file, or in several."""
    return _is(source, _CSV)


def _is(source: Any, endings: tuple[str, ...]) -> bool:
    paths = source if isinstance(source, (list, tuple)) else [source]
    return any(isinstance(path, (str, Path)) and _file_name(path).lower().endswith(endings) for path in paths)


def _file_name(path: str | Path) -> str:
    """Return the end of a path, or of an address without what follows its path."""
    return Path(unquote(urlsplit(path).path) if isinstance(path, str) and is_url(path) else path).name

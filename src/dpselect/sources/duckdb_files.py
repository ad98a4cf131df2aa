"""Files that DuckDB reads where they are: which they are, what their columns are called, whether they changed."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dpselect.kernel.errors import InputError
from dpselect.sources import csv_text
from dpselect.sources.dialects import PLAIN
from dpselect.sources.missing_column import in_csv
from dpselect.sources.urls import missing, no_table, without_secrets

_ENDINGS = (".parquet", *csv_text.ENDINGS)
# Far beyond what DuckDB allows unasked, so that one long cell is not what a query fails for; four lines fit a buffer.
_LONGEST, _BUFFER = 2**24, 2**26


def files(path: Path) -> list[Path]:
    """Return the files that a path names, sorted; its last part may hold ``*``.

    Raises:
        FileNotFoundError, ValueError: no such file; another kind of file.
    """
    if not path.name.lower().endswith(_ENDINGS):
        shown = without_secrets(str(path))
        raise no_table(path, shown, "files that end in .parquet, .csv, .csv.gz or .tsv, or a URL")
    paths = sorted(path.parent.glob(path.name)) if "*" in path.name else [path]
    if not paths or not all(file.is_file() for file in paths):
        raise missing(path)
    return paths


def is_csv(paths: Sequence[Path]) -> bool:
    """Return whether these are csv files, whose columns are text."""
    return in_csv([*paths])


def columns(paths: Sequence[Path]) -> list[str]:
    """Return the names of the columns, no two of which are the same: DuckDB would rename the second.

    Raises:
        ValueError: two columns of one name; csv files of different columns; not a complete parquet file.
    """
    if is_csv(paths) and len({PLAIN.of(file) for file in paths}) > 1:
        raise InputError("Some of the files end in .csv and some in .tsv: name files of one kind.")
    names = [_columns(file) for file in paths]
    if is_csv(paths) and any(others != names[0] for others in names):
        raise InputError("The csv files have different columns: give all of them the same, in the same order.")
    return names[0]


def open_duckdb() -> Any:
    """Return a DuckDB of our own, whose rows beyond memory go to a folder that only this user may open.

    Unasked, DuckDB would write them into the working folder.
    """
    import ibis

    try:
        folder = tempfile.mkdtemp(prefix="dpselect-duckdb-")
    except OSError:
        # Nowhere to write: what is beyond memory fails, before anything is spent.
        return ibis.duckdb.connect(temp_directory="")
    backend = ibis.duckdb.connect(temp_directory=folder)
    weakref.finalize(backend, shutil.rmtree, folder, ignore_errors=True)
    return backend


def read(backend: Any, files: Sequence[Path], names: Sequence[str]) -> Any:
    """Return the table, unread. Csv files are text by constants: no type and no separator is guessed from rows.

    A line that is not like the others is read as far as it goes or left out, by itself.
    """
    paths = [str(file) for file in files]
    if not is_csv(files):
        return backend.read_parquet(paths)
    sign = '"' if PLAIN.quotes(files[0]) else ""
    return backend.read_csv(
        paths,
        header=True,
        auto_detect=False,
        columns=dict.fromkeys(names, "VARCHAR"),
        delim=PLAIN.of(files[0]),
        quote=sign,
        escape=sign,
        nullstr="",
        ignore_errors=True,
        # In strict mode a stray quote takes lines of others with it.
        strict_mode=False,
        max_line_size=_LONGEST,
        buffer_size=_BUFFER,
    )


def write_times(paths: Sequence[Path]) -> str:
    """Return when files were written: a fact that may be recorded, where their sizes would reveal records."""
    times = [(file.name, file.stat().st_mtime_ns) for file in paths]
    return f"files {hashlib.sha256(repr(times).encode()).hexdigest()[:16]}"


def state(paths: Sequence[Path]) -> str:
    """Return what changes when a file is written to. Never recorded: sizes tell how many records there are."""
    states = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in paths]
    return f"files {hashlib.sha256(repr(states).encode()).hexdigest()[:16]}"


def _columns(file: Path) -> list[str]:
    if not file.name.lower().endswith(".parquet"):
        return csv_text.header(file)
    import pyarrow
    from pyarrow import parquet

    try:
        names: list[str] = parquet.read_schema(file).names
    except (pyarrow.ArrowException, OSError):
        raise InputError(f"{file.name} is not a complete parquet file.") from None
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        raise InputError(f"{file.name} has two columns called {twice!r}: give every column a name of its own.")
    return names

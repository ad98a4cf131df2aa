"""Files that DuckDB reads where they are: which they are, what their columns are called, whether they changed."""

from __future__ import annotations

import hashlib
import importlib
import weakref
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from dpselect.kernel.errors import InputError
from dpselect.sources import csv_text
from dpselect.sources.dialects import PLAIN
from dpselect.sources.missing_column import in_csv
from dpselect.sources.urls import missing, no_table, without_secrets

_ENDINGS = (".parquet", *csv_text.ENDINGS)


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
    import shutil
    import tempfile

    import ibis

    try:
        folder = tempfile.mkdtemp(prefix="dpselect-duckdb-")
    except OSError:
        # Nowhere to write: what is beyond memory fails, before anything is spent.
        return ibis.duckdb.connect(temp_directory="")
    backend = ibis.duckdb.connect(temp_directory=folder)
    weakref.finalize(backend, shutil.rmtree, folder, ignore_errors=True)
    return backend


class _TextRows:
    """The rows of csv files, read anew for each query, a few blocks at a time."""

    def __init__(self, files: Sequence[Path], names: Sequence[str]) -> None:
        self._files, self._names = files, [*names]

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        pyarrow = importlib.import_module("pyarrow")
        schema = pyarrow.schema([(name, pyarrow.string()) for name in self._names])
        tables = (table for file in self._files for table in csv_text.batches(file, self._names))
        parts = (part for table in tables for part in table.to_batches())
        return pyarrow.RecordBatchReader.from_batches(schema, parts).__arrow_c_stream__(requested_schema)


def read(backend: Any, files: Sequence[Path], names: Sequence[str]) -> Any:
    """Return these columns of a table, unread. Csv files are text, which our reader reads: one line is one record."""
    if not is_csv(files):
        return backend.read_parquet([str(file) for file in files])[[*names]]
    name = f"text_{uuid4().hex}"
    backend.con.register(name, _TextRows(files, names))
    return backend.table(name)


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
    pyarrow, parquet = (importlib.import_module(name) for name in ("pyarrow", "pyarrow.parquet"))
    try:
        names: list[str] = parquet.read_schema(file).names
    except (pyarrow.ArrowException, OSError):
        raise InputError(f"{file.name} is not a complete parquet file.") from None
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        raise InputError(f"{file.name} has two columns called {twice!r}: give every column a name of its own.")
    return names

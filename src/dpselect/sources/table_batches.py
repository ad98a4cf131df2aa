"""Columns of table files, read in batches of rows, for every kind of file."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from dpselect.kernel.errors import InputError
from dpselect.sources import arrow_text, csv_text, feather, file_parts, spelled_files
from dpselect.sources.column_choice import ColumnChoice
from dpselect.sources.file_kinds import has_schema, is_feather, is_parquet, is_typed
from dpselect.sources.missing_column import no_column
from dpselect.sources.statistics_files import CodeColumn
from dpselect.sources.tables import AS_IT_IS, FileOptions
from dpselect.sources.tables import names as names_of
from dpselect.sources.web import local

# Rows of a parquet file that are read at a time.
_ROWS = 2**18


def batches(
    path: str | Path, names: list[Any], reading: FileOptions = AS_IT_IS, numbers: Collection[Any] = ()
) -> Iterator[dict[Any, Any]]:
    """Yield columns of a file as :func:`arrows` returns them, a part of the rows at a time, in order.

    All of the columns must be there. Text and parquet take the memory of a few parts; a sheet is read at once.

    Raises:
        FileNotFoundError, ImportError, ValueError: as :func:`arrows`.
    """
    path = local(path)
    choice = ColumnChoice.of(path, names, reading, numbers)
    for read in _batches(path, choice.columns, reading):
        yield choice.rows(read)


def _batches(path: Path, names: list[Any], reading: FileOptions) -> Iterator[dict[Any, Any]]:
    if file_parts.are_in(path):
        names_of(path, reading)
        _require_one_type(path, names)
        for each in file_parts.files(path):
            yield from _batches(each, names, reading)
        return
    there = names_of(path, reading)
    for name in names:
        column = name.name if isinstance(name, CodeColumn) else name
        if column not in there:
            raise no_column(column, there, path)
    if not is_typed(path):
        for table in csv_text.batches(path, names, reading.dialect):
            yield {name: table[place] for place, name in enumerate(names)}
    elif is_feather(path):
        yield from feather.batches(path, names)
    elif is_parquet(path):
        tested = () if reading.where is None else reading.where.names
        coded = [] if reading.missing else [name for name in names if name not in tested]
        yield from _parquet_batches(path, names, coded)
    else:
        yield from spelled_files.batches(path, names, reading.sheet, reading.dialect)


def _require_one_type(path: Path, names: list[Any]) -> None:
    """Refuse parquet files whose schemas differ in a column."""
    if has_schema(path):
        parquet = importlib.import_module("pyarrow.parquet")
        read = feather.schema if is_feather(path) else parquet.read_schema
        schemas = [read(each) for each in file_parts.files(path)]
        for name in names:
            if len({schema.field(name).type for schema in schemas if name in schema.names}) > 1:
                raise file_parts.unlike(name, path)


def _parquet_batches(path: Path, names: list[Any], coded: list[Any]) -> Iterator[dict[Any, Any]]:
    """Yield columns of a parquet file; text of ``coded`` that is written as codes of a dictionary is read as such."""
    arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    try:
        kinds = parquet.read_schema(path)
        text = [name for name in coded if kinds.names.count(name) == 1 and _is_text(kinds.field(name).type)]
        # What is read ahead would stay in memory until the end of the file.
        with parquet.ParquetFile(path, read_dictionary=text, pre_buffer=False) as file:
            twice = next((name for name in names if file.schema_arrow.names.count(name) > 1), None)
            if twice is not None:
                raise InputError(f"{path.name} has two columns called {twice!r}: give every column a name of its own.")
            for batch in file.iter_batches(_ROWS, columns=names):
                table = arrow.Table.from_batches([batch])
                yield {name: arrow_text.readable(table[name]) for name in names}
    except (arrow.ArrowException, OSError):
        raise InputError(f"{path.name} is not a complete parquet file.") from None


def _is_text(kind: Any) -> bool:
    types = importlib.import_module("pyarrow.types")
    return bool(types.is_string(kind) or types.is_large_string(kind))

"""Grouped counts of the rows of a table, wherever it is: in memory, in a file, or in its engine.

A file is read a few blocks at a time. Where persons are protected, which of their rows count is found out by DuckDB,
if it is installed, so that a file may be larger than memory; otherwise its few columns are read into memory.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.sources import identity, tables
from dpselect.sources.distinct import distinct
from dpselect.sources.missing_column import no_column
from dpselect.sources.public_names import PublicNames
from dpselect.sources.table_batches import batches
from dpselect.sources.tables import TableFile
from dpselect.sources.warehouse import Warehouse, is_expression
from dpselect.sources.web import is_database
from dpselect.views.cell_sums import CellSum, sums_of
from dpselect.views.engine_counts import bounded_counts, engine_histograms, engine_sums
from dpselect.views.events import columns_of
from dpselect.views.grouped_counts import Histogram, Integers
from dpselect.views.row_question import Number, RowQuestion, as_it_is
from dpselect.views.row_source import RowSource
from dpselect.views.rows_of_persons import cell_text, row_order

# All bits of an integer but its sign.
_POSITIVE = 2**63 - 1


def is_stored(table: Any) -> bool:
    """Return whether a table stays where it is until it is counted: in an engine or in a file."""
    return isinstance(table, (TableFile, RowSource, str, Path)) or stays(table)


def stays(table: Any) -> bool:
    """Return whether a table stays in its engine, and is not in memory or in a file."""
    table = table.place if isinstance(table, RowSource) else table
    return isinstance(table, Warehouse) or is_expression(table) or is_database(table)


def table_histograms(table: Any, question: RowQuestion) -> tuple[list[Histogram], dict[str, str]]:
    """Return of every group the occupied cells and how many rows each holds, and where the rows came from.

    Args:
        table: pandas, polars or arrow, a mapping of columns, an array, the path of a file, a file with what is declared
            of it, a Warehouse, an Ibis table, or the URL of a database.
        question: what is counted.

    Raises:
        TypeError, ValueError: not a table; a column is missing, or of a type that no domain lists.
        ConnectionError: an engine failed.
    """
    table, question, name = _locate(table, question)
    if stays(table):
        with Warehouse.open(table, name) as warehouse, warehouse.reading():
            return engine_histograms(warehouse, question), {**warehouse.metadata, **question.metadata}
    file = TableFile(table) if isinstance(table, (str, Path)) else table
    number = file.reading.dialect.number if isinstance(file, TableFile) else as_it_is
    if isinstance(file, TableFile):
        question = question.with_dates(file.reading.dialect.date_order)
        _require(file, question)
        if question.person is None or _has_engine():
            counted = _of_rows(file, question) if question.person is None else _of_persons(file, question)
            return counted, {**file.metadata, **question.metadata}
    read, metadata = columns_of(table, question.columns, question.numbers)
    return question.histograms(read, number), {**metadata, **question.metadata}


def table_codes(table: Any, question: RowQuestion) -> tuple[list[NDArray[np.integer[Any]]], dict[str, str]]:
    """Return the cells of the rows that count, by each column of a question with a remainder, and where they came from.

    Which rows of a person count follows from all of these columns; a table in its engine is not read.

    Args:
        table, question: as for :func:`table_histograms`, without groups.

    Raises:
        TypeError, ValueError: as there; the table stays in its engine.
    """
    source, question, _ = _locate(table, question)
    if stays(source):
        raise InputError("This table stays in its engine, where it is counted: ask for table_histograms.")
    file = TableFile(source) if isinstance(source, (str, Path)) else source
    least = [np.min_scalar_type(size - 1) for size in question.sizes]
    if not isinstance(file, TableFile):
        read, metadata = columns_of(file, question.columns, question.numbers)
        return _small_codes(question, read, as_it_is, least), {**metadata, **question.metadata}
    question, number = question.with_dates(file.reading.dialect.date_order), file.reading.dialect.number
    _require(file, question)
    metadata = {**file.metadata, **question.metadata}
    if question.person is not None:
        read, _ = columns_of(file, question.columns, question.numbers)
        return _small_codes(question, read, number, least), metadata
    parts = batches(file.path, question.columns, file.reading, question.numbers)
    codes = [_small_codes(question, read, number, least) for read in parts]
    none = [np.zeros(0, dtype=kind) for kind in least]
    return [np.concatenate(each) for each in zip(none, *codes, strict=True)], metadata


def _small_codes(
    question: RowQuestion, read: Any, number: Number, kinds: Sequence[np.dtype[Any]]
) -> list[NDArray[np.integer[Any]]]:
    """Return the cells of the rows that count, in integers of these types."""
    codes = question.column_codes(read, number)
    if question.person is not None:
        cells = np.zeros_like(codes[0])
        with np.errstate(over="ignore"):
            # A number of the row alone, which may wrap around: rows that share it are told apart by all of their codes.
            for code, size in zip(codes, question.sizes, strict=True):
                cells = cells * size + code
        ordered = np.lexsort(codes)
        held = {name: _in_order(column, ordered) for name, column in read.items()}
        counted = question.rows_that_count(held, np.zeros_like(cells), (cells & _POSITIVE)[ordered], number)
        rows = ordered[counted]
        codes = [code[rows] for code in codes]
    return [code.astype(kind) for code, kind in zip(codes, kinds, strict=True)]


def _in_order(column: Any, rows: Integers) -> Any:
    """Return the cells of rows."""
    taken = getattr(column, "take", None)
    if hasattr(column, "iloc"):
        return column.iloc[rows]
    if hasattr(column, "gather"):
        return column.gather(rows)
    return taken(rows) if taken is not None else np.asarray(column, dtype=object)[rows]


def table_sums(table: Any, question: RowQuestion, sums: Sequence[CellSum]) -> tuple[Integers, dict[str, str]]:
    """Return of every group how many rows count and the sums over them, and where the rows came from.

    Args:
        table, question: as for :func:`table_histograms`; an engine groups once, and sends one row for each group.
        sums: what is added up.

    Raises:
        TypeError, ValueError, ConnectionError: as there.
    """
    source, asked, name = _locate(table, question)
    if stays(source):
        with Warehouse.open(source, name) as warehouse, warehouse.reading():
            return engine_sums(warehouse, asked, sums), {**warehouse.metadata, **asked.metadata}
    held, metadata = table_histograms(table, question)
    return sums_of(held, question, sums), metadata


def _locate(table: Any, question: RowQuestion) -> tuple[Any, RowQuestion, str | None]:
    """Return where the rows are, what is asked with the declared order of rows, and the name of the table."""
    if not isinstance(table, RowSource):
        return table, question, None
    order = table.order
    if order is not None:
        question = replace(question, order=order.column, numeric_order=order.numeric, dates_order=(order.dates, None))
    return table.place, question, table.table


def item_counts(
    table: Any, item: Any, names: PublicNames, by: Any = None, groups: PublicNames | None = None, person: Any = None
) -> tuple[list[Integers], dict[str, str]]:
    """Return of every group how many rows, or different persons, have each public item, and where they came from.

    Raises:
        TypeError, ValueError, ConnectionError: as :func:`table_histograms`.
    """
    question = RowQuestion(item, names, by, groups, person, distinct_persons=person is not None)
    counted, metadata = table_histograms(table, question)
    # A ledger calls the column what the question calls it.
    metadata = {name: value for name, value in metadata.items() if name != "column"} | {"item": str(item)}
    return [dense(each, len(names)) for each in counted], metadata


def dense(histogram: Histogram, size: int) -> Integers:
    """Return how many rows each of so many cells holds, shape (size,)."""
    counts = np.zeros(size, dtype=np.int64)
    counts[histogram[0]] = histogram[1]
    return counts


def _require(file: TableFile, question: RowQuestion) -> None:
    """Refuse columns that a file lacks, and numbers whose decimal mark is not declared; no cell is read."""
    if question.numeric or question.numeric_order:
        file.reading.dialect.require_decimal()
    require_columns(file, question.columns)


def require_columns(file: TableFile, names: Sequence[Any]) -> None:
    """Refuse columns that a file lacks; no cell is read.

    Raises:
        FileNotFoundError, ImportError, ValueError: as the readers of tables.
    """
    there = tables.names(file.path, file.reading)
    for name in names:
        if name not in there:
            raise no_column(name, there, file.path)


def _of_rows(file: TableFile, question: RowQuestion) -> list[Histogram]:
    """Count part by part; memory does not grow with the file."""
    counts = question.counter()
    for read in batches(file.path, question.columns, file.reading, question.numbers):
        if question.groups is None and isinstance(question.cells, PublicNames) and not question.more:
            # What each different cell stands for is looked up once.
            column = distinct(read[question.column])
            many = np.bincount(column.codes + 1, minlength=column.cells.size + 1)[1:]
            places = question.cells.codes(replace(column, codes=np.arange(many.size)), question.column)
            mask = places >= 0
            counts.add(np.zeros_like(places[mask]), places[mask], many[mask])
            continue
        groups, places = question.codes(read, file.reading.dialect.number)
        mask = places >= 0 if question.groups is None else (groups >= 0) & (places >= 0)
        counts.add(*((groups, places) if mask.all() else (groups[mask], places[mask])))
    return counts.histograms()


def _of_persons(file: TableFile, question: RowQuestion) -> list[Histogram]:
    """Count the rows of persons in a DuckDB of our own, which sees codes."""
    from dpselect.sources import duckdb_files

    arrow = importlib.import_module("pyarrow")
    parts = _code_batches(file, question)
    first = next(parts, None)
    if first is None:
        return question.counter().histograms()

    def stream() -> Iterator[Any]:
        yield first
        yield from parts

    backend = duckdb_files.open_duckdb()
    try:
        backend.con.register("coded", arrow.RecordBatchReader.from_batches(first.schema, stream()))
        with Warehouse.open(backend.table("coded")) as coded:
            counts = question.counter()
            for batch in coded.batches(bounded_counts(coded.table, question)):
                counts.add(*(batch[name].astype(np.int64) for name in ("g", "i", "n")))
            return counts.histograms()
    finally:
        backend.disconnect()


def _code_batches(file: TableFile, question: RowQuestion) -> Iterator[Any]:
    """Yield record batches of the group, the cell and the person of the rows that have all of them."""
    arrow = importlib.import_module("pyarrow")
    number = file.reading.dialect.number
    for read in batches(file.path, question.columns, file.reading, question.numbers):
        groups, places = question.codes(read, number)
        mask = (groups >= 0) & (places >= 0)
        # Narrow integers take less room where rows are sorted.
        many, width = 1 if question.groups is None else len(question.groups), question.size
        columns = {
            "g": arrow.array(groups.astype(np.min_scalar_type(-many))),
            "i": arrow.array(places.astype(np.min_scalar_type(-width))),
            "p": _persons(read[question.person]),
        }
        if question.order is not None:
            numbers, texts = row_order(question.order_of(read, number))
            columns |= {
                "o": arrow.array(numbers, mask=np.isnan(numbers)),
                "s": arrow.array(texts, arrow.large_string()),
            }
        batch = arrow.record_batch(columns)
        yield batch if mask.all() else batch.filter(arrow.array(mask))


def _persons(column: Any) -> Any:
    """Return what tells persons apart, as an arrow array of integers or text, null for nobody."""
    arrow, compute = (importlib.import_module(name) for name in ("pyarrow", "pyarrow.compute"))
    types = arrow.types
    column = column.cast(column.type.value_type) if types.is_dictionary(column.type) else column
    kind = column.type
    column = column.combine_chunks() if isinstance(column, arrow.ChunkedArray) else column
    if types.is_signed_integer(kind):
        return column.cast(arrow.int64())
    if types.is_string(kind) or types.is_large_string(kind):
        text = column.cast(arrow.large_string())
        data = text.buffers()[2]
        written = b"" if data is None else data.to_pybytes()
        if (
            not any(sign in written for sign in (b"n", b"N", b" ", b"\t"))
            and not compute.any(compute.equal(compute.binary_length(text), 0)).as_py()
        ):
            return text
    # Each different cell is read once for a part.
    codes, names = identity.number_persons(distinct(column))
    texts = arrow.array([cell_text(name) for name in [*names]], arrow.large_string())
    return texts.take(arrow.array(codes, mask=codes < 0))


def _has_engine() -> bool:
    return importlib.util.find_spec("duckdb") is not None and importlib.util.find_spec("ibis") is not None

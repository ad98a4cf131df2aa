"""Every container of one table: in memory, in files, in engines."""

from __future__ import annotations

import csv
import itertools
import json
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from dpselect.sources.tables import TableFile
from dpselect.sources.warehouse import Warehouse
from tests.sources.ods_files import ods_file

Columns = dict[str, list[Any]]
_NUMBERS = itertools.count()
_MOMENTS = {"date32[day]": "date", "timestamp[us]": "timestamp"}


def _rows(columns: Columns) -> list[tuple[Any, ...]]:
    return [*zip(*columns.values(), strict=True)]


def _objects(columns: Columns) -> Any:
    import numpy as np

    return {name: np.array(cells, dtype=object) for name, cells in columns.items()}


def _arrow(columns: Columns) -> Any:
    import pyarrow

    return pyarrow.table({name: pyarrow.array(cells, kind(cells)) for name, cells in columns.items()})


def kind(cells: list[Any]) -> Any:
    """The arrow type of a column whose first cells say it."""
    import pyarrow

    types = {type(cell) for cell in cells if cell is not None}
    if types == {date}:
        return pyarrow.date32()
    if types == {datetime}:
        return pyarrow.timestamp("us")
    return pyarrow.string() if str in types else pyarrow.float64() if float in types else pyarrow.int64()


def _text(separator: str, decimal: str, ending: str) -> Callable[[Columns, Path, Any], Any]:
    def write(columns: Columns, folder: Path, _: Any) -> Any:
        path = folder / f"t{ending}"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=separator)
            writer.writerow(columns)
            for row in _rows(columns):
                writer.writerow([str(cell).replace(".", decimal) if isinstance(cell, float) else cell for cell in row])
        return TableFile.of(path, separator=separator, decimal=decimal)

    return write


def _parquet(columns: Columns, folder: Path, _: Any) -> Any:
    from pyarrow import parquet

    parquet.write_table(_arrow(columns), folder / "t.parquet", row_group_size=7)
    return TableFile(folder / "t.parquet")


def _parts(columns: Columns, folder: Path, _: Any) -> Any:
    from pyarrow import parquet

    table, half = _arrow(columns), len(_rows(columns)) // 2
    parquet.write_table(table.slice(half), folder / "part-1.parquet")
    parquet.write_table(table.slice(0, half), folder / "part-0.parquet")
    return folder / "part-*.parquet"


def _xlsx(columns: Columns, folder: Path, _: Any) -> Any:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in ([*columns], *_rows(columns)):
        book.active.append([*row])
    book.save(folder / "t.xlsx")
    return folder / "t.xlsx"


def _jsonl(columns: Columns, folder: Path, _: Any) -> Any:
    lines = [json.dumps(dict(zip(columns, row, strict=True)), default=str) for row in _rows(columns)]
    (folder / "t.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder / "t.jsonl"


def _feather(columns: Columns, folder: Path, _: Any) -> Any:
    from pyarrow import feather

    feather.write_feather(_arrow(columns), folder / "t.feather", chunksize=50)
    return folder / "t.feather"


def _ods(columns: Columns, folder: Path, _: Any) -> Any:
    return ods_file(folder / "t.ods", [[*columns], *_rows(columns)])


def _statistics(ending: str) -> Callable[[Columns, Path, Any], Any]:
    def write(columns: Columns, folder: Path, _: Any) -> Any:
        pyreadstat, pandas = pytest.importorskip("pyreadstat"), pytest.importorskip("pandas")
        frame = pandas.DataFrame({name: pandas.Series(cells, dtype=object) for name, cells in columns.items()})
        for name, cells in columns.items():
            if str(kind(cells)) in ("double", "int64"):
                frame[name] = frame[name].astype("float64")
            elif str(kind(cells)) == "string":
                frame[name] = frame[name].fillna("")
        getattr(pyreadstat, f"write_{ending}")(frame, str(folder / f"t.{ending}"))
        return folder / f"t.{ending}"

    return write


def _in_place(columns: Columns, folder: Path, request: Any) -> Any:
    pytest.importorskip("ibis")
    _text(",", ".", ".csv")(columns, folder, request)
    warehouse = Warehouse.open(folder / "t.csv")
    request.addfinalizer(warehouse.close)
    return warehouse


def _duckdb(columns: Columns, _: Path, __: Any) -> Any:
    ibis = pytest.importorskip("ibis")
    return ibis.memtable(_arrow(columns))


def _postgres(columns: Columns, _: Path, request: Any) -> Any:
    pytest.importorskip("ibis")
    server, name = request.getfixturevalue("postgres"), f"people_{next(_NUMBERS)}"
    kinds = {"string": "text", "double": "double precision", "int64": "bigint"} | _MOMENTS
    listed = ", ".join(f'"{column}" {kinds[str(kind(cells))]}' for column, cells in columns.items())
    server.run(f"CREATE TABLE {name} ({listed})")
    import psycopg

    with (
        psycopg.connect(server.url, autocommit=True) as connection,
        connection.cursor() as cursor,
        cursor.copy(f"COPY {name} FROM STDIN") as copy,
    ):
        for row in _rows(columns):
            copy.write_row(row)
    warehouse = Warehouse.open(server.url, name)
    request.addfinalizer(warehouse.close)
    return warehouse


def _sqlite(columns: Columns, folder: Path, request: Any) -> Any:
    pytest.importorskip("ibis")
    import sqlite3

    kinds = {"string": "text", "double": "real", "int64": "integer"} | _MOMENTS
    listed = ", ".join(f'"{column}" {kinds[str(kind(cells))]}' for column, cells in columns.items())
    with sqlite3.connect(folder / "t.db") as connection:
        connection.execute(f"CREATE TABLE people ({listed})")
        marks = ", ".join("?" * len(columns))
        rows = [[str(cell) if isinstance(cell, date) else cell for cell in row] for row in _rows(columns)]
        connection.executemany(f"INSERT INTO people VALUES ({marks})", rows)
    connection.close()
    warehouse = Warehouse.open(f"sqlite://{folder / 't.db'}", "people")
    request.addfinalizer(warehouse.close)
    return warehouse


def _spark(columns: Columns, _: Path, request: Any) -> Any:
    ibis = pytest.importorskip("ibis")
    backend = ibis.pyspark.connect(request.getfixturevalue("spark"))
    return backend.create_view(f"people_{next(_NUMBERS)}", ibis.memtable(_arrow(columns)))


def _frame(library: str) -> Callable[[Columns, Path, Any], Any]:
    def hold(columns: Columns, _: Path, __: Any) -> Any:
        return pytest.importorskip(library).DataFrame(columns)

    return hold


CONTAINERS: dict[str, Callable[[Columns, Path, Any], Any]] = {
    "lists": lambda columns, _, __: columns,
    "objects": lambda columns, _, __: _objects(columns),
    "pandas": _frame("pandas"),
    "polars": _frame("polars"),
    "arrow": lambda columns, _, __: _arrow(columns),
    "csv": _text(",", ".", ".csv"),
    "csv with commas in numbers": _text(";", ",", ".csv"),
    "tsv": _text("\t", ".", ".tsv"),
    "parquet": _parquet,
    "parquet in parts": _parts,
    "xlsx": _xlsx,
    "ods": _ods,
    "jsonl": _jsonl,
    "feather": _feather,
    "sav": _statistics("sav"),
    "dta": _statistics("dta"),
    "csv in place": _in_place,
    "duckdb": _duckdb,
    "postgres": _postgres,
    "sqlite": _sqlite,
    "spark": _spark,
}

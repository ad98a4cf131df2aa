"""Readers of tables, and rows that could change how others are read.

A reader takes columns of plain Python cells to whatever people hold; consumers of tables run over all of them.
"""

from __future__ import annotations

import csv
import importlib.util
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.sources.ods_files import ods_file

Cells = dict[str, list[Any]]

# What one more row may hold in any column, as far as the container can hold it.
HOSTILE: tuple[Any, ...] = (
    None,
    float("nan"),
    float("inf"),
    2**60,
    2**70,
    -(2**63),
    1e308,
    -0.0,
    0.5,
    True,
    "",
    " ",
    "nan",
    "1",
    "1.0",
    "x",
    "true",
    "NULL",
    'a "quoted", text\nof two lines',
    "\0",
    b"x",
    [1],
    (1, 2),
    {"a": 1},
    1j,
    object(),
)


@dataclass(frozen=True)
class Reader:
    """A container of tables.

    Attributes:
        name: what it is called in tests.
        hold: from columns and a folder to the container; raises where it cannot hold a cell.
        needs: the module that must be there.
    """

    name: str
    hold: Callable[[Cells, Path], Any]
    needs: str = "numpy"

    @property
    def absent(self) -> bool:
        """Whether what it needs is not installed."""
        return importlib.util.find_spec(self.needs) is None

    def __str__(self) -> str:
        return self.name


def _rows(cells: Cells) -> list[list[Any]]:
    return [list(row) for row in zip(*cells.values(), strict=True)]


def _named(columns: Callable[[list[Any]], Any]) -> Callable[[Cells, Path], Any]:
    return lambda cells, _: {name: columns(values) for name, values in cells.items()}


def _objects(values: list[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array


def _table(cells: Cells, _: Path) -> Any:
    return np.stack([_objects(values) for values in cells.values()], axis=1)


def _texts(cells: Cells, _: Path) -> Any:
    if not all(isinstance(value, str) and "\0" not in value for value in cells["a"]):
        raise TypeError
    return {"a": np.array(cells["a"], dtype="U64"), "b": np.array(cells["b"])}


def _nullable(cells: Cells, _: Path) -> Any:
    import pandas

    # Built from a list with a float, pandas rounds before the column is what it is.
    if any(isinstance(value, float) for value in cells["a"]):
        raise TypeError
    return pandas.DataFrame({name: pandas.array(values, dtype="Int64") for name, values in cells.items()})


def _pandas(kind: Any = None) -> Callable[[Cells, Path], Any]:
    def hold(cells: Cells, _: Path) -> Any:
        import pandas

        return pandas.DataFrame({name: pandas.Series(values, dtype=kind) for name, values in cells.items()})

    return hold


def _polars(cells: Cells, _: Path) -> Any:
    import polars

    kinds = {int: polars.Int64, float: polars.Float64, str: polars.String, bool: polars.Boolean}
    return polars.DataFrame(cells, schema={name: kinds[type(values[0])] for name, values in cells.items()})


def arrow(cells: Cells) -> Any:
    """An arrow table whose schema the first row declares."""
    import pyarrow

    kinds = {int: pyarrow.int64(), float: pyarrow.float64(), str: pyarrow.string(), bool: pyarrow.bool_()}
    return pyarrow.table({name: pyarrow.array(values, kinds[type(values[0])]) for name, values in cells.items()})


def csv_file(cells: Cells, folder: Path) -> Path:
    """A csv file as Python writes it."""
    path = folder / f"{len(next(iter(cells.values())))}.csv"
    if not all(value is None or isinstance(value, (str, int, float)) for value in cells["a"]):
        raise TypeError
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(cells)
        writer.writerows(_rows(cells))
    return path


def parquet_file(cells: Cells, folder: Path) -> Path:
    """A parquet file whose schema the first row declares."""
    from pyarrow import parquet

    path = folder / f"{len(next(iter(cells.values())))}.parquet"
    parquet.write_table(arrow(cells), path)
    return path


def feather_file(cells: Cells, folder: Path) -> Path:
    """A feather file whose schema the first row declares."""
    from pyarrow import feather

    path = folder / f"{len(next(iter(cells.values())))}.feather"
    feather.write_feather(arrow(cells), path)
    return path


def json_file(cells: Cells, folder: Path) -> Path:
    """Lines of JSON."""
    path = folder / f"{len(next(iter(cells.values())))}.jsonl"
    lines = [json.dumps(dict(zip(cells, row, strict=True))) for row in _rows(cells)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def _sheet_file(cells: Cells, folder: Path) -> Path:
    if not all(value is None or isinstance(value, (str, int, float)) for value in cells["a"]) or "\0" in cells["a"]:
        raise TypeError
    return ods_file(folder / f"{len(next(iter(cells.values())))}.ods", [[*cells], *_rows(cells)])


def _file(make: Callable[[Cells, Path], Path]) -> Callable[[Cells, Path], Any]:
    def hold(cells: Cells, folder: Path) -> Any:
        from dpselect.sources import tables

        path = make(cells, folder)
        # Some of the cells have line breaks, which is a public fact of a file.
        reading = tables.FileOptions.of(line_breaks=path.suffix == ".csv")
        return tables.table(path, list(cells), reading)

    return hold


READERS = (
    Reader("mapping of lists", _named(list)),
    Reader("mapping of tuples", _named(tuple)),
    Reader("mapping of objects", _named(_objects)),
    Reader("mapping of text arrays", _texts),
    Reader("mapping of integers", _named(lambda values: np.array(values, dtype=np.int64))),
    Reader("mapping of floats", _named(lambda values: np.array(values, dtype=np.float64))),
    Reader("list of lists", lambda cells, _: _rows(cells)),
    Reader("list of tuples", lambda cells, _: [tuple(row) for row in _rows(cells)]),
    Reader("array of objects", _table),
    Reader("pandas", _pandas(), "pandas"),
    Reader("pandas objects", _pandas(object), "pandas"),
    Reader("pandas Int64", _nullable, "pandas"),
    Reader("pandas string", _pandas("string"), "pandas"),
    Reader("polars", _polars, "polars"),
    Reader("arrow", lambda cells, _: arrow(cells), "pyarrow"),
    Reader("csv", _file(csv_file), "pyarrow"),
    Reader("parquet", _file(parquet_file), "pyarrow"),
    Reader("feather", _file(feather_file), "pyarrow"),
    Reader("lines of JSON", _file(json_file), "pyarrow"),
    Reader("ods", _file(_sheet_file), "pyarrow"),
)


@dataclass(frozen=True)
class Column:
    """One column of a random table: its public domain, and the cells that honest rows hold."""

    domain: Any
    honest: tuple[Any, ...]


COLUMNS = (
    Column([1, 2, "x"], (1, 2)),
    Column(["1", "2", "x"], (1, 2)),
    Column(["1", "2", "x"], ("1", "2")),
    Column([True, False, "x"], (True, False)),
    Column([0, 1, 2], (0, 1, 2)),
    Column(["yes", "no", "1"], ("yes", "no")),
    Column([0.5, 1.5, "x"], (0.5, 1.5)),
    Column([2**60, 2**60 + 1, 5, "x"], (2**60, 2**60 + 1, 5)),
    Column(["01000", "1000"], ("01000", "1000")),
    Column(["2020-01-01", "2020-01-02"], ("2020-01-01", "2020-01-02")),
    Column((0, 10), (0, 3, 7, 10)),
    Column((0, 10), (0.25, 3.0, 9.5)),
    Column((0, 2**61), (2**60, 2**60 + 1, 5)),
    Column(np.array([0.0, 1.0, 5.0]), ("0.5", "3")),
)


def pairs(reader: Reader, column: Column, folder: Path, rng: np.random.Generator) -> Iterator[tuple[Any, Any, int]]:
    """Yield neighbours: a random honest table, the same and one hostile row, and where that row stands.

    The honest row comes first, because it declares the type of columns that have a schema.
    """
    size = int(rng.integers(2, 7))
    cells = {"a": [column.honest[place] for place in rng.integers(0, len(column.honest), size)]}
    cells["b"] = [int(each) for each in rng.integers(0, 2, size)]
    base = _held(reader, cells, folder)
    for value in HOSTILE if base is not None else ():
        at = int(rng.integers(1, size + 1))
        more = {name: list(values) for name, values in cells.items()}
        more["a"].insert(at, value)
        more["b"].insert(at, 0)
        neighbour = _held(reader, more, folder)
        if neighbour is not None:
            yield base, neighbour, at


def _held(reader: Reader, cells: Cells, folder: Path) -> Any:
    """Return the container, ``None`` where it cannot hold these cells: then there is no such row."""
    try:
        return reader.hold(cells, folder)
    except Exception:
        return None

"""One column of a table in a file. Messages never quote a cell, because cells are private."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from dpselect.kernel.extras import not_installed
from dpselect.sources import arrow_text, csv_text, frames
from dpselect.sources.absent import no_column
from dpselect.sources.locators import missing


def column(path: str | Path, name: str | None = None) -> Any:
    """Return one column of a ``.csv`` or ``.parquet`` file as an arrow array: text, or the type of the schema.

    Args:
        path: the file; csv has a header line.
        name: the column; may be left out when there is one only.

    Raises:
        FileNotFoundError: no such file.
        ImportError: pyarrow is not installed.
        ValueError: another kind of file, or no such column.
    """
    path = Path(path)
    if path.name.lower().endswith(".parquet"):
        if not path.is_file():
            raise missing(path)
        return _parquet(path, name)
    wanted = _choose(csv_text.header(path), name, path)
    return csv_text.columns(path, [wanted])[wanted]


def table(path: str | Path, names: list[Any]) -> dict[Any, NDArray[Any]]:
    """Return some columns of a ``.csv`` or ``.parquet`` file, missing where cells are empty.

    Cells of a csv file are text, which domains read; columns of a parquet file have the types of its schema. Columns
    that the file lacks are left out.

    Raises:
        FileNotFoundError, ImportError, ValueError: as :func:`column`; two columns of one name.
    """
    path = Path(path)
    there = arrows(path, names)
    if not path.name.lower().endswith(".parquet"):
        return {name: _text(values) for name, values in there.items()}
    return {name: frames.column(values) for name, values in there.items()}


def arrows(path: str | Path, names: list[Any]) -> dict[Any, Any]:
    """Return some columns of a ``.csv`` or ``.parquet`` file as arrow arrays; those that the file lacks are left out.

    Raises:
        FileNotFoundError, ImportError, ValueError: as :func:`table`.
    """
    path = Path(path)
    if not path.name.lower().endswith(".parquet"):
        return csv_text.columns(path, names)
    arrow, parquet = _arrow(), _arrow("parquet")
    if not path.is_file():
        raise missing(path)
    try:
        with parquet.ParquetFile(path) as file:
            there = file.schema_arrow.names
            wanted = [name for name in names if name in there]
            twice = next((name for name in wanted if there.count(name) > 1), None)
            if twice is not None:
                raise ValueError(f"{path.name} has two columns called {twice!r}: give every column a name of its own.")
            result = file.read(columns=wanted)
    except (arrow.ArrowException, OSError):
        raise ValueError(f"{path.name} is not a complete parquet file.") from None
    return {name: arrow_text.readable(result[name]) for name in wanted}


def names(path: str | Path) -> list[str]:
    """Return the names of the columns of a ``.csv`` or ``.parquet`` file: a schema, or the first line of a csv file.

    Whether that line holds names is not known, so no message may quote it.

    Raises:
        FileNotFoundError, ImportError, ValueError: as :func:`column`.
    """
    path = Path(path)
    if not path.name.lower().endswith(".parquet"):
        return csv_text.header(path)
    arrow, parquet = _arrow(), _arrow("parquet")
    if not path.is_file():
        raise missing(path)
    try:
        result: list[str] = parquet.read_schema(path).names
    except (arrow.ArrowException, OSError):
        raise ValueError(f"{path.name} is not a complete parquet file.") from None
    return result


def _text(values: Any) -> NDArray[Any]:
    array: NDArray[Any] = values.to_numpy()
    return array


def labels(path: str | Path, name: str, option: str = "--label") -> list[Any]:
    """Return a column of public labels, text or integers as the file has them: a different one in every row.

    ``option`` is what names the column on a command line.

    Raises:
        FileNotFoundError, ImportError, ValueError: as :func:`column`; a cell is empty, or two labels are the same.
    """
    result: list[Any] = _read(Path(path), name).to_pylist()
    if any(label is None or label == "" for label in result):
        raise ValueError(f"The label column {name!r} has empty cells: {option} names a public column that is complete.")
    if len({*map(str, result)}) != len(result):
        raise ValueError(
            f"The label column {name!r} holds a name twice: {option} needs a column with a different name in every row."
        )
    return result


def _read(path: Path, name: str) -> Any:
    """Return one column as an arrow array."""
    if not path.is_file():
        raise missing(path)
    form = path.name.lower()
    if form.endswith(".parquet"):
        return _parquet(path, name)
    if form.endswith((".csv", ".csv.gz")):
        return _csv(path, name)
    raise ValueError(f"{path.name} is not a table: pass a file that ends in .csv, .csv.gz or .parquet.")


def _parquet(path: Path, name: str | None) -> Any:
    arrow, parquet = _arrow(), _arrow("parquet")
    try:
        with parquet.ParquetFile(path) as file:
            wanted = _choose(file.schema_arrow.names, name, path)
            return arrow_text.readable(file.read(columns=[wanted])[wanted])
    except (arrow.ArrowException, OSError):
        raise ValueError(f"{path.name} is not a complete parquet file.") from None


def _csv(path: Path, name: str | None) -> Any:
    arrow, reader = _arrow(), _arrow("csv")
    try:
        with reader.open_csv(path, read_options=reader.ReadOptions(block_size=2**16)) as peek:
            wanted = _choose(peek.schema.names, name, path)
        # "nan" and "NULL" count as empty cells, which are refused later.
        options = reader.ConvertOptions(include_columns=[wanted])
        # An empty line would be a score without a name.
        lines = reader.ParseOptions(ignore_empty_lines=False)
        return reader.read_csv(path, parse_options=lines, convert_options=options)[wanted]
    except (arrow.ArrowException, OSError):
        raise ValueError(
            f"{path.name} is not a table of comma separated values with a header line, all lines equally long."
        ) from None


def _choose(names: list[str], name: str | None, path: Path) -> str:
    """Return the wanted column."""
    if not names:
        raise ValueError("The file has no columns: pass a table.")
    if name is None and len(names) == 1:
        return names[0]
    if name is None:
        raise ValueError(f"The file has {len(names)} columns: say which (--column).")
    if name not in names:
        raise no_column(name, names, path)
    if names.count(name) > 1:
        raise ValueError(f"{path.name} has two columns called {name!r}: give every column a name of its own.")
    return name


def _arrow(part: str | None = None) -> Any:
    try:
        return importlib.import_module("pyarrow" if part is None else f"pyarrow.{part}")
    except ImportError:
        raise not_installed("Reading tables needs pyarrow", "graph") from None

"""Edges in files and in other libraries' graphs, as two arrays of ids or labels."""

from __future__ import annotations

import gzip
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

Edges = tuple[NDArray[Any], NDArray[Any]]

_COLUMNS = ("source", "target")
_KNOWN = (".parquet", ".csv", ".csv.gz", ".txt", ".txt.gz")


def read(path: str | Path) -> Edges:
    """Return the source and target of every edge in a file, shape (edges,) each.

    ``.parquet`` and ``.csv`` hold the columns ``source`` and ``target``; ``.txt`` holds two columns separated
    by white space, with ``#`` comments anywhere (the SNAP form). Text may be compressed (``.gz``).

    Raises:
        FileNotFoundError: no such file.
        ValueError: another kind of file, a missing column, an empty cell, or a malformed line (its number;
            its content is never quoted, because edges are private).
        ImportError: pyarrow is not installed.
    """
    path = Path(path)
    kind = next((suffix for suffix in _KNOWN if path.name.endswith(suffix)), None)
    if kind is None:
        raise ValueError(f"{path.name} is not an edge file: pass one that ends in {', '.join(_KNOWN)}.")
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    if kind == ".parquet":
        return _parquet(path)
    try:
        return _fast(path, header=".csv" in kind)
    except _Unsure:
        # Slower, but it knows comments between lines, odd spacing, and the number of the line that is wrong.
        return _careful(path, header=".csv" in kind)


class _Unsure(Exception):
    """The fast reader stopped at something it does not know."""


def _parquet(path: Path) -> Edges:
    parquet = _arrow("parquet")
    with parquet.ParquetFile(path) as file:
        names = file.schema_arrow.names
        _require_columns(names)
        table = file.read(columns=list(_COLUMNS))
    return _column(table["source"]), _column(table["target"])


def _fast(path: Path, header: bool) -> Edges:
    """Read with pyarrow; raise ``_Unsure`` for whatever is not a plain table of two known columns."""
    csv, arrow = _arrow("csv"), _arrow()
    skipped, line = _first_line(path)
    if header:
        names = [name.strip().strip('"') for name in line.split(",")]
        _require_columns(names)
        separator, columns = ",", names
    else:
        separator, columns = ("\t" if "\t" in line else " "), list(_COLUMNS)
        if len(line.split(separator)) != 2:
            raise _Unsure
        skipped -= 1
    try:
        table = csv.read_csv(
            path,
            read_options=csv.ReadOptions(column_names=columns, skip_rows=skipped + 1),
            parse_options=csv.ParseOptions(delimiter=separator),
            convert_options=csv.ConvertOptions(include_columns=list(_COLUMNS), strings_can_be_null=True),
        )
    except arrow.ArrowInvalid:
        raise _Unsure from None
    if any(arrow.types.is_floating(table[name].type) or table[name].null_count for name in _COLUMNS):
        raise _Unsure
    # A comment between the lines turns a column of numbers into text: let the careful reader decide.
    if not header and any(not arrow.types.is_integer(table[name].type) for name in _COLUMNS):
        raise _Unsure
    return _column(table["source"]), _column(table["target"])


def _careful(path: Path, header: bool) -> Edges:
    """Read line by line; name the first line that is not an edge."""
    pairs: list[tuple[str, str]] = []
    places = (0, 1)
    width = 2
    started = not header
    with _opened(path) as lines:
        for number, line in enumerate(lines, 1):
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            cells = [cell.strip().strip('"') for cell in text.split(",")] if header else text.split()
            if not started:
                _require_columns(cells)
                places, width, started = (cells.index("source"), cells.index("target")), len(cells), True
                continue
            if len(cells) != width or not all(cells[place] for place in places):
                raise ValueError(
                    f"{path.name}, line {number}: expected {width} values, source and target among them."
                )
            pairs.append((cells[places[0]], cells[places[1]]))
    if not started:
        _require_columns([])
    return _numbers_or_text([a for a, _ in pairs]), _numbers_or_text([b for _, b in pairs])


def _numbers_or_text(cells: list[str]) -> NDArray[Any]:
    try:
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    except (ValueError, OverflowError):
        return np.array(cells)


def _first_line(path: Path) -> tuple[int, str]:
    """Return how many lines come before the first that is no comment, and that line."""
    with _opened(path) as lines:
        for number, line in enumerate(lines):
            if line.strip() and not line.startswith("#"):
                return number, line.strip()
    raise _Unsure


def _opened(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def _require_columns(names: list[str]) -> None:
    missing = [name for name in _COLUMNS if name not in names]
    if missing:
        raise ValueError(
            f"An edge file needs the columns source and target; this one has {', '.join(names) or 'none'}."
        )


def _column(column: Any) -> NDArray[Any]:
    arrow = _arrow()
    if column.null_count:
        raise ValueError("Some edges have an empty source or target: complete or remove them.")
    if arrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if arrow.types.is_string(column.type) or arrow.types.is_large_string(column.type):
        return np.asarray(column.to_pylist(), dtype=np.str_)
    return np.asarray(column.to_numpy())


def _arrow(module: str = "") -> Any:
    import importlib

    try:
        return importlib.import_module(f"pyarrow.{module}" if module else "pyarrow")
    except ImportError:
        raise ImportError(
            'Reading edge files needs pyarrow: python -m pip install "dpselect[graph]".'
        ) from None


def of_networkx(graph: Any) -> tuple[list[Hashable], list[Hashable], list[Hashable]]:
    """Return the nodes, sources and targets of a NetworkX graph; directions and parallel edges go."""
    pairs: Iterator[tuple[Hashable, Hashable]] = (edge[:2] for edge in graph.edges())
    ends = list(zip(*pairs, strict=True)) or [(), ()]
    return list(graph.nodes()), list(ends[0]), list(ends[1])


def of_scipy(matrix: Any) -> tuple[int, NDArray[Any], NDArray[Any]]:
    """Return the number of nodes, and the sources and targets, of a square sparse matrix.

    Raises:
        ValueError: the matrix is not square.
    """
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError("An adjacency matrix is square: pass shape (n, n).")
    entries = matrix.tocoo()
    present = entries.data != 0
    return int(matrix.shape[0]), entries.row[present], entries.col[present]


def named(name: str) -> Any:
    """Return a graph that ships with NetworkX.

    Raises:
        ValueError: no such graph; the message lists them.
        ImportError: networkx is not installed.
    """
    try:
        import networkx
    except ImportError:
        raise ImportError('Shipped graphs need networkx: python -m pip install "dpselect[graph]".') from None
    makers = {
        "lesmis": networkx.les_miserables_graph,
        "karate": networkx.karate_club_graph,
        "florentine": networkx.florentine_families_graph,
        "davis": networkx.davis_southern_women_graph,
    }
    if name not in makers:
        raise ValueError(f"There is no shipped graph {name!r}: pass {', '.join(makers)}, or an edge file.")
    return makers[name]()

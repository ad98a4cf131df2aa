"""Edges in tables, whose columns have names: .parquet, .csv, .tsv and .xlsx."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from dpselect.kernel.errors import Advice, InputError
from dpselect.sources import edge_lines, tables
from dpselect.sources.dialects import advice, clauses
from dpselect.sources.edge_ends import Edges, Ends, Kind, arrow_module, is_edge, of_table, of_texts
from dpselect.sources.tables import AS_IT_IS, FileOptions

# Tables that are read as all others are.
_TABLE_SUFFIXES = (".tsv", ".tsv.gz", ".xlsx")
ENDINGS = (".parquet", ".csv", ".csv.gz", *_TABLE_SUFFIXES)
_BLOCK = 2**20


def read(path: Path, form: str, kind: Kind, ends: Ends, reading: FileOptions) -> Edges:
    """Return the source and target of every edge in a table that ends in ``form``, and how many rows were left out.

    Raises:
        ValueError, ImportError: a missing column, or one that is neither integers nor text; pyarrow is not installed.
    """
    if form in _TABLE_SUFFIXES or reading != AS_IT_IS:
        return _read_table(path, kind, ends, reading)
    if form == ".parquet":
        return _parquet(path, kind, ends)
    table = _fast(path, kind, ends)
    # Slower, but it knows comments between lines and odd spacing, and leaves out what is not an edge.
    return _careful(path, kind, ends) if table is None else table


def columns(path: Path, form: str, reading: FileOptions) -> list[str]:
    """Return the names of the columns of a table that ends in ``form``.

    Raises:
        ValueError, ImportError: as :func:`read`.
    """
    if form in _TABLE_SUFFIXES or reading != AS_IT_IS:
        return tables.names(path, reading)
    if form == ".parquet":
        with _parquet_file(path) as file:
            return [*file.schema_arrow.names]
    return _cells(_first_line(path)[1]) or []


def _read_table(path: Path, kind: Kind, ends: Ends, reading: FileOptions) -> Edges:
    """Return the edges of a table with a header, whose text is written as declared."""
    _places(tables.names(path, reading), ends)
    there = tables.arrows(path, [*ends], reading)
    arrow, compute = arrow_module(), arrow_module("compute")
    trimmed = {name: _trim_labels(compute, arrow, cells) for name, cells in there.items()}
    return of_table(arrow.table(trimmed), kind, ends)


def _trim_labels(compute: Any, arrow: Any, cells: Any) -> Any:
    """Return labels without the blanks around them, missing where nothing is left."""
    if not arrow.types.is_string(cells.type):
        return cells
    text = compute.utf8_trim_whitespace(cells)
    return compute.if_else(compute.equal(text, ""), None, text)


def _parquet_file(path: Path) -> Any:
    arrow, parquet = arrow_module(), arrow_module("parquet")
    try:
        return parquet.ParquetFile(path)
    except (arrow.ArrowException, OSError):
        raise InputError(f"{path.name} is not a complete parquet file.") from None


def _parquet(path: Path, kind: Kind, ends: Ends) -> Edges:
    with _parquet_file(path) as file:
        _places(file.schema_arrow.names, ends)
        table = file.read(columns=list(ends))
    return of_table(table, kind, ends)


def _fast(path: Path, kind: Kind, ends: Ends) -> Edges | None:
    """Read a plain table with pyarrow, or return ``None`` for whatever is more than that.

    Whatever it reads, it reads as :func:`_careful` does: one line decides which of the two is asked, and must not
    decide how the others are read.
    """
    arrow, reader, compute = arrow_module(), arrow_module("csv"), arrow_module("compute")
    skipped, line = _first_line(path)
    names = _cells(line)
    if names is None:
        return None
    _places(names, ends)
    skipped += 1
    if not _is_plain(path, skipped):
        return None
    cell = arrow.int64() if kind is int else arrow.string()
    types = {names[0]: arrow.string()} | dict.fromkeys(ends, cell)
    try:
        table = reader.read_csv(
            path,
            read_options=reader.ReadOptions(column_names=names, skip_rows=skipped),
            parse_options=reader.ParseOptions(quote_char=False),
            convert_options=reader.ConvertOptions(
                column_types=types,
                include_columns=list(types),
                null_values=[],
            ),
        )
    except (arrow.ArrowException, OSError):
        return None
    for name in types:
        if arrow.types.is_string(table[name].type):
            trimmed = compute.utf8_trim_whitespace(table[name])
            comment = name == names[0] and compute.any(compute.starts_with(trimmed, "#")).as_py()
            if comment or (name in ends and compute.any(compute.equal(trimmed, "")).as_py()):
                return None
            table = table.set_column(table.schema.get_field_index(name), name, trimmed)
    return of_table(table, kind, ends)


def _is_plain(path: Path, skipped: int) -> bool:
    """Return whether pyarrow reads the lines behind the header as :func:`_careful` does.

    To pyarrow a quote may run over many lines, and 0x10 is 16.
    """
    with edge_lines.open_text(path) as lines:
        for _ in range(skipped):
            next(lines, "")
        last = ""
        while block := lines.read(_BLOCK):
            near = last + block
            if any(sign in near for sign in ('"', "0x", "0X")):
                return False
            last = near[-1:]
    return True


def _careful(path: Path, kind: Kind, columns: Ends) -> Edges:
    """Read line by line; leave out the lines that are not edges."""
    ends: tuple[list[str], list[str]] = ([], [])
    places, width, dropped = (0, 1), 2, 0
    started = False
    with edge_lines.open_text(path) as lines:
        for line in lines:
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            cells = _cells(text)
            if not started and cells is not None:
                places, width, started = _places(cells, columns), len(cells), True
                continue
            pair = [cells[place] for place in places] if cells is not None and len(cells) == width else []
            if len(pair) == 2 and is_edge(pair, kind):
                for end, cell in zip(ends, pair, strict=True):
                    end.append(cell)
            else:
                dropped += 1
    if not started:
        _places([], columns)
    return of_texts(*ends, kind, dropped)


def _cells(line: str) -> list[str] | None:
    """Return the cells of one line, or ``None`` when its quotes do not close."""
    try:
        return [cell.strip() for cell in next(csv.reader([line], strict=True))]
    except csv.Error:
        return None


def _first_line(path: Path) -> tuple[int, str]:
    """Return how many lines come before the first that is not a comment, and that line."""
    number = -1
    with edge_lines.open_text(path) as lines:
        for number, line in enumerate(lines):
            if line.strip() and not line.strip().startswith("#"):
                return number, line.strip()
    return number + 1, ""


def _places(names: list[str], ends: Ends) -> tuple[int, int]:
    """Return the positions of source and target; what the file has is not quoted: it may be an edge."""
    if any("\ufffd" in name for name in names):
        raise InputError(f"The first line of the edge file {clauses(names)}.")
    if any(names.count(name) != 1 for name in ends):
        asked, advised = f"{ends[0]} and {ends[1]}", advice(names)
        if advised:
            raise InputError(f"An edge file needs the columns {asked}, and {advised}.")
        raise InputError(
            Advice(
                "An edge file needs the columns {asked} once each, named in its header: if they are called otherwise, "
                "pass {ends=(...)|--source and --target}.",
                asked=asked,
            )
        )
    return names.index(ends[0]), names.index(ends[1])

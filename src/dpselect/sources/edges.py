"""Edges in files, as two arrays of ids or labels.

Whether ids are integers or text is said by the caller, never by the file. A line that is not an edge, or whose ids are
not of that kind, is left out by itself, because whether there is an answer must not depend on one edge.
"""

from __future__ import annotations

import csv
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect._optional import not_installed
from dpselect.kernel.errors import Advice
from dpselect.sources import edge_lines, graphml, tables
from dpselect.sources.arrow_text import readable
from dpselect.sources.csv_text import integer
from dpselect.sources.dialects import advice, clauses
from dpselect.sources.locators import missing, no_table, require_plain, without_secrets
from dpselect.sources.tables import AS_IT_IS, Reading
from dpselect.sources.web import local

# Sources, targets, and how many rows or lines are not edges.
Edges = tuple[NDArray[Any], NDArray[Any], int]
Kind = type[int] | type[str]
Ends = tuple[str, str]

_COLUMNS: Ends = ("source", "target")
# Tables that are read as all others are.
_DECLARED = (".tsv", ".tsv.gz", ".xlsx")
_KNOWN = (".parquet", ".csv", ".csv.gz", ".txt", ".txt.gz", ".graphml", *_DECLARED)
_NAMED = (".parquet", ".csv", ".csv.gz", *_DECLARED)
_BLOCK = 2**20


def read(path: str | Path, *, kind: Kind, ends: Ends = _COLUMNS, reading: Reading = AS_IT_IS) -> Edges:
    """Return the source and target of every edge in a file, and how many rows were left out.

    Ends have shape (edges,) each, int64 or texts as objects: one long label would make a fixed width of all.

    ``.parquet`` and ``.csv`` hold the columns ``source`` and ``target``, or those of ``ends``; ``.graphml`` holds ids
    of nodes. A line of ``.txt`` is its first two fields, separated by white space, a comma or a semicolon; what follows
    is ignored. Text is UTF-8, may be compressed (``.gz``), and its blank lines and the lines that begin with ``#``, in
    ``.txt`` also with ``%``, are skipped. Left out and counted are rows of a table of another length, and those with an
    empty end, with an end that is not an integer where integers are asked for, or with an integer beyond 64 bits.

    Args:
        path: the file.
        kind: ``int`` or ``str``: what ids are; ``str`` leaves text as it is ("007"), and writes out the integers of a
            parquet column.
        ends: the columns of the two ends, where they are called otherwise.
        reading: how the text of a table is written, and which rows are edges; ``.tsv`` and ``.xlsx`` are tables too.

    Raises:
        FileNotFoundError: no such file.
        ValueError: another kind of file, or one whose ends have no names; a missing column, or
            a parquet column that is neither integers nor text.
        ImportError: pyarrow is not installed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "edges.csv"
    ...     _ = file.write_text("source,target\\n3,1\\n2,x\\n2,0\\n")
    ...     read(file, kind=int)
    (array([3, 2]), array([1, 0]), 1)
    """
    path, form = _form(path)
    _require_named(form, ends)
    if form in _DECLARED or reading != AS_IT_IS:
        return _declared(path, form, kind, ends, reading)
    if form == ".parquet":
        return _parquet(path, kind, ends)
    if form == ".graphml":
        every = list(graphml.edges(path))
        pairs = [pair for pair in every if _is_edge(pair, kind)]
        return _of_kind([a for a, _ in pairs], [b for _, b in pairs], kind, len(every) - len(pairs))
    if ".csv" not in form:
        return _of_lines(path, kind)
    table = _fast(path, kind, ends)
    # Slower, but it knows comments between lines and odd spacing, and leaves out what is not an edge.
    return _careful(path, kind, ends) if table is None else table


def kind_of(labels: Sequence[Any] | None) -> Kind:
    """Return the kind of ids that a public list of labels has; without one they are integers."""
    return str if labels and isinstance(labels[0], str) else int


def require_labels(path: str | Path, labels: Sequence[Any] | None) -> None:
    """Refuse public labels that no line of a text without a header can spell (``ValueError``): their edges would go.

    >>> require_labels("edges.csv", ["Lee, Ann"])
    """
    if not str(path).lower().endswith((".txt", ".txt.gz")):
        return
    wrong = next((each for each in labels or () if isinstance(each, str) and not edge_lines.is_field(each)), None)
    if wrong is not None:
        raise ValueError(
            f"The public node {wrong!r} cannot stand in a .txt file of edges, where white space, a comma or a "
            "semicolon ends a label and # or % begins a comment: write the edges as .csv, with the columns source and "
            "target."
        )


def direction(path: str | Path) -> bool | None:
    """Return whether a file says that its edges are directed or that they are not; ``None`` where it says neither.

    Raises:
        FileNotFoundError, ValueError: as :func:`read`.
    """
    path, form = _form(path)
    return graphml.is_directed(path) if form == ".graphml" else None


def _require_named(form: str, ends: Ends) -> None:
    """Refuse names for ends that have none, and one name for both."""
    if ends != _COLUMNS and form not in _NAMED:
        raise ValueError(f"The ends of edges in a {form} file have no names: leave the names of columns out.")
    if ends[0] == ends[1]:
        raise ValueError("An edge has two ends: name two different columns.")


def columns(path: str | Path, reading: Reading = AS_IT_IS) -> list[str]:
    """Return the names of the columns of an edge file; a file without a header has none, and so has GraphML.

    A writer declares an attribute in GraphML where an edge has it, so one edge may decide what is declared.

    Raises:
        FileNotFoundError, ValueError, ImportError: as :func:`read`.
    """
    path, form = _form(path)
    if form in _DECLARED or reading != AS_IT_IS:
        return tables.names(path, reading)
    if form == ".parquet":
        with _parquet_file(path) as file:
            return [*file.schema_arrow.names]
    return (_cells(_first_line(path)[1]) or []) if ".csv" in form else []


def _declared(path: Path, form: str, kind: Kind, ends: Ends, reading: Reading) -> Edges:
    """Return the edges of a table with a header, whose text is written as declared."""
    if form not in _NAMED:
        raise ValueError(f"How a table is written goes with a table of edges: leave it out for a {form} file.")
    _places(tables.names(path, reading), ends)
    there = tables.arrows(path, [*ends], reading)
    arrow, compute = _arrow(), _arrow("compute")
    trimmed = {name: _trimmed(compute, arrow, cells) for name, cells in there.items()}
    return _pairs(arrow.table(trimmed), kind, ends)


def _trimmed(compute: Any, arrow: Any, cells: Any) -> Any:
    """Return labels without the blanks around them, missing where nothing is left."""
    if not arrow.types.is_string(cells.type):
        return cells
    text = compute.utf8_trim_whitespace(cells)
    return compute.if_else(compute.equal(text, ""), None, text)


def _form(path: str | Path) -> tuple[Path, str]:
    """Return the path of an edge file, and how it ends."""
    require_plain(str(path))
    path = local(path)
    form = next((suffix for suffix in _KNOWN if path.name.lower().endswith(suffix)), None)
    if form is None:
        raise no_table(path, without_secrets(str(path)), f"one that ends in {', '.join(_KNOWN)}", "an edge file")
    if not path.is_file():
        raise missing(path)
    return path, form


def _parquet_file(path: Path) -> Any:
    arrow, parquet = _arrow(), _arrow("parquet")
    try:
        return parquet.ParquetFile(path)
    except (arrow.ArrowException, OSError):
        raise ValueError(f"{path.name} is not a complete parquet file.") from None


def _parquet(path: Path, kind: Kind, ends: Ends) -> Edges:
    with _parquet_file(path) as file:
        _places(file.schema_arrow.names, ends)
        table = file.read(columns=list(ends))
    return _pairs(table, kind, ends)


def _of_lines(path: Path, kind: Kind) -> Edges:
    """Return the edges of a text without a header: the first two fields of each line."""
    fields, dropped = edge_lines.fields(path, integers=kind is int)
    sources, targets, wrong = zip(*(_pairs(each, kind, _COLUMNS) for each in fields), strict=True)
    return np.concatenate(sources), np.concatenate(targets), dropped + sum(wrong)


def unread(path: str | Path, kind: Kind, most: int) -> list[str]:
    """Return the first lines of a text without a header that are not edges; they are private.

    Raises:
        FileNotFoundError, ValueError: as :func:`read`.
    """
    path, form = _form(path)
    return edge_lines.unread(path, lambda pair: _is_edge(pair, kind), most) if ".txt" in form else []


def _fast(path: Path, kind: Kind, ends: Ends) -> Edges | None:
    """Read a plain table with pyarrow, or return ``None`` for whatever is more than that.

    Whatever it reads, it reads as :func:`_careful` does: one line decides which of the two is asked, and must not
    decide how the others are read.
    """
    arrow, reader, compute = _arrow(), _arrow("csv"), _arrow("compute")
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
    return _pairs(table, kind, ends)


def _is_plain(path: Path, skipped: int) -> bool:
    """Return whether pyarrow reads the lines behind the header as :func:`_careful` does.

    To pyarrow a quote may run over many lines, and 0x10 is 16.
    """
    with edge_lines.opened(path) as lines:
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
    with edge_lines.opened(path) as lines:
        for line in lines:
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            cells = _cells(text)
            if not started and cells is not None:
                places, width, started = _places(cells, columns), len(cells), True
                continue
            pair = [cells[place] for place in places] if cells is not None and len(cells) == width else []
            if len(pair) == 2 and _is_edge(pair, kind):
                for end, cell in zip(ends, pair, strict=True):
                    end.append(cell)
            else:
                dropped += 1
    if not started:
        _places([], columns)
    return _of_kind(*ends, kind, dropped)


def _is_edge(pair: Sequence[str], kind: Kind) -> bool:
    """Return whether both ends are there, and are integers where these are asked for."""
    return all(pair) if kind is str else all(integer(end) is not None for end in pair)


def _of_kind(source: list[str], target: list[str], kind: Kind, dropped: int) -> Edges:
    if kind is int:
        return np.array([*map(integer, source)], np.int64), np.array([*map(integer, target)], np.int64), dropped
    return np.array(source, np.object_), np.array(target, np.object_), dropped


def _cells(line: str) -> list[str] | None:
    """Return the cells of one line, or ``None`` when its quotes do not close."""
    try:
        return [cell.strip() for cell in next(csv.reader([line], strict=True))]
    except csv.Error:
        return None


def _first_line(path: Path) -> tuple[int, str]:
    """Return how many lines come before the first that is not a comment, and that line."""
    number = -1
    with edge_lines.opened(path) as lines:
        for number, line in enumerate(lines):
            if line.strip() and not line.strip().startswith("#"):
                return number, line.strip()
    return number + 1, ""


def _places(names: list[str], ends: Ends) -> tuple[int, int]:
    """Return the positions of source and target; what the file has is not quoted: it may be an edge."""
    if any("\ufffd" in name for name in names):
        raise ValueError(f"The first line of the edge file {clauses(names)}.")
    if any(names.count(name) != 1 for name in ends):
        asked, advised = f"{ends[0]} and {ends[1]}", advice(names)
        if advised:
            raise ValueError(f"An edge file needs the columns {asked}, and {advised}.")
        raise ValueError(
            Advice(
                "An edge file needs the columns {asked} once each, named in its header: if they are called otherwise, "
                "pass {ends=(...)|--source and --target}.",
                asked=asked,
            )
        )
    return names.index(ends[0]), names.index(ends[1])


def _pairs(table: Any, kind: Kind, ends: Ends) -> Edges:
    """Return the ends of the edges of an arrow table, without those that lack an end or have one of another kind."""
    compute = _arrow("compute")
    complete = compute.and_(table[ends[0]].is_valid(), table[ends[1]].is_valid())
    whole = table.filter(complete)
    (source, good), (target, fine) = _column(whole[ends[0]], kind), _column(whole[ends[1]], kind)
    masks = [mask for mask in (good, fine) if mask is not None]
    if masks:
        combined = np.logical_and.reduce(masks)
        source, target = source[combined], target[combined]
    return source, target, table.num_rows - len(source)


def _column(column: Any, kind: Kind) -> tuple[NDArray[Any], Any]:
    """Return ids of the kind that was asked for, and which of them are; ``None`` for all."""
    arrow = _arrow()
    if arrow.types.is_integer(column.type):
        ids = np.asarray(column.to_numpy())
        if kind is str:
            return ids.astype(np.str_).astype(np.object_), None
        fits = None if ids.dtype != np.uint64 else ids < 2**63
        return ids.astype(np.int64), fits
    if arrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not (arrow.types.is_string(column.type) or arrow.types.is_large_string(column.type)):
        raise ValueError("The ends of edges must be columns of integers or text: convert them first.")
    # Each distinct label crosses into Python once.
    encoded = readable(column).cast(arrow.large_string()).combine_chunks().dictionary_encode()
    labels, places = encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
    if kind is str:
        return np.array(labels, np.object_)[places], None
    read = [integer(label) for label in labels]
    good = np.array([number is not None for number in read], np.bool_)
    ids = np.array([number or 0 for number in read], np.int64)
    return ids[places], good[places]


def _arrow(module: str = "") -> Any:
    try:
        return importlib.import_module(f"pyarrow.{module}" if module else "pyarrow")
    except ImportError:
        raise not_installed("Edge files need pyarrow", "graph") from None

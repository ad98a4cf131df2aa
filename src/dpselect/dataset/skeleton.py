"""Skeletons of descriptions, from the header of a file or the schema of a table: no cell and no edge is read."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from dpselect.dataset.toml_text import key, value
from dpselect.kernel.errors import InputError
from dpselect.sources import edge_forms, edges, feather, tables
from dpselect.sources.dialects import advice
from dpselect.sources.edge_forms import EdgeForm
from dpselect.sources.tables import FileOptions
from dpselect.sources.urls import is_url, missing
from dpselect.sources.warehouse import Warehouse
from dpselect.sources.web import is_database

_NUMBERS = "{lower = ?, upper = ?, step = 1}"
_DATES = '{lower = ?, upper = ?, step = "month"}'
_VALUES = "[?]"
_EITHER = 'These are bounds of numbers, or of dates by step = "month"; for text write every value instead, ["a", "b"].'
_BUDGET = ("", "[budget]", "epsilon = ?                     # the most that is spent; it never changes")
# A line fits on a terminal.
_WIDTH = 79


def skeleton(source: str, *, table: str | None = None, is_graph: bool = False, **written: Any) -> str:
    """Return the text of a description that is still to be filled in, with a line for every column.

    Args:
        source: a file or the URL of a database.
        table: the table of a database.
        is_graph: whether a table holds edges; other edge files say so by their ending.
        written: how the file is, as :meth:`dpselect.data.TableFile.of` takes it.

    Raises:
        OSError, ValueError, ImportError: as the readers of tables and edges.
    """
    how = ({} if table is None else {"table": table}) | written
    said = [f"{name} = {value(each)}" for name, each in how.items()]
    reading = FileOptions.of(**written)
    if is_graph or _form(source) is not None:
        return "\n".join([*_graph(source, table, said, reading), ""])
    return "\n".join([*_table(source, table, said, reading), ""])


def _table(source: str, table: str | None, said: Sequence[str], reading: FileOptions) -> list[str]:
    kinds = _schema(source, table, reading)
    names = [*kinds]
    if not _has_schema(source) and len(names) == 1 and (advised := advice(names)):
        raise InputError(f"{Path(source).name} has one column, and {advised}.")
    width = max(map(len, map(key, names)), default=0)
    head = [] if _has_schema(source) else [*_of_headers(source)]
    return [
        *head,
        *_comment("Everything here is public: never take bounds, values or numbers from the rows."),
        f"source = {value(source)}",
        *said,
        '# where = "year = 2026"          # a public condition: other rows are left out',
        f"# person = {value(names[0])}".ljust(33) + "# tells persons apart, with all of their rows",
        "# rows_per_person = 1            # how many rows of one person count",
        "",
        *_comment("Fill in each ?, and delete the lines of columns that nobody may ask about, and that of the person."),
        *(_comment(_EITHER) if "" in kinds.values() else ()),
        "[columns]",
        *(f"{key(name).ljust(width)} = {_domain(kind)}" for name, kind in kinds.items()),
        *_BUDGET,
        _ledger(source),
    ]


def _graph(source: str, table: str | None, said: Sequence[str], reading: FileOptions) -> list[str]:
    form = _form(source)
    if form is not None and not Path(source).is_file():
        raise missing(source)
    first = 0 if form is None else form.first
    count = ", ".join(str(first + each) for each in range(3))
    return [
        *([] if form is not None or _has_schema(source) else _of_headers(source)),
        *_comment("Everything here is public: never take the nodes, or how many they are, from the edges."),
        f"graph = {value(source)}",
        *said,
        f"nodes = ?                       # how many, if they are {count}, ..; or a list",
        *(_ends(source, table, reading) if form is None else _names(form)),
        "# max_degree = 100              # a public bound on degrees, if there is one",
        '# weight = {column = "weight", cap = 10}   # the most that a pair weighs',
        *_BUDGET,
        _ledger(source),
    ]


def _ends(source: str, table: str | None, reading: FileOptions) -> list[str]:
    """Return the line of the columns of ends, of a table of edges."""
    names = [*_schema(source, table, reading)] if is_database(source) else edges.columns(source, reading)
    ends = f"ends = {value(['source', 'target']) if {'source', 'target'} <= {*names} else '[?, ?]'}".ljust(32)
    return [*_comment(f"The two ends are two columns of {', '.join(map(key, names))}."), ends.rstrip()]


def _names(form: EdgeForm) -> list[str]:
    """Return what ends are called in a file that is not a table."""
    if form.nodes is None:
        return _comment("The ends of edges have no names here: the first two fields of a line are the two nodes.")
    return ['# label = "label"               # names nodes; without it they are their ids']


def _form(source: str) -> EdgeForm | None:
    return None if is_database(source) else edge_forms.of(source)


def _of_headers(source: str) -> list[str]:
    return [
        *_comment(f"PRIVATE until you look: if {Path(source).name} has no line of names, these are somebody's record."),
        *_comment("Then add a line of names to the file, delete this text, and describe the file again."),
    ]


def _comment(words: str) -> list[str]:
    """Return lines of a comment, none of which breaks a word."""
    sign = "# "
    return wrap(
        words, _WIDTH, initial_indent=sign, subsequent_indent=sign, break_long_words=False, break_on_hyphens=False
    )


def _domain(kind: str) -> str:
    """Return what is to be filled in for a column of a type; of text files it is unknown."""
    if kind in ("numbers", ""):
        return f"{_NUMBERS}   # {kind}" if kind else _NUMBERS
    if kind.startswith(("date", "timestamp")):
        return f"{_DATES}   # {kind}, such as 2025-12-31"
    return f"{_VALUES}   # {kind}: every value that counts, text in quotes"


def _ledger(source: str) -> str:
    name = "data" if is_url(source) else Path(source).name.partition(".")[0].replace("*", "") or "data"
    return f"ledger = {value(f'{name}.ledger')}".ljust(32) + "# made on first use with these terms"


def _has_schema(source: str) -> bool:
    return source.lower().endswith((".parquet", *feather.ENDINGS)) or is_database(source)


def _schema(source: str, table: str | None, reading: FileOptions) -> dict[str, str]:
    """Return the columns and, where a schema has them, their types in words."""
    if is_database(source):
        with Warehouse.open(source, table) as warehouse:
            kinds = warehouse.table.schema().items()
            return {name: "numbers" if kind.is_numeric() else _word(str(kind)) for name, kind in kinds}
    if table is not None:
        raise InputError("A file is one table: leave --table out; a DuckDB database is named as duckdb://FILE.")
    names = tables.listed_names(source, reading)
    if not _has_schema(source):
        return dict.fromkeys(filter(None, names), "")
    types = importlib.import_module("pyarrow.types")
    numeric = (types.is_integer, types.is_floating, types.is_decimal)
    return {
        name: "numbers" if any(test(kind) for test in numeric) else _word(str(kind))
        for name, kind in zip(names, tables.types(source), strict=True)
    }


def _word(kind: str) -> str:
    return kind.lower().lstrip("!")

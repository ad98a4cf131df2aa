"""Coherence of a description: what is said together must make sense, and the key that does not is named."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from dpselect.dataset.fields import DatasetFields
from dpselect.dataset.parts import DatasetError, Key, NumericDomain, refusal
from dpselect.sources import edge_forms, edges, feather, sheets, spelled_files
from dpselect.sources.conditions import Condition
from dpselect.sources.dialects import Dialect
from dpselect.sources.locators import is_url, require_plain, without_secrets

# What is said of a table, of a graph, and of how a file of text, or any file, is written.
_OF_TABLES = (
    "columns", "person", "rows_per_person", "order", "missing", "sheet", "unit", "skip_rows", "date_order",
)  # fmt: skip
_OF_GRAPHS = ("nodes", "ends", "label", "max_degree", "weight")
_OF_TEXT = ("separator", "decimal", "thousands", "encoding", "line_breaks", "unit", "skip_rows", "date_order")
_OF_FILES = (*_OF_TEXT, "missing", "sheet", "where")
_TYPED = "this goes with files of text, and this file says how it is written: delete it."
_PUBLIC = (
    "this holds a password, and a description is public: keep it in the engine's own file or variable, such as "
    "PGPASSFILE, and leave it out here."
)
_PASSWORD = re.compile(r"(?is)//[^\s]*(?::|%3a)[^\s]*(?:@|%40)")


def require_sound(dataset: DatasetFields, said: Collection[str]) -> None:
    """Refuse a description whose parts do not go together; ``said`` are the keys that say something.

    Raises:
        DatasetError: which key, and what to do.
    """
    for wrong, place, reason in _faults(dataset):
        if wrong:
            raise DatasetError(place, reason)
    for wrong, keys, reason in _strays(dataset):
        for key in keys:
            if wrong and key in said:
                raise DatasetError((key,), reason)
    _require_dialect(dataset)
    if dataset.graph is not None and not dataset.in_engine:
        _require_form(dataset)
    if dataset.where is not None:
        with refusal(("where",)):
            Condition.of(dataset.where)


def _faults(dataset: DatasetFields) -> Iterator[tuple[bool, Key, str]]:
    """Yield what may be wrong: whether it is, the key to blame, and what to do."""
    places = [each for each in (dataset.source, dataset.graph, dataset.frame) if each is not None]
    yield len(places) != 1, (), "name a source, which is a table, or a graph: one of the two."
    ledger = None if dataset.budget is None else dataset.budget.ledger
    for key, place in (((dataset.noun,), dataset.place), (("budget", "ledger"), ledger or "")):
        yield _has_password(place), key, _PUBLIC
    lacks_table = dataset.in_engine and dataset.table is None
    yield lacks_table, (dataset.noun,), 'a database holds several tables: add table = "name" or "schema.name".'
    if dataset.graph is None:
        yield not dataset.columns, ("columns",), "no column may be asked about yet: write [columns], a line for each."
        who = dataset.person or ""
        is_asked = "the column that tells persons apart cannot be asked about: delete this line."
        yield who in dataset.columns, ("columns", who), is_asked
    else:
        unknown = "nodes are public, and those with edges are not: add nodes = NUMBER, or a list of names."
        yield dataset.nodes is None, ("graph",), unknown
        two = len({*dataset.ends}) == len(dataset.ends) == 2
        yield not two, ("ends",), 'an edge has two ends: write two columns, ["source", "target"].'


def _strays(dataset: DatasetFields) -> Iterator[tuple[bool, Collection[str], str]]:
    """Yield keys that may say something of what is not there: whether it is not, the keys, and what to do."""
    ending = dataset.place.lower()
    is_frame, is_graph, is_sheet = dataset.frame is not None, dataset.graph is not None, ending.endswith(sheets.ENDINGS)
    yield dataset.in_engine, _OF_FILES, "this goes with a file: name a view of the database that has what you want."
    yield is_frame, _OF_FILES, "this goes with a file: change the frame itself, or save it and name the file."
    yield is_frame, ("order",), "a frame has the order of its rows: sort it, and leave this out."
    yield ending.endswith((".parquet", *feather.ENDINGS)), _OF_TEXT, _TYPED
    is_other = ending.endswith(spelled_files.ENDINGS) and not is_sheet
    yield is_other, ("separator", "encoding", "line_breaks", "skip_rows"), _TYPED
    # Text in a sheet may be grouped, and its numbers have a point.
    yield is_sheet, ("separator", "encoding", *(("decimal",) if dataset.decimal != "." else ())), _TYPED
    yield not is_sheet, ("sheet",), "only files of sheets (.xlsx, .ods) have them: delete it."
    yield not dataset.in_engine, ("table",), "a file is one table: delete it, or name a database as duckdb://FILE."
    yield not is_graph, _OF_GRAPHS, "this goes with a graph: delete it, or name a graph instead of a source."
    yield is_graph, _OF_TABLES, "a graph has nodes and edges, and no rows of a table: delete this."
    lonely = "this goes with person: name the column that tells persons apart, or delete this."
    yield dataset.person is None, ("rows_per_person", "order"), lonely
    unweighed = "numbers of a graph are weights: add weight = {column = ..., cap = ...}, or delete this."
    yield is_graph and dataset.weight is None, ("decimal", "thousands"), unweighed
    is_form = is_graph and not dataset.in_engine and edge_forms.of(ending) is not None
    yield is_form, (*_OF_TEXT, "where"), "this goes with a table of edges: delete it."
    yield is_form, ("ends",), "the ends of edges have names in tables alone: delete it."
    named = "only .graphml, .gexf, .gml and .net files name their nodes by a label: delete it."
    yield not (is_form and edges.lists_nodes(ending)), ("label",), named


def _require_dialect(dataset: DatasetFields) -> None:
    values = {name: getattr(dataset, name) for name in _OF_TEXT}
    # First each by itself, so that the key is known; "decimal" is what two of them mostly disagree about.
    for names, blamed in (*(((name,), name) for name in _OF_TEXT), (_OF_TEXT, "decimal")):
        with refusal((blamed if values[blamed] is not None else "thousands",)):
            dialect = Dialect(**{name: values[name] for name in names})
    numbers = any(isinstance(each, NumericDomain) for each in dataset.columns.values()) or dataset.weight is not None
    if dialect.separator == ";" and dataset.decimal is None and numbers:
        raise DatasetError(
            ("separator",),
            'between semicolons fractions mostly have a comma: add decimal = "," or decimal = "." so that nothing is '
            "guessed.",
        )


def _require_form(dataset: DatasetFields) -> None:
    """Refuse names that no edge of such a file can have."""
    with refusal(("label",)):
        edges.require_label(dataset.place, dataset.label)
    with refusal(("nodes",)):
        edges.require_labels(dataset.place, dataset.nodes if isinstance(dataset.nodes, tuple) else (), dataset.label)
    if dataset.weight is not None:
        with refusal(("weight", "column")):
            edges.require_weight(dataset.place, dataset.weight.column)


def nodes_of(value: Any) -> int | tuple[str | int, ...]:
    """Return the public nodes: how many, or their names."""
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    listed = isinstance(value, (list, tuple)) and len({type(each) for each in value}) == 1
    if not listed or type(value[0]) not in (int, str) or len({*value}) != len(value):
        raise DatasetError(("nodes",), "nodes are a positive number, or a list of different names: write one of them.")
    return tuple(value)


def _has_password(place: str) -> bool:
    """Return whether an address holds a password, escaped or not, or an option that is named like one."""
    try:
        require_plain(place)
    except ValueError:
        return True
    options = place.partition("?")[2]
    return is_url(place) and bool(_PASSWORD.search(place) or without_secrets(f" {options}") != f" {options}")

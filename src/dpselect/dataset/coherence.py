"""Coherence of a description: what is said together must make sense, and the key that does not is named."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from dpselect.dataset.description_parts import (
    UNLISTED,
    ColumnDomain,
    DatasetError,
    Key,
    NumericDomain,
    domain_of,
    refusal,
    text,
)
from dpselect.dataset.fields import KEYS, DatasetFields
from dpselect.kernel.errors import Advice
from dpselect.sources import edge_forms, edges, feather, sheets, spelled_files
from dpselect.sources.conditions import Condition
from dpselect.sources.dialects import Dialect
from dpselect.sources.urls import is_url, require_plain, without_secrets
from dpselect.sources.warehouse import STORES
from dpselect.views import Graph

# What is said of a table, of a graph, and of how a file of text, or any file, is written.
_OF_TABLES = (
    "columns", "person", "rows_per_person", "order", "missing", "sheet", "unit", "skip_rows", "date_order",
)  # fmt: skip
_OF_GRAPHS = ("nodes", "ends", "label", "max_degree", "weight")
_OF_TEXT = ("separator", "decimal", "thousands", "encoding", "line_breaks", "unit", "skip_rows", "date_order")
_OF_FILES = (*_OF_TEXT, "missing", "sheet", "where")
_TEXT_OPTION_ADVICE = Advice(
    "this goes with files of text, and this file says how it is written: {delete it|leave it out}."
)
_PUBLIC = Advice(
    "this holds a password, and {a description is public|a shell keeps its commands}: keep it in the engine's own file "
    "or variable, such as PGPASSFILE, and leave it out here."
)
_PASSWORD = re.compile(r"(?is)//[^\s]*(?::|%3a)[^\s]*(?:@|%40)")


def domains_of(columns: Any) -> Mapping[str, ColumnDomain]:
    """Return what is public of each column, read only.

    Raises:
        DatasetError: no table of columns, or a domain that cannot be used.
    """
    if not isinstance(columns, Mapping):
        raise DatasetError(("columns",), "this is a table of columns: write [columns], and a line for each.")
    for name, domain in columns.items():
        if name in KEYS and isinstance(domain, (str, int)) and domain != UNLISTED:
            raise DatasetError(
                ("columns", name), "this is a key of the dataset itself: write it above the first [table]."
            )
    return MappingProxyType(
        {text(("columns", name), name): domain_of(("columns", name), each) for name, each in columns.items()}
    )


def shipped_nodes(dataset: DatasetFields) -> tuple[Any, ...]:
    """Return the nodes of a graph that ships with NetworkX: it says itself which there are.

    Raises:
        DatasetError: there is no such graph, or others are described.
    """
    with refusal(("graph",)):
        known = tuple(Graph.from_name(str(dataset.graph)).candidates)
    if dataset.nodes is not None and nodes_of(dataset.nodes) != known:
        raise DatasetError(
            ("nodes",), Advice("the nodes of a graph that ships with NetworkX are known: {delete it|leave it out}.")
        )
    return known


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
    scheme = urlsplit(dataset.place).scheme.lower() if dataset.in_engine else ""
    stored = f"files at {scheme}:// are not read: copy the file to this machine, or pass an https:// address."
    yield scheme in STORES, (dataset.noun,), stored
    lacks_table = dataset.in_engine and dataset.table is None
    several = Advice('a database holds several tables: {add table = "name" or "schema.name"|pass --table}.')
    yield lacks_table, (dataset.noun,), several
    if dataset.graph is None:
        yield not dataset.columns, ("columns",), "no column may be asked about yet: write [columns], a line for each."
        who = dataset.person or ""
        one_column = "a histogram (.npy) has one column, with bounds: describe that one."
        sound = len(dataset.columns) == 1 and isinstance(next(iter(dataset.columns.values())), NumericDomain)
        yield dataset.is_histogram and not sound, ("columns",), one_column
        is_asked = "the column that tells persons apart cannot be asked about: delete this line."
        yield who in dataset.columns, ("columns", who), is_asked
    else:
        unknown = Advice(
            "nodes are public, and those with edges are not: "
            "{add nodes = NUMBER, or a list of names|pass --nodes, their number or a file of their names}."
        )
        yield dataset.nodes is None, ("graph",), unknown
        two = len({*dataset.ends}) == len(dataset.ends) == 2
        yield not two, ("ends",), 'an edge has two ends: write two columns, ["source", "target"].'


def _strays(dataset: DatasetFields) -> Iterator[tuple[bool, Collection[str], str]]:
    """Yield keys that may say something of what is not there: whether it is not, the keys, and what to do."""
    ending = dataset.place.lower()
    is_frame, is_graph, is_sheet = dataset.frame is not None, dataset.graph is not None, ending.endswith(sheets.ENDINGS)
    yield dataset.in_engine, _OF_FILES, "this goes with a file: name a view of the database that has what you want."
    yield is_frame, _OF_FILES, "this goes with a file: change the frame itself, or save it and name the file."
    in_memory = Advice(
        "this goes with a file that is read into memory: "
        "{delete it, or in_place|leave it out, or leave --in-place out}."
    )
    yield bool(dataset.in_place), _OF_FILES, in_memory
    counts = Advice("a histogram (.npy) has no rows and no text: {delete it|leave it out}.")
    yield dataset.is_histogram, (*_OF_FILES, "person", "order", "in_place"), counts
    shipped = Advice("a graph that ships with NetworkX is not a file: {delete it|leave it out}.")
    yield dataset.is_shipped, (*_OF_FILES, "ends", "in_place"), shipped
    of_file = Advice("this goes with a file: {delete it|leave it out}.")
    yield is_frame or (dataset.in_engine and dataset.in_place is True), ("in_place",), of_file
    yield is_frame, ("order",), "a frame has the order of its rows: sort it, and leave this out."
    yield ending.endswith((".parquet", *feather.ENDINGS)), _OF_TEXT, _TEXT_OPTION_ADVICE
    is_other = ending.endswith(spelled_files.ENDINGS) and not is_sheet
    yield is_other, ("separator", "encoding", "line_breaks", "skip_rows"), _TEXT_OPTION_ADVICE
    # Text in a sheet may be grouped, and its numbers have a point.
    yield is_sheet, ("separator", "encoding", *(("decimal",) if dataset.decimal != "." else ())), _TEXT_OPTION_ADVICE
    yield not is_sheet, ("sheet",), Advice("only files of sheets (.xlsx, .ods) have them: {delete it|leave it out}.")
    one_table = "a file is one table: {delete it|leave it out}, or name a database as duckdb://FILE."
    yield not dataset.in_engine, ("table",), Advice(one_table)
    of_graph = "this goes with a graph: {delete it, or name a graph instead of a source|leave it out}."
    yield not is_graph, _OF_GRAPHS, Advice(of_graph)
    of_table = Advice("a graph has nodes and edges, and no rows of a table: {delete this|leave it out}.")
    yield is_graph, _OF_TABLES, of_table
    lonely = (
        "this goes with {person|--person}: name the column that tells persons apart, or {delete this|leave it out}."
    )
    yield dataset.person is None, ("rows_per_person", "order"), Advice(lonely)
    unweighed = "numbers of a graph are weights: add weight = {example}, or delete this."
    weight = Advice(unweighed, example="{column = ..., cap = ...}")
    yield is_graph and dataset.weight is None, ("decimal", "thousands"), weight
    is_form = is_graph and not dataset.in_engine and edge_forms.of(ending) is not None
    yield is_form, (*_OF_TEXT, "where"), Advice("this goes with a table of edges: {delete it|leave it out}.")
    yield is_form, ("ends",), Advice("the ends of edges have names in tables alone: {delete it|leave it out}.")
    labelled = "only .graphml, .gexf, .gml and .net files name their nodes by a label: {delete it|leave it out}."
    yield not (is_form and edges.lists_nodes(ending)), ("label",), Advice(labelled)


def _require_dialect(dataset: DatasetFields) -> None:
    values = {name: getattr(dataset, name) for name in _OF_TEXT}
    # First each by itself, so that the key is known; "decimal" is what two of them mostly disagree about.
    with refusal(("thousands",)):
        # By itself it goes with either mark of fractions.
        Dialect(decimal="." if dataset.thousands == "," else ",", thousands=dataset.thousands)
    alone = (((name,), name) for name in _OF_TEXT if name != "thousands")
    for names, blamed in (*alone, (_OF_TEXT, "decimal")):
        with refusal((blamed if values[blamed] is not None else "thousands",)):
            dialect = Dialect(**{name: values[name] for name in names})
    numbers = any(isinstance(each, NumericDomain) for each in dataset.columns.values()) or dataset.weight is not None
    if dialect.separator == ";" and dataset.decimal is None and numbers:
        raise DatasetError(
            ("separator",),
            Advice(
                "between semicolons fractions mostly have a comma: "
                '{add decimal = "," or decimal = "." so that nothing is guessed.|'
                "pass --decimal , or, where they have a point, --decimal .}",
            ),
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

"""Ends of edges as arrays of one kind: integers of 64 bits, or text as it is.

Each end is read by itself; an edge that lacks one, or has one of another kind, is left out.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect._optional import not_installed
from dpselect.kernel.errors import InputError
from dpselect.sources.arrow_text import readable
from dpselect.sources.csv_text import integer
from dpselect.sources.edge_texts import EdgeTexts

# Sources, targets, and how many rows or lines are not edges.
Edges = tuple[NDArray[Any], NDArray[Any], int]
Kind = type[int] | type[str]
Ends = tuple[str, str]

COLUMNS: Ends = ("source", "target")


@dataclass(frozen=True, repr=False, eq=False)
class EdgeRows:
    """Edges of a file.

    Attributes:
        source, target: shape (edges,), int64 or texts as objects, or columns of a table.
        dropped: how many lines or elements are not edges.
        weight: shape (edges,), numbers or text that spells them, where weights were asked for.
    """

    source: Any
    target: Any
    dropped: int
    weight: Any = None

    @property
    def edges(self) -> Edges:
        """Return the ends, and how many lines are not edges."""
        return self.source, self.target, self.dropped


def of_table(table: Any, kind: Kind, ends: Ends) -> Edges:
    """Return the ends of the edges of an arrow table, without those that lack an end or have one of another kind."""
    source, target, kept = _of_kind(table, kind, ends)
    return source, target, table.num_rows - int(kept.sum())


def of_tables(tables: Sequence[Any], kind: Kind, dropped: int) -> EdgeRows:
    """Return the edges of arrow tables that follow each other; ``dropped`` lines are not edges, and in none of them."""
    parts = [_of_kind(table, kind, COLUMNS) for table in tables]
    source, target = (np.concatenate([part[end] for part in parts]) for end in (0, 1))
    weights = None
    if "weight" in tables[0].column_names:
        pairs = zip(tables, parts, strict=True)
        texts = [np.array(table["weight"].to_pylist(), np.object_)[kept] for table, (_, _, kept) in pairs]
        weights = np.concatenate(texts)
    rows = sum(table.num_rows for table in tables)
    return EdgeRows(source, target, dropped + rows - len(source), weights)


def _of_kind(table: Any, kind: Kind, ends: Ends) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.bool_]]:
    """Return the ends of the edges of a table that are of the kind, and which of its rows those are."""
    compute = arrow_module("compute")
    complete = compute.and_(table[ends[0]].is_valid(), table[ends[1]].is_valid())
    whole = table.filter(complete)
    kept = np.array(complete.to_numpy(), np.bool_)
    (source, good), (target, fine) = _column(whole[ends[0]], kind), _column(whole[ends[1]], kind)
    masks = [mask for mask in (good, fine) if mask is not None]
    if masks:
        combined = np.logical_and.reduce(masks)
        source, target = source[combined], target[combined]
        kept[kept] = combined
    return source, target, kept


def _column(column: Any, kind: Kind) -> tuple[NDArray[Any], Any]:
    """Return ids of the kind that was asked for, and which of them are; ``None`` for all."""
    arrow = arrow_module()
    if arrow.types.is_integer(column.type):
        ids = np.asarray(column.to_numpy())
        if kind is str:
            return ids.astype(np.str_).astype(np.object_), None
        fits = None if ids.dtype != np.uint64 else ids < 2**63
        return ids.astype(np.int64), fits
    if arrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not (arrow.types.is_string(column.type) or arrow.types.is_large_string(column.type)):
        raise InputError("The ends of edges must be columns of integers or text: convert them first.")
    # Each distinct label crosses into Python once.
    encoded = readable(column).cast(arrow.large_string()).combine_chunks().dictionary_encode()
    labels, places = encoded.dictionary.to_pylist(), encoded.indices.to_numpy()
    if kind is str:
        return np.array(labels, np.object_)[places], None
    read = [integer(label) for label in labels]
    good = np.array([number is not None for number in read], np.bool_)
    ids = np.array([number or 0 for number in read], np.int64)
    return ids[places], good[places]


def of_elements(texts: EdgeTexts, kind: Kind) -> EdgeRows:
    """Return the edges of a kind of a file whose elements were read one by one."""
    (source, fine), (target, good) = (_texts_of_kind(ends, kind) for ends in texts.named_ends())
    both = fine & good
    weight = np.array(texts.weights, np.object_)[both]
    return EdgeRows(source[both], target[both], texts.dropped + int((~both).sum()), weight)


def wrong_elements(texts: EdgeTexts, kind: Kind) -> Iterator[str]:
    """Yield the first elements that are not edges, as they are written; they are private."""
    yield from texts.unread
    named = zip(*texts.named_ends(), strict=True)
    for pair, source, target in zip(named, texts.sources, texts.targets, strict=True):
        if not is_edge(pair, kind):
            yield f"{source} {target}"


def _texts_of_kind(ends: list[str], kind: Kind) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return ends as they are asked for, and which of them are."""
    if kind is str:
        return np.array(ends, np.object_), np.array([*map(bool, ends)], np.bool_)
    read = {each: integer(each) for each in {*ends}}
    numbers = [read[each] for each in ends]
    good = np.array([number is not None for number in numbers], np.bool_)
    return np.array([number or 0 for number in numbers], np.int64), good


def is_edge(pair: Sequence[str], kind: Kind) -> bool:
    """Return whether both ends are there, and are integers where these are asked for."""
    return all(pair) if kind is str else all(integer(end) is not None for end in pair)


def of_texts(source: list[str], target: list[str], kind: Kind, dropped: int) -> Edges:
    """Return the ends of edges that are of the kind, from text; ``dropped`` says how many others there were."""
    if kind is int:
        return np.array([*map(integer, source)], np.int64), np.array([*map(integer, target)], np.int64), dropped
    return np.array(source, np.object_), np.array(target, np.object_), dropped


def arrow_module(module: str = "") -> Any:
    """Return pyarrow, or a module of it.

    Raises:
        ImportError: it is not installed; the message says what to install.
    """
    try:
        return importlib.import_module(f"pyarrow.{module}" if module else "pyarrow")
    except ImportError:
        raise not_installed("Edge files need pyarrow", "graph") from None

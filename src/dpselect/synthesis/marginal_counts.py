"""Counts of rows in the cells of a few columns together, from rows in memory or from one grouped query of an engine."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dpselect.synthesis.merged_codes import MergedCodes
from dpselect.synthesis.table_domain import Clique, TableDomain
from dpselect.views.grouped_counts import Histogram
from dpselect.views.row_question import RowQuestion
from dpselect.views.table_counts import stays, table_codes, table_histograms

Integers = NDArray[np.int64]


class MarginalCounts(Protocol):
    """A counter of private rows: one row more or fewer moves one cell of the counts of any columns by 1.

    Where persons are told apart, one person with all of their rows moves the cells by at most ``rows_per_person``, all
    moves added up and all of them the same way.
    """

    def counts(self, clique: Clique, merged: Sequence[MergedCodes] | None = None) -> Integers:
        """Return how many rows each cell of some columns holds, of the shape of their sizes.

        Args:
            clique: the columns.
            merged: of every column, which codes are counted together; none are where it is ``None``.
        """
        ...


class CodedRows:
    """Rows in memory, as the codes of every column.

    Args:
        codes: of every column, shape (n,).
        sizes: how many codes each column has.
    """

    def __init__(self, codes: Sequence[NDArray[np.integer[Any]]], sizes: Sequence[int]) -> None:
        self._codes, self._sizes = [*codes], tuple(sizes)

    def counts(self, clique: Clique, merged: Sequence[MergedCodes] | None = None) -> Integers:
        """Return how many rows each cell of some columns holds, of the shape of their sizes."""
        groups = _groups(clique, merged, self._sizes)
        shape = [each.size for each in groups]
        cells = np.zeros(self._codes[0].size, dtype=np.min_scalar_type(prod(shape) - 1))
        for column, each in zip(clique, groups, strict=True):
            cells *= cells.dtype.type(each.size)
            cells += each.groups.astype(cells.dtype)[self._codes[column]]
        return np.bincount(cells, minlength=prod(shape)).reshape(shape)

    def __repr__(self) -> str:
        return f"CodedRows(columns={len(self._codes)})"


class EngineRows:
    """Rows that stay where they are: one grouped query counts the cells of some columns.

    Args:
        source: the table, as questions about columns take it.
        domain: of the columns.
        person: the column that tells persons apart; ``None`` without one.
        rows_per_person: how many rows of one person count, in each question.
    """

    def __init__(self, source: Any, domain: TableDomain, person: str | None, rows_per_person: int) -> None:
        self._source, self._domain, self._person, self._rows = source, domain, person, rows_per_person
        self._known: dict[Clique, Histogram] = {}

    def counts(self, clique: Clique, merged: Sequence[MergedCodes] | None = None) -> Integers:
        """Return how many rows each cell of some columns holds, of the shape of their sizes."""
        asked = question(self._domain, clique, self._person, self._rows)
        if clique not in self._known:
            (self._known[clique],), _ = table_histograms(self._source, asked)
        # Codes may have many more cells together than their groups: those that rows are in are enough.
        occupied, many = self._known[clique]
        if len(clique) > 1:
            # Counts of groups are what a session remembers.
            del self._known[clique]
        groups = _groups(clique, merged, self._domain.sizes)
        counts = np.zeros([each.size for each in groups], dtype=np.int64)
        at = tuple(each.groups[codes] for each, codes in zip(groups, asked.apart(occupied), strict=True))
        np.add.at(counts, at, many)
        return counts

    def __repr__(self) -> str:
        return f"EngineRows(columns={len(self._domain.columns)})"


def _groups(clique: Clique, merged: Sequence[MergedCodes] | None, sizes: Sequence[int]) -> list[MergedCodes]:
    return [MergedCodes.apart(sizes[column]) if merged is None else merged[column] for column in clique]


def question(domain: TableDomain, clique: Clique, person: str | None, rows_per_person: int) -> RowQuestion:
    """Return the question how many rows the cells of some columns hold."""
    named = [domain.columns[column] for column in clique]
    # A domain that counts rows was described, and has cells.
    (first, cells), *more = [(each.name, each.cells) for each in named if each.cells is not None]
    return RowQuestion(first, cells, person=person, per_person=rows_per_person, more=(*more,), remainder=True)


def rows_of(source: Any, domain: TableDomain, person: str | None, rows_per_person: int) -> MarginalCounts:
    """Return the rows of a table, read once, or left in its engine.

    Raises:
        TypeError, ValueError, OSError: not a table; a column is missing, or of a type that no domain lists.
    """
    if stays(source):
        return EngineRows(source, domain, person, rows_per_person)
    every = question(domain, tuple(range(len(domain.columns))), person, rows_per_person)
    codes, _ = table_codes(source, every)
    return CodedRows(codes, domain.sizes)

"""Sums over rows of what their public cells add: places of cells, or one for each row whose cell is in a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

import numpy as np

from dpselect.views.grouped_counts import Histogram, Integers
from dpselect.views.row_question import RowQuestion


@dataclass(frozen=True)
class CellSum:
    """One sum over rows.

    Attributes:
        column: which of the columns that a question counts.
        spans: the first and the last cell of runs that count, one for each row; ``None`` to add the places up.
    """

    column: int
    spans: tuple[tuple[int, int], ...] | None = None

    def contributions(self, places: Integers) -> Integers:
        """Return what rows with these cells add, shape (n,)."""
        if self.spans is None:
            return places
        found = np.zeros(places.size, dtype=np.int64)
        for first, last in self.spans:
            found |= (places >= first) & (places <= last)
        return found

    def expression(self, place: Any) -> Any:
        """Return the same as an expression of an engine."""
        import ibis

        if self.spans is None:
            return place
        runs = [
            (place >= ibis.literal(first, "int64")) & (place <= ibis.literal(last, "int64"))
            for first, last in self.spans
        ]
        return ibis.ifelse(reduce(or_, runs), 1, 0).cast("int64") if runs else ibis.literal(0, "int64")


def sums_of(held: Sequence[Histogram], question: RowQuestion, sums: Sequence[CellSum]) -> Integers:
    """Return of every group how many rows count and the sums over them, shape (1 + sums, groups), from its cells."""
    places = np.concatenate([np.asarray(each, dtype=np.int64) for each, _ in held])
    counts = np.concatenate([np.asarray(each, dtype=np.int64) for _, each in held])
    group = np.repeat(np.arange(len(held)), [len(each) for each, _ in held])
    apart = question.apart(places)
    totals = np.zeros((1 + len(sums), len(held)), dtype=np.int64)
    np.add.at(totals[0], group, counts)
    for total, each in zip(totals[1:], sums, strict=True):
        np.add.at(total, group, each.contributions(apart[each.column]) * counts)
    return totals

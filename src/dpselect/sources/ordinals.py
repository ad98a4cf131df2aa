"""Find candidates of given ranks in an engine, with a few counting queries and little memory.

Integer candidates are found by counting in ever narrower spans, several ranks in one query: spans are divided by
shifts, which are exact in every engine, whatever the size and sign. Text is found by the engine's own order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Asks an expression of the engine and returns its columns.
Ask = Callable[[Any], dict[str, Any]]

# Buckets a span is divided into, rows a span may have when they are brought home, ranks looked for in one query.
_BUCKETS, _FEW, _TOGETHER = 2**15, 2**16, 16


class RowsMoved(Exception):
    """The rows are not those that were counted."""


@dataclass(frozen=True)
class Rank:
    """One integer that is looked for: the one of that ordinal among ``count`` in a span.

    Attributes:
        where: which rows are meant, an expression; the same object for the same group.
        ordinal: from 0.
        count: how many rows there must be; or integers without a row, if ``absent``.
        low, high: the span, both ends included.
        absent: whether an integer is looked for that no row names.
    """

    where: Any
    ordinal: int
    count: int
    low: int
    high: int
    absent: bool = False

    @property
    def span(self) -> tuple[int, int, int]:
        """Return what ranks of one group and span share; spans of one group are equal or disjoint."""
        return id(self.where), self.low, self.high

    @property
    def wide(self) -> bool:
        """Return whether too many rows may be in the span to bring them home."""
        return (self.high - self.low + 1 if self.absent else self.count) > _FEW

    @property
    def shift(self) -> int:
        """Return the bits of a bucket: at most _BUCKETS + 1 of them, each narrower than the span."""
        return max(0, (self.high - self.low).bit_length() - _BUCKETS.bit_length() + 1)

    def inside(self, rows: Any) -> Any:
        """Return the condition of being one of these rows."""
        return self.where & (rows.candidate >= self.low) & (rows.candidate <= self.high)


def find(rows: Any, ranks: list[Rank], ask: Ask) -> list[int]:
    """Return the integer of every rank, in the order of the ranks.

    Raises:
        RowsMoved: there are more or fewer rows somewhere than were counted.
    """
    result: dict[int, int] = {}
    for absent in (False, True):
        places = [place for place, rank in enumerate(ranks) if rank.absent == absent]
        for start in range(0, len(places), _TOGETHER):
            some = places[start : start + _TOGETHER]
            result |= zip(some, _together(rows, [ranks[place] for place in some], ask), strict=True)
    return [result[place] for place in range(len(ranks))]


def text(rows: Any, ordinal: int, ask: Ask) -> Any:
    """Return the candidate of that rank in the order of the engine.

    Raises:
        RowsMoved: there are fewer rows.
    """
    # The greatest of the first ones, since not every engine can skip rows.
    first = rows.order_by("candidate").limit(ordinal + 1)
    result = ask(first.aggregate(n=first.count(), candidate=first.candidate.max()))
    if result["n"][0] != ordinal + 1:
        raise RowsMoved
    return result["candidate"][0]


def _together(rows: Any, ranks: list[Rank], ask: Ask) -> list[int]:
    while wide := {rank.span: rank for rank in ranks if rank.wide}:
        labelled = _label_spans(rows, list(wide.values()), "bucket", lambda rank: rows.candidate >> rank.shift)
        counted = ask(labelled.group_by(["span", "bucket"]).agg(n=labelled.count()))
        sizes = {}
        for label, (span, rank) in enumerate(wide.items()):
            mine = counted["span"] == label
            sizes[span] = _sizes(rank, counted["bucket"][mine], counted["n"][mine])
        ranks = [_enter_bucket(rank, *sizes[rank.span]) if rank.wide else rank for rank in ranks]
    last = {rank.span: rank for rank in ranks}
    rows = _label_spans(rows, list(last.values()), "candidate", lambda _: rows.candidate)
    home = ask(rows)
    inside = {}
    for label, (span, rank) in enumerate(last.items()):
        named = np.sort(home["candidate"][home["span"] == label])
        if rank.absent:
            named = np.setdiff1d(np.arange(rank.low, rank.high + 1), named, assume_unique=True)
        if named.size != rank.count:
            raise RowsMoved
        inside[span] = named
    return [int(inside[rank.span][rank.ordinal]) for rank in ranks]


def _label_spans(rows: Any, ranks: list[Rank], name: str, value: Callable[[Rank], Any]) -> Any:
    """Return the rows of all spans, with the number of the span and a value that depends on it."""
    import ibis

    conditions = [rank.inside(rows) for rank in ranks]
    if len(ranks) == 1:
        columns = {"span": ibis.literal(0), name: value(ranks[0])}
    else:
        columns = {
            "span": ibis.cases(*((condition, label) for label, condition in enumerate(conditions))),
            name: ibis.cases(*((condition, value(rank)) for condition, rank in zip(conditions, ranks, strict=True))),
        }
    return rows.filter(reduce(or_, conditions)).select(**columns)


def _sizes(rank: Rank, buckets: NDArray[Any], counts: NDArray[Any]) -> tuple[NDArray[np.int64], list[int]]:
    """Return how many integers of the kind looked for each bucket has, and where buckets start and the last ends."""
    first, last = rank.low >> rank.shift, rank.high >> rank.shift
    sizes = np.zeros(last - first + 1, dtype=np.int64)
    sizes[buckets.astype(np.int64) - first] = counts
    # Python integers: a span of 64 bits has ends that no int64 holds.
    edges = [rank.low, *(bucket << rank.shift for bucket in range(first + 1, last + 1)), rank.high + 1]
    if rank.absent:
        sizes = np.diff(np.array(edges, dtype=object)).astype(np.int64) - sizes
    return sizes, edges


def _enter_bucket(rank: Rank, sizes: NDArray[np.int64], edges: list[int]) -> Rank:
    """Return the rank inside the bucket that holds it."""
    ends = sizes.cumsum()
    if int(ends[-1]) != rank.count or (sizes < 0).any():
        raise RowsMoved
    bucket = int(ends.searchsorted(rank.ordinal, side="right"))
    return replace(
        rank,
        ordinal=rank.ordinal - int(ends[bucket] - sizes[bucket]),
        count=int(sizes[bucket]),
        low=edges[bucket],
        high=edges[bucket + 1] - 1,
    )

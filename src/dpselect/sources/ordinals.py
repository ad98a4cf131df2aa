"""Find the candidate of a given rank in an engine, with a few counting queries and little memory.

Integer candidates are found by counting in buckets of a power of two, which halves nothing by accident: shifts of
integers are exact in every engine, whatever their size or sign. Other candidates are found by the engine's own order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# Asks an expression of the engine and returns its columns.
Ask = Callable[[Any], dict[str, Any]]

# Buckets counted in one query, and rows that are brought home at the end.
_BUCKETS, _FEW = 2**15, 2**16


class Moved(Exception):
    """The rows are not those that were counted."""


def present(rows: Any, ordinal: int, count: int, span: tuple[int, int] | None, ask: Ask) -> Any:
    """Return the candidate of that rank among ``count`` rows.

    Args:
        rows: an expression with one column ``candidate``.
        ordinal: from 0.
        count: how many rows there must be.
        span: least and greatest candidate, when candidates are integers.
        ask: the engine.

    Raises:
        Moved: there are more or fewer rows than that.
    """
    if span is None:
        # The greatest of the first ones, since not every engine can skip rows.
        first = rows.order_by("candidate").limit(ordinal + 1)
        found = ask(first.aggregate(n=first.count(), candidate=first.candidate.max()))
        if found["n"][0] != ordinal + 1:
            raise Moved
        return found["candidate"][0]
    low, high = span
    while count > _FEW:
        sizes, edges = _buckets(rows, low, high, ask)
        ordinal, count, low, high = _enter(sizes, edges, ordinal, count, high)
    inside = np.sort(ask(_within(rows, low, high))["candidate"])
    if inside.size != count:
        raise Moved
    return inside[ordinal].item()


def absent(rows: Any, ordinal: int, count: int, span: tuple[int, int], ask: Ask) -> int:
    """Return the integer of that rank among the ``count`` integers of a span that no row names.

    Raises:
        Moved: more or fewer are missing.
    """
    low, high = span
    while high - low >= _FEW:
        sizes, edges = _buckets(rows, low, high, ask)
        widths = np.diff(np.append(edges, high + 1))
        if (sizes > widths).any():
            raise Moved
        ordinal, count, low, high = _enter(widths - sizes, edges, ordinal, count, high)
    named = ask(_within(rows, low, high))["candidate"]
    missing = np.setdiff1d(np.arange(low, high + 1), named, assume_unique=True)
    if missing.size != count:
        raise Moved
    return int(missing[ordinal])


def _within(rows: Any, low: int, high: int) -> Any:
    return rows.filter((rows.candidate >= low) & (rows.candidate <= high))


def _buckets(rows: Any, low: int, high: int, ask: Ask) -> tuple[Any, Any]:
    """Return how many rows lie in each bucket of [low, high], and where each starts (Python integers)."""
    # At most _BUCKETS + 1 buckets, each narrower than the span.
    shift = max(0, (high - low).bit_length() - _BUCKETS.bit_length() + 1)
    first = low >> shift
    inside = _within(rows, low, high)
    counted = ask(inside.group_by(bucket=inside.candidate >> shift).agg(n=inside.count()))
    sizes = np.zeros((high >> shift) - first + 1, dtype=np.int64)
    sizes[np.asarray(counted["bucket"], dtype=np.int64) - first] = counted["n"]
    edges = np.array([max(low, (first + i) << shift) for i in range(sizes.size)], dtype=object)
    return sizes, edges


def _enter(sizes: Any, edges: Any, ordinal: int, count: int, high: int) -> tuple[int, int, int, int]:
    """Return ordinal, count and span inside the bucket that holds the ordinal."""
    ends = sizes.cumsum()
    if int(ends[-1]) != count:
        raise Moved
    bucket = int(ends.searchsorted(ordinal, side="right"))
    end = high if bucket + 1 == sizes.size else int(edges[bucket + 1]) - 1
    return ordinal - int(ends[bucket] - sizes[bucket]), int(sizes[bucket]), int(edges[bucket]), end

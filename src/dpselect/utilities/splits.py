"""Tables of counts behind a split: one (values x classes) array an attribute, zeros included."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Integers = NDArray[np.int64]


def stacked(counts: Mapping[Any, ArrayLike]) -> tuple[list[Any], Integers, Integers]:
    """Return the attributes, all rows one below the other, shape (rows, classes), and where each attribute starts.

    Raises:
        TypeError, ValueError: no attribute; tables that are no integers >= 0, have other classes, or count other
            records.
    """
    if not isinstance(counts, Mapping) or not counts:
        raise TypeError("counts must map each attribute to its (values x classes) table: pass at least one.")
    tables = [np.asarray(table) for table in counts.values()]
    if any(table.ndim != 2 or table.dtype.kind not in "iu" or (table < 0).any() for table in tables):
        raise ValueError("Each table holds integers >= 0, one row a public value and one column a public class.")
    if any(not table.shape[0] for table in tables) or len({table.shape[1] for table in tables}) != 1:
        raise ValueError("Every attribute needs at least one value and the same classes.")
    if not tables[0].shape[1] or any(not np.array_equal(t.sum(axis=0), tables[0].sum(axis=0)) for t in tables):
        raise ValueError("The attributes count different records: each table must hold every record once.")
    starts = np.cumsum([0] + [table.shape[0] for table in tables[:-1]])
    return list(counts), np.concatenate(tables).astype(np.int64), starts


def records_within(rows: Integers, starts: Integers, max_records: int | None) -> None:
    """Refuse a public bound that is none, or that the table exceeds.

    Raises:
        ValueError: a bound below 1, or below the number of records.
    """
    if max_records is None:
        return
    if isinstance(max_records, bool) or not isinstance(max_records, (int, np.integer)) or max_records < 1:
        raise ValueError("max_records must be an integer of at least 1: a public bound on the whole table.")
    if rows[: starts[1] if starts.size > 1 else None].sum() > max_records:
        raise ValueError("The table has more than max_records records: pass a larger public bound.")


def row_scores_max(rows: Integers) -> Integers:
    """Return the largest class count of every row, shape (..., rows)."""
    largest: Integers = rows.max(axis=-1)
    return largest


def row_scores_gain(rows: Integers) -> NDArray[np.float64]:
    """Return the sum over classes of t_jc log2(t_jc / t_j), shape (..., rows), at most 0."""
    return np.asarray(_xlog2x(rows).sum(axis=-1) - _xlog2x(rows.sum(axis=-1)))


def row_scores_gini(rows: Integers) -> NDArray[np.float64]:
    """Return minus t_j times the Gini impurity, shape (..., rows), at most 0."""
    total = rows.sum(axis=-1)
    squares = (rows.astype(np.float64) ** 2).sum(axis=-1)
    return np.asarray(np.divide(squares, total, out=np.zeros(total.shape), where=total > 0) - total)


def _xlog2x(counts: Integers) -> NDArray[np.float64]:
    return np.asarray(counts * np.log2(np.maximum(counts, 1)))

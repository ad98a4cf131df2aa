"""Tables of counts behind a split: one (values x classes) array an attribute, zeros included."""

from __future__ import annotations

import decimal
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import Advice, InputError, InputTypeError

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

# More records than any table holds; up to here sums of counts stay within 64 bits.
MOST_RECORDS = 2**62
# Products of two counts below this stay within 64 bits.
_NARROW = 2**31
# From this many records on the gain is taken with many digits: 2^-49 of it is too much of a tick.
_MANY_RECORDS = 2**26
# Units of 1 from which floats are too coarse: scores of Gini and misclassified are moved here, which is public.
FARTHEST = 2.0**31
# Up to here classes are taken one by one.
_FEW_CLASSES = 16
_DIGITS = decimal.Context(prec=50)


def stack_counts(counts: Mapping[Any, ArrayLike]) -> tuple[list[Any], Integers, Integers]:
    """Return the attributes, all rows one below the other, shape (rows, classes), and where each attribute starts.

    Raises:
        TypeError, ValueError: no attribute; tables that are not integers >= 0, have other classes, or count other
            records; more than 2^62 records.
    """
    if not isinstance(counts, Mapping) or not counts:
        raise InputTypeError("counts must map each attribute to its (values x classes) table: pass at least one.")
    tables = [np.asarray(table) for table in counts.values()]
    if any(table.ndim != 2 or table.dtype.kind not in "iu" or (table < 0).any() for table in tables):
        raise InputError("Each table holds integers >= 0, one row per public value and one column per public class.")
    if any(not table.shape[0] for table in tables) or len({table.shape[1] for table in tables}) != 1:
        raise InputError("Every attribute needs at least one value and the same classes.")
    if not tables[0].shape[1] or any(not np.array_equal(t.sum(axis=0), tables[0].sum(axis=0)) for t in tables):
        raise InputError("The attributes count different records: each table must hold every record once.")
    if tables[0].astype(np.float64).sum() > MOST_RECORDS:
        raise InputError("The counts add up to more than 2^62: pass counts of fewer rows.")
    starts = np.cumsum([0] + [table.shape[0] for table in tables[:-1]])
    return list(counts), np.concatenate(tables).astype(np.int64), starts


def records_within(rows: Integers, starts: Integers, max_records: int | None) -> None:
    """Refuse what is not a public bound, or one that the table exceeds.

    Raises:
        ValueError: a bound below 1 or above 2^62, or below the number of records.
    """
    if max_records is None:
        return
    if isinstance(max_records, bool) or not isinstance(max_records, (int, np.integer)) or max_records < 1:
        raise InputError(Advice("{max_records} must be an integer of at least 1: a public bound on the whole table."))
    if max_records > MOST_RECORDS:
        raise InputError(
            Advice("{max_records} is at most 2^62, more than any table holds: pass a smaller public bound.")
        )
    if rows[: starts[1] if starts.size > 1 else None].sum() > max_records:
        raise InputError(Advice("The table has more than {max_records} records: pass a larger public bound."))


def over_classes(combine: np.ufunc, cells: NDArray[Any]) -> NDArray[Any]:
    """Return integers combined over the classes, the last axis; a short one is slow to go along."""
    if not 0 < cells.shape[-1] <= _FEW_CLASSES:
        return np.asarray(combine.reduce(cells, axis=-1))
    combined = cells[..., 0]
    for place in range(1, cells.shape[-1]):
        combined = combine(combined, cells[..., place])
    return np.asarray(combined)


def row_scores_max(rows: Integers) -> Integers:
    """Return the largest class count of every row, shape (..., rows)."""
    return over_classes(np.maximum, rows)


def row_scores_gain(rows: Integers) -> Floats:
    """Return the sum over classes of t_jc log2(t_jc / t_j), shape (..., rows), at most 0."""
    return np.asarray(_gain_terms(rows).sum(axis=-1))


def gains(rows: Integers, starts: Integers, many: bool) -> Floats:
    """Return the information gain of the attributes that start at ``starts``, right to a relative 2^-49.

    ``many``, for tables that may hold 2^26 records or more, is right to 2^-52, and slow.
    """
    if many:
        ends = [*starts[1:].tolist(), len(rows)]
        tables = (rows[start:end].tolist() for start, end in zip(starts.tolist(), ends, strict=True))
        return np.array([_gain_in_digits(table) for table in tables])
    return attribute_sums(_gain_terms(rows), starts)


def many_records(rows: Integers, starts: Integers, max_records: int | None) -> bool:
    """Tell whether there may be so many records that floats are too short for the logarithms."""
    count = int(rows[: starts[1] if starts.size > 1 else None].sum()) if max_records is None else max_records
    return count >= _MANY_RECORDS


def attribute_sums(parts: Floats, starts: Integers) -> Floats:
    """Return the sum over each attribute's rows (and classes), rounded once."""
    flat, width = parts.ravel().tolist(), parts.size // len(parts)
    ends = [*starts[1:].tolist(), len(parts)]
    return np.array(
        [math.fsum(flat[start * width : end * width]) for start, end in zip(starts.tolist(), ends, strict=True)]
    )


def row_scores_gini(rows: Integers) -> Floats:
    """Return minus t_j times the Gini impurity, shape (..., rows), at most 0."""
    whole, part = impurity(rows)
    return 0.0 - (whole + part)


def impurity(rows: Integers, share: int = 1) -> tuple[Integers, Floats]:
    """Return the sum over classes of t_jc (t_j - t_jc) / (share t_j), as a whole number and a fraction below 1.

    Integers throughout, so that the fraction is rounded once and nothing else is.
    """
    total = over_classes(np.add, rows)
    cells: NDArray[Any] = rows
    if total.size and total.max() >= _NARROW:
        cells, total = rows.astype(object), total.astype(object)
    above = over_classes(np.add, cells * (total[..., None] - cells))
    below = np.maximum(total, 1) * share
    whole, rest = above // below, above % below
    return np.asarray(whole).astype(np.int64), np.asarray(rest / below).astype(np.float64)


def _gain_terms(rows: Integers) -> Floats:
    """Return t_jc log2(t_jc / t_j), all at most 0: what is added has one sign, so that nothing cancels."""
    total = np.maximum(over_classes(np.add, rows), 1)[..., None]
    # Near 1 a share is computed from what it lacks.
    lacking = np.minimum((total - rows) / total, 0.5)
    share = np.clip(rows / total, 1 / MOST_RECORDS, 0.5)
    logs = np.where(2 * lacking < 1, np.log1p(-lacking), np.log(share))
    return np.asarray(rows * (logs / np.log(2.0)))


def _gain_in_digits(table: list[list[int]]) -> float:
    """Return the information gain of one attribute, with fifty digits until the end."""
    total = decimal.Decimal(0)
    for row in table:
        for count in row:
            total = _DIGITS.add(total, _xlnx(count))
        total = _DIGITS.subtract(total, _xlnx(sum(row)))
    return float(_DIGITS.divide(total, _DIGITS.ln(2)))


def _xlnx(count: int) -> decimal.Decimal:
    return _DIGITS.multiply(count, _DIGITS.ln(count)) if count else decimal.Decimal(0)

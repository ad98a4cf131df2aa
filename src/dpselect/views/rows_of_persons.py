"""The few rows of every person that count: which ones follows from that person's rows alone.

The rows of a person count in the order of a declared column, and of those that it does not tell apart, or without it,
in the order of a hash of what each counts for: whose it is, in which group, at which place. So it does not matter in
which order a table holds its rows, and every container and engine chooses the same. Proof: ``contribution_bounds.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import md5
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.sources import cell_types, frames
from dpselect.sources.column_cells import reals

Integers = NDArray[np.int64]
# So many digits of the hash order rows; those that agree in all of them are ordered by what they count for.
DIGITS = 12


def rows_that_count(
    who: Integers,
    names: Sequence[Any] | NDArray[Any],
    groups: Integers,
    places: Integers,
    most: int,
    order: tuple[NDArray[Any], ...] = (),
) -> Integers:
    """Return the positions of the rows that count, at most ``most`` of every person, increasing.

    Args:
        who: a number of at least 0 for the person of every row, negative for a row that is left out, shape (n,).
        names: what tells apart the person of each number.
        groups, places: what every row counts for, shape (n,).
        most: how many rows of one person count.
        order: what orders the rows of a person, as :func:`order_keys` returns it.

    >>> rows_that_count(np.array([0, 0, -1, 1]), ["ann", "bob"], np.zeros(4, int), np.arange(4), 1).size
    2
    """
    rows = np.flatnonzero(who >= 0)
    sizes = np.bincount(who[rows], minlength=1)
    many = rows[sizes[who[rows]] > most]
    if not many.size:
        return rows
    owners = who[many]
    hashes = np.fromiter(
        (
            row_hash(names[owner], group, place)
            for owner, group, place in zip(owners.tolist(), groups[many].tolist(), places[many].tolist(), strict=True)
        ),
        dtype=np.int64,
        count=many.size,
    )
    keys = [places[many], groups[many], hashes, *(key[many] for key in reversed(order)), owners]
    ordered = np.lexsort(keys)
    owners = owners[ordered]
    starts = np.flatnonzero(np.append(True, owners[1:] != owners[:-1]))
    rank = np.arange(many.size) - np.repeat(starts, np.diff(np.append(starts, many.size)))
    return np.sort(np.append(rows[sizes[who[rows]] <= most], many[ordered[rank < most]]))


def first_of_each(who: Integers, groups: Integers, places: Integers) -> Integers:
    """Return the positions of one row of every person in every group and place, shape and meaning as above.

    >>> first_of_each(np.array([0, 0, 1, -1]), np.zeros(4, int), np.array([5, 5, 5, 5])).size
    2
    """
    rows = np.flatnonzero(who >= 0)
    ordered = rows[np.lexsort((places[rows], groups[rows], who[rows]))]
    columns = [each[ordered] for each in (who, groups, places)]
    same = np.logical_and.reduce([each[1:] == each[:-1] for each in columns])
    return ordered[np.append(True, ~same)] if ordered.size else ordered


def row_hash(person: Any, group: int, place: int) -> int:
    """Return the first digits of the MD5 of what a row counts for.

    It scatters what is chosen, and protects nothing.
    """
    text = f"{cell_text(person)}|{group}|{place}"
    return int(md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:DIGITS], 16)


def row_order(values: Any) -> tuple[NDArray[np.float64], list[str | None]]:
    """Return what orders rows by a column: the number in every cell, NaN where it has none, and the text of all others.

    Numbers come first, by size, then text by its signs; rows without either, which have ``None``, are last. How a cell
    is read follows from that cell and from the type of its column.

    >>> row_order(["7", 3, "2024-01-31", None])
    (array([ 7.,  3., nan, nan]), [None, None, '2024-01-31', None])
    """
    array = frames.column(values)
    moments = array.dtype.kind in "mM"
    numbers = np.full(array.size, np.nan) if moments else np.asarray(reals(array).values, dtype=np.float64)
    texts: list[str | None] = [None] * array.size
    for place in np.flatnonzero(np.isnan(numbers)).tolist():
        cell = array[place]
        if cell is not np.ma.masked and not cell_types.is_missing(cell) and cell != "":
            texts[place] = cell_text(cell)
    return numbers, texts


def order_keys(values: Any) -> tuple[NDArray[Any], ...]:
    """Return the keys of :func:`row_order` as arrays that sort, the first one first, shape (n,) each."""
    numbers, texts = row_order(values)
    known = {text: place for place, text in enumerate(sorted({text for text in texts if text is not None}))}
    # Which of two texts comes first follows from the two.
    places = np.array([len(known) if text is None else known[text] for text in texts], dtype=np.int64)
    lacking = np.isnan(numbers)
    return lacking, np.where(lacking, 0.0, numbers), places


def cell_text(cell: Any) -> str:
    """Return the text of a cell, of whatever type; that of its type where it has none."""
    try:
        return f"{cell}"
    except Exception:
        # An integer of thousands of digits, or whatever else a frame holds.
        return type(cell).__name__

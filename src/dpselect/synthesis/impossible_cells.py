"""Cells of a few columns that no row can be in, publicly: structural zeros, from conditions on rows."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.sources.conditions import Condition
from dpselect.synthesis.table_domain import Clique, TableDomain

# So many rows, one for each combination of values, are tried.
_MOST = 2**22


def impossible_cells(domain: TableDomain, conditions: Sequence[str]) -> dict[Clique, NDArray[np.bool_]]:
    """Return which cells hold only rows that fulfil a condition, of the shape of the columns that it names.

    A bin is impossible if all of its values are; missing cells fulfil no condition.

    Raises:
        TypeError, ValueError: not conditions; no such column; more than 2^22 combinations of values.
    """
    if isinstance(conditions, str):
        raise InputTypeError(f"impossible is a list of conditions: pass [{conditions!r}].")
    zeros = dict[Clique, NDArray[np.bool_]]()
    for text in conditions:
        condition = Condition.of(text)
        for name in condition.names:
            if name not in domain.names:
                raise InputError(f"impossible names {name!r}, which is not a column: use {', '.join(domain.names)}.")
        clique = tuple(sorted(domain.names.index(name) for name in condition.names))
        mask = _all_fulfil(domain, clique, condition)
        zeros[clique] = zeros[clique] | mask if clique in zeros else mask
    return zeros


def _all_fulfil(domain: TableDomain, clique: Clique, condition: Condition) -> NDArray[np.bool_]:
    """Return of which cells every combination of values fulfils the condition."""
    import pyarrow

    columns = [domain.columns[place] for place in clique]
    if prod(each.many for each in columns) > _MOST:
        raise InputError(f"{condition.text!r} has too many combinations of values to try: describe coarser steps.")
    points = [[(code, value) for code in range(each.size) for value in each.points(code)] for each in columns]
    places = np.meshgrid(*(np.arange(len(each)) for each in points), indexing="ij")
    held: dict[str, Any] = {}
    for each, known, place in zip(columns, points, places, strict=True):
        values = [value for _, value in known]
        plain = values if not any(isinstance(value, str) for value in values) else [_text(value) for value in values]
        held[each.name] = pyarrow.chunked_array([pyarrow.array(plain).take(pyarrow.array(place.ravel()))])
    fulfilled = condition.mask(held)
    cells = np.zeros([each.size for each in columns], dtype=np.int64)
    rows = cells.copy()
    at = tuple(
        np.array([code for code, _ in known])[place.ravel()] for known, place in zip(points, places, strict=True)
    )
    np.add.at(cells, at, fulfilled)
    np.add.at(rows, at, 1)
    return np.asarray(cells == rows)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)

"""Scores that come with labels: what each is of, from a mapping, a Series or two columns of a table.

Labels are public, like candidates: which there are must not depend on anybody's row. Only their container is looked at
here, never what it counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dpselect.kernel.errors import InputError, InputTypeError


def label_values(values: Any, candidates: Any) -> tuple[Any, Any]:
    """Return values and candidates as arrays or lists: the labels of the values, where no candidates are passed.

    Raises:
        ValueError: a mapping and candidates too; two Series whose rows are labelled differently.

    >>> label_values({"ann": 60, "bob": 40}, None)
    ([60, 40], ['ann', 'bob'])
    """
    if isinstance(values, Mapping):
        if candidates is not None:
            raise InputError("The keys of a mapping are the candidates: leave out candidates=, or pass a list.")
        return list(values.values()), list(values)
    own, other = _index(values), _index(candidates)
    if own is not None and other is not None and not own.equals(other):
        raise InputError(
            "The scores and the candidates are Series whose rows are labelled differently: align them, or pass lists."
        )
    if own is not None and candidates is None and not _is_counted(own):
        return values, own.tolist()
    return values, _candidate_list(candidates)


def column_of(frame: Any, name: Any) -> Any:
    """Return a column of a table that has it by name, or say which there are.

    Raises:
        TypeError: not a table of columns.
        ValueError: it has no such column, or two.
    """
    names = getattr(frame, "column_names", None)
    if names is None:
        names = frame if isinstance(frame, Mapping) else getattr(frame, "columns", None)
    if names is None:
        raise InputTypeError("frame must be a table with named columns, such as a pandas or polars DataFrame.")
    names = list(names)
    if names.count(name) != 1:
        many = "no column" if name not in names else "several columns"
        raise InputError(f"The table has {many} {name!r}: name one of {', '.join(map(repr, dict.fromkeys(names)))}.")
    column = frame[name]
    return column.to_numpy() if hasattr(column, "to_pylist") else column


def _index(series: Any) -> Any:
    """Return the labels of a pandas Series, without importing pandas; ``None`` of anything else."""
    index = getattr(series, "index", None)
    return index if hasattr(index, "equals") and hasattr(series, "dtype") else None


def _is_counted(index: Any) -> bool:
    """Return whether an index is what pandas makes where nobody names rows: 0 .. m-1."""
    start, step = getattr(index, "start", None), getattr(index, "step", None)
    return (start, step) == (0, 1)


def _candidate_list(candidates: Any) -> Any:
    """Return a column of candidates as a list; anything else as it is."""
    if isinstance(candidates, (str, bytes, np.ndarray)):
        return candidates
    for method in ("to_list", "to_pylist"):
        if callable(plain := getattr(candidates, method, None)):
            return plain()
    return candidates

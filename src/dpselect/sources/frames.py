"""Tables that people hold (pandas, polars, arrow, NumPy, a mapping of columns) as named columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def columns(table: Any) -> tuple[list[Any], dict[Any, NDArray[Any]]]:
    """Return the names of the columns and the columns, each of shape (n,). Columns of an array are called 0, 1, ...

    Raises:
        TypeError: no table.
        ValueError: an array that is not two-dimensional, or columns of different lengths.
    """
    if isinstance(table, Mapping):
        found = {name: np.asarray(values) for name, values in table.items()}
        if any(values.ndim != 1 for values in found.values()):
            raise ValueError("Every column must be one-dimensional: pass one value a record.")
        if len({values.shape[:1] for values in found.values()}) > 1:
            raise ValueError("The columns have different lengths: pass one value a record in every column.")
        return list(found), found
    if isinstance(table, (np.ndarray, list, tuple)):
        array = np.asarray(table)
        if array.ndim != 2:
            raise ValueError("Expected 2D array, got another shape: pass one row a record and one column an attribute.")
        return list(range(array.shape[1])), {place: array[:, place] for place in range(array.shape[1])}
    try:
        import narwhals as nw

        frame = nw.from_native(table, eager_only=True)
        names = list(frame.columns)
    except (ImportError, TypeError):
        raise TypeError("Pass a pandas, polars or arrow table, a NumPy array, or a mapping of columns.") from None
    except ValueError:
        raise ValueError("Some columns have the same name: pass columns of different names.") from None
    # By method: a column whose name is a number is not a row.
    return names, {name: _plain(frame.get_column(name)) for name in names}


def column(values: Any) -> NDArray[Any]:
    """Return one column, shape (n,), of whatever kind people hold."""
    if isinstance(values, np.ndarray):
        return values
    try:
        import narwhals as nw

        return _plain(nw.from_native(values, series_only=True, eager_only=True))
    except (ImportError, TypeError):
        return np.asarray(values)


def name(values: Any) -> str | None:
    """Return what a series is called, ``None`` for other kinds of columns."""
    own = getattr(values, "name", None)
    return own if isinstance(own, str) and own else None


def _plain(series: Any) -> NDArray[Any]:
    array = series.to_numpy()
    return np.asarray(array if array.dtype.kind in "biufOUS" else series.to_list())

"""Tables that people hold (pandas, polars, arrow, NumPy, lists, a mapping of columns) as named columns.

No cell is converted for the sake of another: lists become arrays of objects, integers with missing cells become masked
integers. What a container declares (a dtype, an arrow or polars type) is public, as a schema is. Columns of pandas
whose type it found by itself, such as those that NumPy holds, declare nothing: pandas changes their type when a row
asks for it, and :func:`untyped_columns` names them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.sources.cell_types import objects

# Types that pandas finds for itself, as it finds text ("str"): one cell of another kind makes objects of them.
_INFERRED_TYPES = ("DatetimeTZDtype", "PeriodDtype", "IntervalDtype")
_TWO_DIMENSIONS = "Expected 2D array, got another shape: pass one row per record and one column per attribute."


def columns(table: Any) -> tuple[list[Any], dict[Any, NDArray[Any]]]:
    """Return the names of the columns and the columns, each of shape (n,). Columns of an array are called 0, 1, ...

    Raises:
        TypeError: not a table.
        ValueError: an array that is not two-dimensional, or columns of different lengths. Shapes are public.
    """
    if isinstance(table, Mapping):
        result = {name: column(values) for name, values in table.items()}
        if any(values.ndim != 1 for values in result.values()):
            raise InputError("Every column must be one-dimensional: pass one value per record.")
        if len({values.shape[:1] for values in result.values()}) > 1:
            raise InputError("The columns have different lengths: pass one value per record in every column.")
        return list(result), result
    if isinstance(table, np.ndarray):
        if table.ndim != 2:
            raise InputError(_TWO_DIMENSIONS)
        return list(range(table.shape[1])), {place: table[:, place] for place in range(table.shape[1])}
    if isinstance(table, (list, tuple)):
        return _rows(table)
    frame = _frame(table)
    names = list(frame.columns)
    # By method: a column whose name is a number is not a row.
    return names, {name: _plain(frame.get_column(name)) for name in names}


def some(table: Any, wanted: Sequence[Any]) -> tuple[list[Any], dict[Any, Any]]:
    """Return the names of all columns, and those of the wanted columns that there are, as their container has them.

    Raises:
        TypeError, ValueError: as :func:`columns`.
    """
    if isinstance(table, Mapping):
        return list(table), {name: table[name] for name in wanted if name in table}
    if isinstance(table, (np.ndarray, list, tuple)):
        return columns(table)
    frame = _frame(table)
    names = list(frame.columns)
    return names, {name: frame.get_column(name).to_native() for name in wanted if name in names}


def untyped_columns(table: Any) -> frozenset[Any]:
    """Return the columns whose types the rows may have changed: those of pandas without a type of their own.

    There one missing cell turns integers into floats, in all rows.
    """
    if isinstance(table, Mapping):
        return frozenset(name for name, values in table.items() if is_retyped(values))
    if isinstance(table, (np.ndarray, list, tuple)):
        return frozenset()
    frame = _frame(table)
    return frozenset(name for name in frame.columns if is_retyped(frame.get_column(name).to_native()))


def text_columns(table: Any) -> frozenset[Any]:
    """Return the columns that are declared to hold text, by their types alone; lists and objects declare nothing."""
    if isinstance(table, Mapping):
        return frozenset(name for name, values in table.items() if is_text(values))
    if isinstance(table, np.ndarray):
        return frozenset(range(table.shape[1])) if table.ndim == 2 and is_text(table) else frozenset()
    if isinstance(table, (list, tuple)):
        return frozenset()
    frame = _frame(table)
    return frozenset(name for name in frame.columns if is_text(frame.get_column(name).to_native()))


def is_text(values: Any) -> bool:
    """Return whether a column is declared to hold text; what pandas found for itself declares nothing."""
    if isinstance(values, np.ndarray):
        return values.dtype.kind in "UT"
    if isinstance(values, (list, tuple, range)) or is_retyped(values):
        return False
    try:
        import narwhals as nw

        return bool(nw.from_native(values, series_only=True).dtype == nw.String)
    except (ImportError, TypeError):
        return False


def is_retyped(values: Any) -> bool:
    """Return whether rows may have changed the type of this column."""
    kind = getattr(values, "dtype", None)
    return not isinstance(values, np.ndarray) and (
        isinstance(kind, np.dtype) or str(kind) in ("category", "str") or type(kind).__name__ in _INFERRED_TYPES
    )


def column(values: Any) -> NDArray[Any]:
    """Return one column, shape (n,), of whatever kind people hold."""
    if isinstance(values, np.ndarray):
        return values
    if isinstance(values, (list, tuple, range)):
        return objects(values)
    try:
        import narwhals as nw

        return _plain(nw.from_native(values, series_only=True, eager_only=True))
    except (ImportError, TypeError):
        if hasattr(values, "to_pylist"):
            return objects(values.to_pylist())
        if hasattr(values, "__array__") or not isinstance(values, Iterable):
            return np.asarray(values)
        return objects(list(values))


def name(values: Any) -> str | None:
    """Return what a series is called, ``None`` for other kinds of columns."""
    label = getattr(values, "name", None)
    return label if isinstance(label, str) and label else None


def hint(values: Any) -> str:
    """Return what to do with what is not in memory, a clause, or an empty text; by its type alone."""
    module = type(values).__module__.partition(".")[0].lstrip("_")
    if module == "duckdb":
        return ": of a relation of DuckDB take .fetch_arrow_table(), or leave it there as a table of Ibis"
    if module == "polars" and hasattr(values, "collect"):
        return ": of a lazy frame of polars take .collect()"
    return ""


def _frame(table: Any) -> Any:
    try:
        import narwhals as nw

        return nw.from_native(table, eager_only=True)
    except (ImportError, TypeError):
        raise InputTypeError(
            f"Pass a pandas, polars or arrow table, a NumPy array, or a mapping of columns{hint(table)}."
        ) from None
    except ValueError:
        raise InputError("Some columns have the same name: pass columns of different names.") from None


def _rows(table: list[Any] | tuple[Any, ...]) -> tuple[list[Any], dict[Any, NDArray[Any]]]:
    if table and all(isinstance(row, Mapping) for row in table):
        raise InputError(
            "A list of dicts has no public columns, as any row may lack one: pass a mapping from each column to the "
            'list of its cells, such as {"age": [...], "job": [...]}, or pandas.DataFrame(rows, columns=[...]).'
        )
    if not table or not all(
        isinstance(row, (list, tuple)) or (isinstance(row, np.ndarray) and row.ndim) for row in table
    ):
        raise InputError(_TWO_DIMENSIONS)
    try:
        across = list(zip(*table, strict=True))
    except ValueError:
        raise InputError("The rows have different lengths: pass one cell per column in every row.") from None
    return list(range(len(across))), {place: objects(cells) for place, cells in enumerate(across)}


def _plain(series: Any) -> NDArray[Any]:
    if is_retyped(series.to_native()):
        array = np.asarray(series.to_numpy())
        plain = array.dtype.kind in "biufO" and str(series.to_native().dtype) != "category"
        return array if plain else objects(series.to_list())
    if str(series.dtype) in ("Int128", "UInt128"):
        # A type that polars finds for itself where one integer is long.
        return objects(series.to_list())
    if series.dtype.is_integer() or str(series.dtype) == "Boolean":
        if not series.null_count():
            return np.asarray(series.to_numpy())
        truth = str(series.dtype) == "Boolean"
        whole = np.asarray(series.fill_null(False if truth else 0).to_numpy())
        return np.ma.masked_array(
            whole.astype(np.bool_) if truth else whole, mask=np.asarray(series.is_null().to_numpy(), dtype=np.bool_)
        )
    native = series.to_native()
    kind = getattr(native, "type", getattr(native, "dtype", None))
    if series.dtype.is_temporal() or str(kind).startswith("date64"):
        return _times(series.to_arrow())
    array = np.asarray(series.to_numpy())
    return array if array.dtype.kind in "fO" else objects(series.to_list())


def _times(values: Any) -> NDArray[Any]:
    """Return an arrow column of dates, times or spans as those of NumPy, NaT where one is missing.

    They stay what they are: the type is the schema's, and no domain lists them. No cell is too large for that.
    """
    import pyarrow

    types, kind = pyarrow.types, values.type
    unit = "D" if types.is_date32(kind) else "ms" if types.is_date64(kind) else kind.unit
    narrow = kind.bit_width == 32
    whole = values.cast(pyarrow.int32() if narrow else pyarrow.int64()).cast(pyarrow.int64())
    numbers = np.asarray(whole.fill_null(np.iinfo(np.int64).min).to_numpy(zero_copy_only=False))
    return numbers.view(f"{'M' if types.is_timestamp(kind) or types.is_date(kind) else 'm'}8[{unit}]")

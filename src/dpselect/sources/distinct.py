"""A column as its distinct cells, and which of them every row holds: what is read is read once per distinct cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.sources import arrow_text, cell_types, frames

Integers = NDArray[np.int64]
# Integers within a span of so many times their number are told apart by a table instead of by sorting.
_SPAN, _TABLE = 4, 2**20


@dataclass(frozen=True, repr=False, eq=False)
class Distinct:
    """A column of a table.

    Attributes:
        codes: which distinct cell every row holds, ``OUTSIDE`` where it cannot be compared, shape (n,).
        cells: the distinct cells, of the type of the column, or objects.
        retyped: whether other rows may have changed the types of cells, as pandas lets them.
        text: whether all cells are text.
    """

    codes: Integers
    cells: NDArray[Any]
    retyped: bool = False
    text: bool = False

    def read(self, meaning: Integers) -> Integers:
        """Return what every row means, where ``meaning`` says it of every distinct cell, shape (n,)."""
        result = np.append(meaning, cell_types.OUTSIDE)[self.codes]
        return np.asarray(result, dtype=np.int64)


def distinct(values: Any) -> Distinct:
    """Return a column of whatever kind people hold as its distinct cells.

    Raises:
        ValueError: not one-dimensional.
    """
    retyped = not isinstance(values, (list, tuple)) and frames.is_retyped(values)
    text = _arrow_text(values)
    if text is not None:
        return _of_text(text, retyped)
    array = frames.column(values)
    if array.ndim != 1:
        raise InputError("Every column must be one-dimensional: pass one value per record.")
    mask = cell_types.mask_of(array)
    if mask is not None:
        # A masked cell is missing, whatever it hides.
        plain = distinct(np.asarray(array)[~mask])
        codes = np.full(array.size, cell_types.OUTSIDE, dtype=np.int64)
        codes[~mask] = plain.codes
        return Distinct(codes, plain.cells, retyped)
    if array.dtype.kind in "OT":
        # Missing cells of NumPy's text sort as if they were text.
        return _of_objects(array, retyped)
    if array.dtype.kind in "iu" and array.size:
        low, high = int(array.min()), int(array.max())
        if high - low < _SPAN * array.size + _TABLE:
            return _of_near_integers(array, low, high, retyped)
    kinds, codes = np.unique(array, return_inverse=True)
    return Distinct(codes.astype(np.int64, copy=False).reshape(-1), kinds, retyped)


def _of_near_integers(array: NDArray[Any], low: int, high: int, retyped: bool) -> Distinct:
    # Narrow integers, and signed ones of 64 bits, cannot hold every difference of two of them.
    wide = array if array.dtype.kind == "u" else array.astype(np.int64, copy=False)
    places = (wide - wide.dtype.type(low)).astype(np.int64, copy=False)
    seen = np.zeros(high - low + 1, dtype=np.bool_)
    seen[places] = True
    order = seen.cumsum() - 1
    kinds = np.flatnonzero(seen).astype(wide.dtype) + wide.dtype.type(low)
    return Distinct(order[places].astype(np.int64, copy=False), kinds.astype(array.dtype, copy=False), retyped)


def _of_objects(array: NDArray[Any], retyped: bool) -> Distinct:
    known: dict[tuple[type, Any], int] = {}
    codes = np.fromiter((_cell_number(known, each) for each in array.tolist()), dtype=np.int64, count=array.size)
    return Distinct(codes, cell_types.objects([cell for _, cell in known]), retyped)


def _cell_number(known: dict[tuple[type, Any], int], cell: Any) -> int:
    try:
        # Cells of two types may be equal and be read differently, and the first must not decide for the others.
        return known.setdefault((type(cell), cell), len(known))
    except Exception:
        # What cannot be told apart from others, such as a list.
        return cell_types.OUTSIDE


def _arrow_text(values: Any) -> Any:
    """Return a column of text as a chunked arrow array where its container has one, else ``None``."""
    module, dtype = type(values).__module__, str(getattr(values, "dtype", ""))
    if module.startswith("polars"):
        if not dtype.startswith(("String", "Utf8", "Categorical", "Enum")):
            return None
        values = values.to_arrow()
    elif module.startswith("pandas") and dtype.startswith(("str", "large_str")):
        try:
            import pyarrow

            values = pyarrow.chunked_array([pyarrow.array(values)])
        except (ImportError, ValueError):
            # Half of a surrogate pair, which arrow does not hold.
            return None
    elif not module.startswith("pyarrow"):
        return None
    import pyarrow

    kind = values.type
    kind = kind.value_type if pyarrow.types.is_dictionary(kind) else kind
    if not (pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind) or str(kind) == "string_view"):
        return None
    chunked = values if isinstance(values, pyarrow.ChunkedArray) else pyarrow.chunked_array([values])
    readable = arrow_text.readable(chunked)
    coded = pyarrow.types.is_dictionary(readable.type) and readable.num_chunks == 1
    return readable if coded else readable.cast(pyarrow.large_string())


def _indices(coded: Any) -> Integers:
    """Return the codes of an arrow array of a dictionary, ``OUTSIDE`` where a cell is missing."""
    indices = coded.indices.cast("int64")
    return np.asarray(indices.fill_null(cell_types.OUTSIDE) if indices.null_count else indices)


def _of_text(column: Any, retyped: bool) -> Distinct:
    coded = hasattr(column.type, "value_type")
    # One array has one dictionary: those of many parts would be merged part by part, each time with all names so far.
    whole = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    encoded = whole if coded else whole.dictionary_encode()
    codes, names = _indices(encoded), encoded.dictionary.to_pylist()
    known = {name: place for place, name in enumerate(dict.fromkeys(names)) if name is not None}
    if len(known) < len(names):
        # A dictionary that somebody made may hold a text twice, or a missing one.
        places = np.array(
            [known.get(name, cell_types.OUTSIDE) for name in names] + [cell_types.OUTSIDE], dtype=np.int64
        )
        names, codes = [*known], places[codes]
    return Distinct(codes.astype(np.int64, copy=False), cell_types.objects(names), retyped, True)

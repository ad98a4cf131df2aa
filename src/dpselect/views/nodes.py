"""Public nodes, and the positions of ends of edges among them: each end is read by itself."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import Advice, InputError, InputTypeError, PrivacyError
from dpselect.sources import edges
from dpselect.sources.column_cells import array_of
from dpselect.sources.csv_text import integer
from dpselect.sources.frames import is_retyped

_ASK_FOR_NODES = Advice(
    "Nodes are public candidates, and those that happen to have an edge are private: pass "
    "{nodes=|--nodes}, their number when ids are 0 .. n-1, or the public list of labels."
)
_EXACT, _END = 2**53, 2**63


def declared_nodes(nodes: int | Iterable[Any] | Path | None) -> tuple[int, Sequence[Any] | None]:
    """Return the number of public nodes, and their labels unless these are 0 .. n-1."""
    nodes = edges.public_nodes("", nodes)
    if nodes is None:
        raise PrivacyError(_ASK_FOR_NODES)
    if isinstance(nodes, (int, np.integer)) and not isinstance(nodes, bool):
        if nodes < 0:
            raise InputError(Advice("{nodes} counts the public nodes: pass a number >= 0."))
        return int(nodes), None
    if isinstance(nodes, (bool, str, bytes)) or not isinstance(nodes, Iterable):
        raise InputTypeError(
            "nodes is the number of public nodes, or a list of their labels, as Path(file).read_text().splitlines()."
        )
    listed = nodes.tolist() if isinstance(nodes, np.ndarray) else nodes
    labels = listed if isinstance(listed, range) else tuple(listed)
    # 1 == True == 1.0, so the kind is compared too.
    plain = all(type(label) is int and label == i for i, label in enumerate(labels)) and len(labels) > 0
    return len(labels), None if plain else labels


def place_ends(
    names: Sequence[Hashable],
    source: Iterable[Hashable],
    target: Iterable[Hashable],
    nodes: int | Iterable[Any] | None,
) -> tuple[NDArray[np.int64], NDArray[np.int64], int, Sequence[Any] | None]:
    """Return the positions of both ends, the number of nodes and their labels, any hashable values.

    The names of a graph are its public nodes, unless ``nodes`` says which are; an end that is none of them is -1.
    """
    size, labels = declared_nodes(names if nodes is None else nodes)
    place: dict[Hashable, int] = {label: i for i, label in enumerate(labels or range(size))}
    if len(place) != size:
        _refuse_repeats()
    a, b = (np.array([place.get(end, -1) for end in side], dtype=np.int64) for side in (source, target))
    return a, b, size, labels


def places_of(ends: Any, size: int, labels: Sequence[Any] | None) -> NDArray[np.int64]:
    """Return the positions of ends of edges among the public nodes, -1 for those that name none of them.

    Raises:
        TypeError, ValueError: by the type of the container, or by the public nodes.
    """
    array = array_of(ends)
    if labels is None:
        return _positions_of_numbers(_integers(array), size)
    if isinstance(labels, range) and labels.step == 1 and abs(labels.start) + size < _EXACT:
        return _positions_of_numbers(_integers(array) - labels.start, size)
    ascending, order = _sort_labels(labels)
    if ascending.dtype.kind != "i":
        # One by one and not as an array of a fixed width, which one long end would make wide for all.
        place: dict[str | None, int] = {str(label): at for at, label in enumerate(labels)}
        positions = (place.get(end, -1) for end in _texts(array, rounded=is_retyped(ends)))
        return np.fromiter(positions, np.int64, count=array.size)
    rounded = array.dtype.kind == "f" or is_retyped(ends)
    if rounded and max(abs(int(ascending[0])), abs(int(ascending[-1]))) >= _EXACT:
        raise InputError("Ids beyond 2^53 may have been rounded in this column: pass integers of 64 bits, or text.")
    return _positions_of_labels(_integers(array), ascending, order)


def _sort_labels(labels: Sequence[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the labels in ascending order, and where each was."""
    known = _plain(_array(labels), "Labels in nodes= must be all integers or all text, and none missing.")
    order = np.argsort(known, kind="stable")
    ascending = known[order]
    if (ascending[1:] == ascending[:-1]).any():
        _refuse_repeats()
    return ascending, order


def _array(values: ArrayLike) -> NDArray[Any]:
    # A list is kept as objects at first: NumPy would turn [1, "a"] into text without a word.
    return np.asarray(values, dtype=object) if isinstance(values, (list, tuple)) else np.asarray(values)


def _plain(values: NDArray[Any], message: str) -> NDArray[Any]:
    """Return ids as int64 or labels as text, or refuse."""
    if values.ndim != 1:
        raise InputError(message)
    if not values.size:
        return np.empty(0, dtype=np.int64)
    if values.dtype.kind == "O":
        kinds = set(map(type, values.tolist()))
        if all(issubclass(kind, str) for kind in kinds):
            return values.astype(np.str_)
        if bool in kinds or not all(issubclass(kind, (int, np.integer)) for kind in kinds):
            raise InputError(message)
        try:
            return values.astype(np.int64)
        except OverflowError:
            raise InputError("Node ids must fit into 64 bits: pass larger ones as text.") from None
    if values.dtype.kind == "u" and values.max() > np.iinfo(np.int64).max:
        raise InputError("Node ids must fit into 64 bits: pass larger ones as text.")
    if values.dtype.kind in "iu":
        return values.astype(np.int64, copy=False)
    if values.dtype.kind not in "UT":
        raise InputError(message)
    return values.astype(np.str_, copy=False)


def _integers(array: NDArray[Any]) -> NDArray[Any]:
    """Return ids as int64, masked where an end is not an integer of 64 bits."""
    mask, values = np.ma.getmaskarray(array), np.asarray(array)
    if values.dtype.kind in "bi":
        result = values.astype(np.int64)
    elif values.dtype.kind in "uf":
        good = (values < _END) & (values >= -_END) if values.dtype.kind == "f" else values < np.uint64(_END)
        if values.dtype.kind == "f":
            good &= np.floor(values) == values
        mask = mask | ~good
        result = np.where(mask, 0, values).astype(np.int64)
    else:
        read = [_integer(cell) for cell in values.tolist()]
        mask = mask | np.fromiter((number is None for number in read), np.bool_, len(read))
        result = np.fromiter((number or 0 for number in read), np.int64, len(read))
    return np.ma.masked_array(result, mask=mask)


def _integer(cell: Any) -> int | None:
    """Return the id that one end spells, ``None`` for what is not an integer of 64 bits."""
    if isinstance(cell, str):
        number = integer(cell)
    elif isinstance(cell, (int, np.integer, np.bool_)):
        number = int(cell)
    else:
        number = int(cell) if isinstance(cell, (float, np.floating)) and float(cell).is_integer() else None
    return number if number is not None and -_END <= number < _END else None


def _texts(array: NDArray[Any], *, rounded: bool) -> Iterator[str | None]:
    """Return labels as text, ``None`` for an end that is neither text nor an integer, which is written out.

    Integers beyond 2^53 are none of them where another row may have rounded them.
    """
    mask = np.ma.getmaskarray(array)
    for place, cell in enumerate(np.asarray(array).tolist()):
        if mask[place]:
            yield None
        elif isinstance(cell, str):
            yield str.__str__(cell)
        else:
            number = None if isinstance(cell, (bool, np.bool_)) else cell if array.dtype.kind == "u" else _integer(cell)
            yield None if number is None or (rounded and abs(number) >= _EXACT) else str(number)


def _positions_of_numbers(ids: Any, size: int) -> NDArray[np.int64]:
    labels = np.asarray(ids)
    return np.where(np.ma.getmaskarray(ids) | (labels < 0) | (labels >= size), -1, labels)


def _positions_of_labels(ends: Any, ascending: NDArray[Any], order: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return the positions of labels, a whole array at a time."""
    values, gone = np.asarray(ends), np.ma.getmaskarray(ends)
    if not ascending.size:
        return np.full(values.shape, -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(ascending, values), ascending.size - 1)
    return np.where(gone | (ascending[at] != values), -1, order[at])


def _refuse_repeats() -> NoReturn:
    raise InputError("Some nodes are listed twice: pass each public node once.")

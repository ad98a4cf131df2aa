"""Graphs over public nodes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import Advice, PrivacyError
from dpselect.sources import edges, graphs
from dpselect.sources.column_cells import array_of
from dpselect.sources.csv_text import integer
from dpselect.sources.frames import is_retyped
from dpselect.sources.tables import Reading

_ASK_FOR_NODES = Advice(
    "Nodes are public candidates, and those that happen to have an edge are private: pass "
    "{nodes=|--nodes}, their number when ids are 0 .. n-1, or the public list of labels."
)
_EXACT, _END = 2**53, 2**63


@dataclass(frozen=True, repr=False, eq=False)
class Graph:
    """A simple undirected graph over public nodes, in compressed rows.

    Self loops, repeated edges in either direction, and edges that name no public node at an end are dropped, each by
    itself, and counted for the curator: no edge decides whether there is a graph. The nodes are public; everything else
    is private, so a repr shows only how many nodes there are. Arrays are read-only.

    Attributes:
        indptr: shape (n + 1,), int64: where the neighbours of each node start in ``indices``.
        indices: the neighbours, sorted within each node, int32 (int64 from 2^31 nodes on).
        labels: what the nodes are called, or ``None`` when they are 0 .. n-1.
        metadata: where the edges came from, for the ledger.
        self_loops_dropped: how many edges joined a node to itself.
        duplicates_dropped: how many edges were there already.
        strangers_dropped: how many edges had an end that is missing or is not a public node.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32] | NDArray[np.int64]
    labels: Sequence[Any] | None = None
    self_loops_dropped: int = 0
    duplicates_dropped: int = 0
    metadata: Mapping[str, str] = field(default_factory=dict)
    strangers_dropped: int = 0

    @classmethod
    def from_edges(cls, source: ArrayLike, target: ArrayLike, nodes: int | Iterable[Any] | None = None) -> Graph:
        """Return the graph of these edges.

        Each end is read by itself as what the public nodes are: for numbers, 7, 7.0 and "7" are node 7; for labels of
        text, 7 is "7". An edge with an end that is neither is left out.

        Args:
            source: shape (edges,), ids or labels.
            target: shape (edges,).
            nodes: the public nodes: their number n when ids are 0 .. n-1, or the list of labels. Nodes
                without an edge are nodes too, which is why they are not read from the edges.

        Raises:
            PrivacyError: ``nodes`` is missing.
            TypeError: ``nodes`` is neither a number nor a list; ends of a type such as dates.
            ValueError: labels repeat, the two ends have different lengths, or ids beyond 2^53 in a container that may
                have rounded them.

        >>> Graph.from_edges([0, 1, 1], [1, 2, 0], nodes=5).degrees
        array([1, 2, 1, 0, 0])
        """
        size, labels = declared(nodes)
        a, b = (places_of(end, size, labels) for end in (source, target))
        if a.shape != b.shape:
            raise ValueError("Each edge has a source and a target: pass two arrays of the same length.")
        return _compressed(cls, a, b, size, labels)

    @classmethod
    def from_networkx(cls, graph: Any, nodes: int | Iterable[Any] | None = None) -> Graph:
        """Return a NetworkX graph; directions, weights and parallel edges go.

        A graph that is directed by its type is read with a warning; none tells of weights, for whether an edge has one
        is private. The graph's own nodes, isolated ones included, are thereby declared public, unless ``nodes`` lists
        others.

        Args:
            graph: any NetworkX graph.
            nodes: the public nodes, as for :meth:`from_edges`; labels may be any hashable values.

        Raises:
            TypeError: ``nodes`` is neither a number nor a list.
            ValueError: ``nodes`` lists one twice.

        >>> import networkx
        >>> Graph.from_networkx(networkx.path_graph(4))
        Graph(nodes=4)
        """
        names, source, target = graphs.of_networkx(graph)
        graphs.warn_of_directions(graph.is_directed())
        return _compressed(cls, *placed(names, source, target, nodes))

    @classmethod
    def from_igraph(cls, graph: Any, nodes: int | Iterable[Any] | None = None) -> Graph:
        """Return an igraph graph; directions, weights and parallel edges go.

        One that is directed is read with a warning; none tells of weights, for one edge can bring their attribute.

        Its own vertices, isolated ones included, by name where they have names, are thereby declared public, unless
        ``nodes`` lists others.

        Raises:
            TypeError: not an igraph graph; ``nodes`` is neither a number nor a list.
            ValueError: two vertices have one name.
        """
        names, source, target = graphs.of_igraph(graph)
        graphs.warn_of_directions(graph.is_directed())
        return _compressed(cls, *placed(names, source, target, nodes))

    @classmethod
    def from_scipy(cls, matrix: Any) -> Graph:
        """Return the graph of a square sparse matrix: every non-zero entry is an edge, nodes are 0 .. n-1.

        A symmetric matrix holds each edge twice, so half of its entries count as duplicates. NaN is not an edge. A
        matrix of other numbers than booleans is read with a warning, whatever is in it.

        Raises:
            TypeError: not a sparse matrix.
            ValueError: the matrix is not square.

        >>> from scipy.sparse import eye_array
        >>> Graph.from_scipy(eye_array(3, k=1, dtype=bool)).degrees
        array([1, 2, 1])
        """
        size, source, target = graphs.of_scipy(matrix)
        graphs.warn_of_entries(matrix)
        return cls.from_edges(source, target, nodes=size)

    @classmethod
    def read(
        cls,
        path: str | Path,
        nodes: int | Iterable[Any] | Path | None = None,
        *,
        ends: tuple[str, str] = ("source", "target"),
        separator: str | None = None,
        encoding: str = "utf-8",
        where: str | None = None,
        label: str | None = None,
    ) -> Graph:
        """Return the graph of an edge file: a table (``.parquet``, ``.csv``, ``.tsv``, ``.xlsx``) or one of a graph.

        That is ``.txt``, ``.edges``, ``.mtx``, ``.net``, ``.gml``, ``.graphml`` or ``.gexf``; text may end in ``.gz``.
        Directions that the head of a file names, and a column named weight, are left out with a warning.

        Args:
            path: the file; see ``dpselect.sources.edges.read`` for its form. A line that is not an edge is left out.
            nodes: the public nodes, as for :meth:`from_edges`, or the Path of a file of a graph that lists them. So
                many are 1 .. n in a ``.mtx`` or ``.net`` file, which counts from 1.
            ends: the columns of the two ends in a table.
            separator, encoding, where: how a table is read, as for :meth:`dpselect.data.Column.read`.
            label: the attribute that names nodes in a ``.graphml``, ``.gml``, ``.gexf`` or ``.net`` file; without it,
                nodes are their ids.

        Raises:
            PrivacyError: ``nodes`` is missing.
            FileNotFoundError, ImportError, TypeError, ValueError: no such file; no library; no list; no such columns.
        """
        size, labels = declared(edges.public_nodes(path, nodes, label))
        kind, reading = edges.kind_of(labels), Reading.of(separator, encoding=encoding, where=where)
        edges.require_labels(path, labels, label)
        source, target, dropped = edges.read(path, kind=kind, ends=ends, reading=reading, label=label)
        graphs.warn_of_directions(edges.direction(path) is True)
        graphs.warn_of_weights(edges.columns(path, reading))
        graph = cls.from_edges(source, target, nodes=size if labels is None else labels)
        return replace(graph, strangers_dropped=graph.strangers_dropped + dropped)

    @classmethod
    def named(cls, name: str) -> Graph:
        """Return a graph that ships with NetworkX, such as ``"lesmis"`` or ``"karate"``.

        Raises:
            ValueError: no such graph; the message lists them.
            ImportError: networkx is not installed.

        >>> Graph.named("lesmis")
        Graph(nodes=77)
        """
        return cls.from_networkx(graphs.named(name))

    def __len__(self) -> int:
        return self.indptr.size - 1

    @property
    def candidates(self) -> Sequence[Any]:
        """Return the public nodes, by label."""
        return range(len(self)) if self.labels is None else self.labels

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """Return the number of neighbours of each node, shape (n,)."""
        return _read_only(np.diff(self.indptr))

    def __repr__(self) -> str:
        return f"Graph(nodes={len(self)})"


def declared(nodes: int | Iterable[Any] | Path | None) -> tuple[int, Sequence[Any] | None]:
    """Return the number of public nodes, and their labels unless these are 0 .. n-1."""
    nodes = edges.public_nodes("", nodes)
    if nodes is None:
        raise PrivacyError(_ASK_FOR_NODES)
    if isinstance(nodes, (int, np.integer)) and not isinstance(nodes, bool):
        if nodes < 0:
            raise ValueError(Advice("{nodes} counts the public nodes: pass a number >= 0."))
        return int(nodes), None
    if isinstance(nodes, (bool, str, bytes)) or not isinstance(nodes, Iterable):
        raise TypeError(
            "nodes is the number of public nodes, or a list of their labels, as Path(file).read_text().splitlines()."
        )
    listed = nodes.tolist() if isinstance(nodes, np.ndarray) else nodes
    labels = listed if isinstance(listed, range) else tuple(listed)
    # 1 == True == 1.0, so the kind is compared too.
    plain = all(type(label) is int and label == i for i, label in enumerate(labels)) and len(labels) > 0
    return len(labels), None if plain else labels


def placed(
    names: Sequence[Hashable],
    source: Iterable[Hashable],
    target: Iterable[Hashable],
    nodes: int | Iterable[Any] | None,
) -> tuple[NDArray[np.int64], NDArray[np.int64], int, Sequence[Any] | None]:
    """Return the positions of both ends, the number of nodes and their labels, any hashable values.

    The names of a graph are its public nodes, unless ``nodes`` says which are; an end that is none of them is -1.
    """
    size, labels = declared(names if nodes is None else nodes)
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
        return _numbered(_integers(array), size)
    if isinstance(labels, range) and labels.step == 1 and abs(labels.start) + size < _EXACT:
        return _numbered(_integers(array) - labels.start, size)
    ascending, order = _sorted(labels)
    if ascending.dtype.kind != "i":
        # One by one and not as an array of a fixed width, which one long end would make wide for all.
        place: dict[str | None, int] = {str(label): at for at, label in enumerate(labels)}
        positions = (place.get(end, -1) for end in _texts(array, rounded=is_retyped(ends)))
        return np.fromiter(positions, np.int64, count=array.size)
    rounded = array.dtype.kind == "f" or is_retyped(ends)
    if rounded and max(abs(int(ascending[0])), abs(int(ascending[-1]))) >= _EXACT:
        raise ValueError("Ids beyond 2^53 may have been rounded in this column: pass integers of 64 bits, or text.")
    return _found(_integers(array), ascending, order)


def _sorted(labels: Sequence[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
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
        raise ValueError(message)
    if not values.size:
        return np.empty(0, dtype=np.int64)
    if values.dtype.kind == "O":
        kinds = set(map(type, values.tolist()))
        if all(issubclass(kind, str) for kind in kinds):
            return values.astype(np.str_)
        if bool in kinds or not all(issubclass(kind, (int, np.integer)) for kind in kinds):
            raise ValueError(message)
        try:
            return values.astype(np.int64)
        except OverflowError:
            raise ValueError("Node ids must fit into 64 bits: pass larger ones as text.") from None
    if values.dtype.kind == "u" and values.max() > np.iinfo(np.int64).max:
        raise ValueError("Node ids must fit into 64 bits: pass larger ones as text.")
    if values.dtype.kind in "iu":
        return values.astype(np.int64, copy=False)
    if values.dtype.kind not in "UT":
        raise ValueError(message)
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


def _numbered(ids: Any, size: int) -> NDArray[np.int64]:
    labels = np.asarray(ids)
    return np.where(np.ma.getmaskarray(ids) | (labels < 0) | (labels >= size), -1, labels)


def _found(ends: Any, ascending: NDArray[Any], order: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return the positions of labels, a whole array at a time."""
    values, gone = np.asarray(ends), np.ma.getmaskarray(ends)
    if not ascending.size:
        return np.full(values.shape, -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(ascending, values), ascending.size - 1)
    return np.where(gone | (ascending[at] != values), -1, order[at])


def _refuse_repeats() -> NoReturn:
    raise ValueError("Some nodes are listed twice: pass each public node once.")


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array


def _compressed(
    make: type[Graph],
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    size: int,
    labels: Sequence[Any] | None,
) -> Graph:
    from scipy.sparse import coo_matrix

    narrow = np.int32 if size < 2**31 else np.int64
    known = (source >= 0) & (target >= 0)
    mask = known & (source != target)
    a, b = source[mask].astype(narrow), target[mask].astype(narrow)
    # Each edge once, smaller end first; compressing drops the repetitions.
    ones = np.ones(a.size, dtype=bool)
    half = coo_matrix((ones, (np.minimum(a, b), np.maximum(a, b))), shape=(size, size)).tocsr()
    half.sum_duplicates()
    whole = (half + half.T).tocsr()
    whole.sort_indices()
    return make(
        indptr=_read_only(whole.indptr.astype(np.int64)),
        indices=_read_only(whole.indices.astype(narrow, copy=False)),
        labels=labels,
        self_loops_dropped=int(known.sum() - a.size),
        duplicates_dropped=int(a.size - half.nnz),
        strangers_dropped=int(source.size - known.sum()),
    )

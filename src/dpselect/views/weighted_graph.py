"""Weighted graphs over public nodes, as far as a selection sees them: the weights of each node's edges, added up.

Proof: ``weighted_graph.md``; of what one edge moves: ``utilities/weighted_degree.md``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import Advice, InputError, PrivacyError
from dpselect.sources import edges, graphs
from dpselect.sources.column_cells import array_of, integers, reals
from dpselect.sources.tables import FileOptions
from dpselect.views.nodes import declared_nodes, place_ends, places_of

Integers = NDArray[np.int64]
# Real weights are multiples of a power of two, of which the cap has less than 2^20: their sums are exact floats.
_LATTICE = 20
_MOST_CAP, _MOST_NODES = 2**31, 3 * 10**9


@dataclass(frozen=True, repr=False, eq=False)
class WeightedGraph:
    """A graph of public nodes whose pairs have weights, each counted up to a public cap.

    Everything between two nodes is one edge: the weights of all rows that name both, in either direction, are added up,
    and what is above the cap counts as the cap. A row whose weight is missing, negative or not a number has weight 0.
    Self loops, and rows with an end that is not a public node, are left out. Each row is read by itself. The nodes, the
    cap and the kind are public; everything else is private.

    Attributes:
        units: shape (n,), int64: the weights of each node's edges, added up, in multiples of ``unit``.
        kind: ``"integer"`` or ``"real"``.
        cap: what one edge weighs at most, a multiple of ``unit``.
        unit: 1 for integers, a power of two for real weights.
        labels: what the nodes are called, or ``None`` when they are 0 .. n-1.
        metadata: where the edges came from, for the ledger.
        self_loops_dropped: how many rows joined a node to itself.
        unknown_nodes_dropped: how many rows had an end that is missing or is not a public node.
        weightless: how many other rows count for nothing: their weight is missing, not a number, negative or 0.
    """

    units: Integers
    kind: str
    cap: Fraction
    unit: Fraction
    labels: Sequence[Any] | None = None
    self_loops_dropped: int = 0
    metadata: Mapping[str, str] = field(default_factory=dict)
    unknown_nodes_dropped: int = 0
    zero_weights_dropped: int = 0

    @classmethod
    def from_edges(
        cls,
        source: ArrayLike,
        target: ArrayLike,
        weight: Any,
        nodes: int | Iterable[Any] | None = None,
        *,
        cap: float | Fraction | None = None,
        kind: str = "real",
    ) -> WeightedGraph:
        """Return the graph of these rows.

        Args:
            source, target: shape (rows,), ids or labels, read as by :meth:`Graph.from_edges`.
            weight: shape (rows,): numbers, or text that spells them.
            nodes: the public nodes: their number n when ids are 0 .. n-1, or the list of labels.
            cap: public: what one pair weighs at most. Never read it from the private weights.
            kind: ``"real"`` (rounded down to multiples of a power of two, at most cap / 2^19) or ``"integer"`` (exact;
                the nearest integer, of two the lower).

        Raises:
            PrivacyError: ``nodes`` or ``cap`` is missing.
            TypeError, ValueError: as :meth:`Graph.from_edges`; a bad cap or kind.

        >>> WeightedGraph.from_edges([0, 1, 1], [1, 0, 2], [3, 4, 100], nodes=4, cap=10, kind="integer").units
        array([ 7, 17, 10,  0])
        """
        size, labels = declared_nodes(nodes)
        lattice = _Lattice.of(cap, kind)
        a, b = (places_of(end, size, labels) for end in (source, target))
        return _graph_of_rows(cls, a, b, array_of(weight), lattice, size, labels)

    @classmethod
    def from_networkx(
        cls,
        graph: Any,
        nodes: int | Iterable[Any] | None = None,
        *,
        weight: str | None = None,
        cap: float | Fraction | None = None,
        kind: str = "real",
    ) -> WeightedGraph:
        """Return a NetworkX graph with an attribute of its edges; directions go.

        An edge without the attribute has weight 0. Whether there is one that has it is private, so a name that no edge
        has is not refused: ``zero_weights_dropped`` tells the curator. The graph's own nodes, isolated ones included,
        are thereby declared public, unless ``nodes`` lists others.

        Raises:
            PrivacyError: ``cap`` is missing.
            TypeError, ValueError: as :meth:`from_edges`; ``weight`` is missing.

        >>> import networkx
        >>> graph = networkx.Graph([("ann", "bob", {"weight": 4}), ("bob", "eve")])
        >>> weighted = WeightedGraph.from_networkx(graph, weight="weight", cap=10, kind="integer")
        >>> weighted.units, weighted.zero_weights_dropped
        (array([4, 4, 0]), 1)
        """
        if weight is None:
            raise InputError(
                'Say which attribute of the edges holds their weights, as in weight="weight": an edge without it would '
                "count for nothing."
            )
        lattice = _Lattice.of(cap, kind)
        names, source, target = graphs.of_networkx(graph)
        graphs.warn_of_directions(graph.is_directed())
        a, b, size, labels = place_ends(names, source, target, nodes)
        cells = [each for *_, each in graph.edges(data=weight)]
        return _graph_of_rows(cls, a, b, array_of(cells), lattice, size, labels)

    @classmethod
    def from_igraph(
        cls,
        graph: Any,
        nodes: int | Iterable[Any] | None = None,
        *,
        weight: str = "weight",
        cap: float | Fraction | None = None,
        kind: str = "real",
    ) -> WeightedGraph:
        """Return an igraph graph with an attribute of its edges; directions go.

        An edge without it weighs 0, and so do all where none has it, as :attr:`zero_weights_dropped` tells the curator.

        Its own vertices, isolated ones included, are thereby declared public, unless ``nodes`` lists others.

        Raises:
            PrivacyError: ``cap`` is missing.
            TypeError, ValueError: as :meth:`from_edges`; not an igraph graph.
        """
        lattice = _Lattice.of(cap, kind)
        names, source, target = graphs.of_igraph(graph)
        graphs.warn_of_directions(graph.is_directed())
        a, b, size, labels = place_ends(names, source, target, nodes)
        # One edge can bring the attribute, so a graph is not refused where no edge has it.
        cells = list(graph.es[weight]) if weight in graph.es.attributes() else [None] * len(source)
        return _graph_of_rows(cls, a, b, array_of(cells), lattice, size, labels)

    @classmethod
    def read(
        cls,
        path: str | Path,
        nodes: int | Iterable[Any] | Path | None = None,
        *,
        ends: tuple[str, str] = ("source", "target"),
        weight: str = edges.WEIGHT,
        cap: float | Fraction | None = None,
        kind: str = "real",
        separator: str | None = None,
        decimal: str | None = None,
        encoding: str = "utf-8",
        where: str | None = None,
        thousands: str | None = None,
        label: str | None = None,
    ) -> WeightedGraph:
        """Return the graph of an edge file: a table with named columns, or any other that :meth:`Graph.read` takes.

        Args:
            path: the file.
            nodes: the public nodes, as for :meth:`Graph.read`.
            ends: the columns of the two ends of a table.
            weight: the column of weights, or the attribute in a ``.graphml``, ``.gml`` or ``.gexf`` file. The third
                field of a line, and the value of an entry of a matrix, have no other name than this.
            cap, kind: as for :meth:`from_edges`.
            separator, decimal, encoding, where, thousands: how a table is written, and a public condition on the
                rows that are edges, as for :meth:`dpselect.data.Column.read`.
            label: the attribute that names nodes, as for :meth:`Graph.read`.

        Raises:
            PrivacyError, TypeError, ValueError: as :meth:`from_edges`; no such columns; edges that have no weights, as
                the head of the file says.
            FileNotFoundError, ImportError: no such file; pyarrow is not installed.
        """
        _Lattice.of(cap, kind)
        public = edges.public_nodes(path, nodes, label)
        _, labels = declared_nodes(public)
        edges.require_labels(path, labels, label)
        reading = FileOptions.of(separator, decimal, encoding, where, thousands)
        rows = edges.read_weights(
            path, kind=edges.kind_of(labels), ends=ends, reading=reading, label=label, weight=weight
        )
        graphs.warn_of_directions(edges.direction(path) is True)
        graph = cls.from_edges(rows.source, rows.target, rows.weight, public, cap=cap, kind=kind)
        return replace(graph, unknown_nodes_dropped=graph.unknown_nodes_dropped + rows.dropped)

    def __len__(self) -> int:
        return self.units.size

    @property
    def candidates(self) -> Sequence[Any]:
        """Return the public nodes, by label."""
        return range(len(self)) if self.labels is None else self.labels

    def __repr__(self) -> str:
        return f"WeightedGraph(nodes={len(self)}, cap={float(self.cap):g})"


@dataclass(frozen=True)
class _Lattice:
    """Public multiples of a unit up to a cap.

    Attributes:
        unit: 1, or a power of two.
        most: the cap in units, rounded down.
        whole: whether weights are integers.
    """

    unit: Fraction
    most: int
    whole: bool

    @classmethod
    def of(cls, cap: Any, kind: str) -> _Lattice:
        if cap is None:
            raise PrivacyError(
                Advice(
                    "Weights need {cap=|--weight-cap}: a public number that one "
                    "pair weighs at most, never read from the private weights."
                )
            )
        if kind not in ("integer", "real"):
            raise InputError('kind is "integer" or "real".')
        try:
            most = Fraction(math.nan if isinstance(cap, (bool, np.bool_, str)) else cap)
        except (TypeError, ValueError, OverflowError):
            most = Fraction(0)
        if kind == "integer":
            if not 1 <= most <= _MOST_CAP or most.denominator != 1:
                raise InputError(
                    Advice(
                        f"{{cap|--weight-cap}} is an integer from 1 to {_MOST_CAP}, where {{kind|--weight-kind}} "
                        "is integer: pass one, or leave that out."
                    )
                )
            return cls(Fraction(1), int(most), whole=True)
        if not Fraction(1, 2**500) < most < 2**500:
            raise InputError(Advice("{cap|--weight-cap} is a positive finite number."))
        unit = Fraction(2) ** (math.frexp(float(most))[1] - _LATTICE)
        return cls(unit, int(most / unit), whole=False)

    def of_cells(self, weights: NDArray[Any]) -> Integers:
        """Return each weight in units, from 0 to the cap; 0 for what is negative, missing or not a number."""
        if self.whole:
            read = integers(weights)
            values = np.clip(read.values, 0, self.most).astype(np.int64)
            return values if read.lacking is None else np.where(read.lacking, 0, values)
        numbers = np.nan_to_num(reals(weights).values, nan=0.0)
        inside = np.clip(numbers, 0.0, float(self.most * self.unit))
        units: Integers = np.floor(inside / float(self.unit)).astype(np.int64)
        return units


def _graph_of_rows(
    make: type[WeightedGraph],
    source: Integers,
    target: Integers,
    weights: NDArray[Any],
    lattice: _Lattice,
    size: int,
    labels: Sequence[Any] | None,
) -> WeightedGraph:
    if not source.shape == target.shape == weights.shape:
        raise InputError("Each row has two ends and a weight: pass three arrays of the same length.")
    if size > _MOST_NODES:
        raise InputError(Advice(f"{{nodes}} may be at most {_MOST_NODES} where edges have weights."))
    known = (source >= 0) & (target >= 0)
    mask = known & (source != target)
    read = lattice.of_cells(weights)[mask]
    units = _of_nodes(source[mask], target[mask], read, lattice.most, size)
    units.setflags(write=False)
    return make(
        units=units,
        kind="integer" if lattice.whole else "real",
        cap=lattice.most * lattice.unit,
        unit=lattice.unit,
        labels=labels,
        self_loops_dropped=int(known.sum() - mask.sum()),
        unknown_nodes_dropped=int(source.size - known.sum()),
        zero_weights_dropped=int((read == 0).sum()),
    )


def _of_nodes(a: Integers, b: Integers, units: Integers, most: int, size: int) -> Integers:
    """Return the sums of nodes over pairs, of which each counts up to the cap, whatever rows it is made of."""
    keys, pair = np.unique(np.minimum(a, b) * size + np.maximum(a, b), return_inverse=True)
    weight = np.zeros(keys.size, dtype=np.int64)
    np.add.at(weight, pair, units)
    capped = np.minimum(weight, most)
    sums = np.zeros(size, dtype=np.int64)
    for end in (keys // max(size, 1), keys % max(size, 1)):
        np.add.at(sums, end, capped)
    return sums

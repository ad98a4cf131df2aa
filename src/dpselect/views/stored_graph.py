"""A graph whose edges stay in their engine: degrees and triangles of public nodes leave it, not edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice, InputError
from dpselect.sources.collation import require_exact
from dpselect.sources.graphs import warn_of_weights
from dpselect.sources.temporary import Temporary
from dpselect.sources.warehouse import TABLE_CHANGED, Warehouse
from dpselect.views.graph import Graph
from dpselect.views.nodes import declared_nodes, places_of
from dpselect.views.stored_triangles import corners

Integers = NDArray[np.int64]
# More labels than these are joined, fewer are listed in the query.
_MOST_LISTED = 10_000
_MOST_PARTS = 64


class StoredGraph:
    """A simple graph over public nodes, from a table with one edge per row; only ``followers`` knows directions.

    Self loops, repeated edges in either direction, and edges that lack an end or name a node that is not public count
    for nothing, as in :class:`Graph`.

    Args:
        source: a Warehouse, or whatever :meth:`Warehouse.open` takes.
        nodes: the public nodes: their number when ids are 0 .. n-1, or the list of labels.
        ends: the columns of the two ends, integers or text.
        parts: triangles are counted in the square of this number of queries, each in this fraction of the memory: a
            public number from 1 to 64. It changes no count.

    Attributes:
        metadata: where the edges came from, for the ledger.

    Raises:
        PrivacyError: ``nodes`` is missing.
        TypeError, ValueError: as :meth:`Graph.from_edges`; no such columns, of other types, or of text whose
            collation takes different labels for equal; ``parts`` is not such a number.
        ConnectionError: the engine failed.

    Limits: Labels in an engine are compared as the engine does. ``StoredGraph`` and ``most_common`` refuse columns of
    labels whose collation ignores case, accents, trailing blanks, width or composition, asked without rows. A custom
    collation may ignore something else: give such labels a binary collation. SQLite compares labels as they are
    written, whatever their column declares.

    Few metrics are counted in an engine: degree, followers, ego density and open pairs. The others stream edges into
    memory, triangles too: how far one edge moves them depends on the most neighbours that two nodes share, and that
    takes every path of two edges, hubs included, 540 per edge in an R-MAT graph of 10^6 rows and 1,500 in one of 10^7.
    Counts of triangles make 24 to 50 pairs per edge there; a planner that keeps pairs in memory instead of edges needs
    more of it, which ``parts=`` divides. Numbers by degree come from one sort of all nodes in one task. ``parts=`` is
    for DuckDB, the one engine in which it was measured: leave it at 1 in PostgreSQL, where 10^5 rows in two parts,
    without a temporary table, had not ended after five minutes on a busy machine.
    """

    def __init__(
        self,
        source: Any,
        nodes: int | Iterable[Any] | None = None,
        *,
        ends: tuple[str, str] = ("source", "target"),
        parts: int = 1,
    ) -> None:
        self._size, self._labels = declared_nodes(nodes)
        self._parts = _whole(parts)
        whole = Warehouse.open(source)
        whole.require(list(ends))
        self.warehouse, self._ends = whole.only(ends), ends
        warn_of_weights(whole.table.columns)
        text = self._labels is not None and bool(self._labels) and isinstance(self._labels[0], str)
        if self.warehouse.is_csv and not text:
            self.warehouse = _with_integers(self.warehouse, ends)
        kinds = [self.warehouse.table[end].type() for end in ends]
        if not all(kind.is_string() if text else kind.is_integer() for kind in kinds):
            raise InputError(
                Advice(
                    "The ends of edges must be integers, or text where {nodes=} lists labels of text: cast the columns."
                )
            )
        if text:
            require_exact(self.warehouse, ends)
        self.metadata: Mapping[str, str] = self.warehouse.metadata

    def __len__(self) -> int:
        return self._size

    @property
    def candidates(self) -> Sequence[Any]:
        """Return the public nodes, by label."""
        return range(self._size) if self._labels is None else self._labels

    @cached_property
    def degrees(self) -> Integers:
        """Return the number of neighbours of each node, shape (n,), by one query.

        Raises:
            ConnectionError: the engine failed.
        """
        return self._node_counts(self._degree_rows(self._edges()))

    @cached_property
    def followers(self) -> Integers:
        """Return how many different nodes point to each, shape (n,), by one query: the first end to the second.

        Raises:
            ConnectionError: the engine failed.
        """
        pairs = self._pairs().distinct()
        return self._node_counts(_count_by_node(pairs.select(node=pairs.t)))

    @cached_property
    def links(self) -> Integers:
        """Return the number of edges among the neighbours of each node, shape (n,): its triangles.

        Edges point to the end of larger degree, which bounds the pairs that the engine closes by the number of edges
        times the square root of half that number. Edges are kept in a temporary table where the warehouse allows one.

        Raises:
            ConnectionError: the engine failed.
            ValueError: the table changed meanwhile.
        """
        with Temporary(self.warehouse) as room:
            parts = corners(self._edges(), room, self._size, self._parts)
            result = self._node_counts(next(parts))
            for rows in parts:
                result += self._node_counts(rows)
        # A neighbour of v is in at most d(v) - 1 of its triangles, and every triangle has three corners.
        if (result > self.degrees * (self.degrees - 1) // 2).any() or result.sum() % 3:
            raise InputError(TABLE_CHANGED)
        return result

    def to_graph(self) -> Graph:
        """Return the whole graph in memory: edges stream in, about 120 bytes of memory for each, DuckDB included.

        Raises:
            ConnectionError: the engine failed.
        """
        edges = self._edges()
        narrow = np.int32 if self._size < 2**31 else np.int64
        parts: tuple[list[Any], list[Any]] = ([], [])
        for rows in self.warehouse.batches(edges.select("a", "b")):
            for part, name in zip(parts, ("a", "b"), strict=True):
                part.append(places_of(rows[name], self._size, self._labels).astype(narrow))
        a, b = (np.concatenate([np.empty(0, narrow), *part]) for part in parts)
        graph = Graph.from_edges(a, b, nodes=self._size)
        loops, pairs, strangers = self._dropped_rows()
        return replace(
            graph,
            labels=self._labels,
            metadata=self.metadata,
            self_loops_dropped=loops,
            duplicates_dropped=pairs - graph.indices.size // 2 - graph.unknown_nodes_dropped,
            unknown_nodes_dropped=strangers + graph.unknown_nodes_dropped,
        )

    def _dropped_rows(self) -> tuple[int, int, int]:
        """Return how many rows are self loops, how many join two public nodes, and how many do neither."""
        table = self.warehouse.table
        rows = table.select(s=table[self._ends[0]], t=table[self._ends[1]])
        known = self._rows_of_known(self._rows_of_known(rows, "s"), "t")
        every, inside, pairs = (
            int(self.warehouse.ask(each.aggregate(n=each.count()))["n"][0])
            for each in (rows, known, known.filter(known.s != known.t))
        )
        return inside - pairs, pairs, every - inside

    def _edges(self) -> Any:
        """Return every edge once, without direction."""
        import ibis

        edges = self._pairs()
        return edges.select(a=ibis.least(edges.s, edges.t), b=ibis.greatest(edges.s, edges.t)).distinct()

    def _pairs(self) -> Any:
        """Return the two different public ends of each row."""
        table = self.warehouse.table
        pairs = table.select(s=table[self._ends[0]], t=table[self._ends[1]])
        # NULL is neither equal nor different, so that it goes too.
        return self._rows_of_known(self._rows_of_known(pairs.filter(pairs.s != pairs.t), "s"), "t")

    def _rows_of_known(self, rows: Any, end: str) -> Any:
        """Return the rows whose end is a public node."""
        column = rows[end]
        if self._labels is None:
            return rows.filter((column >= 0) & (column < self._size))
        if len(self._labels) <= _MOST_LISTED:
            return rows.filter(column.isin(list(self._labels)))
        import ibis
        import pyarrow

        return rows.semi_join(ibis.memtable(pyarrow.table({end: pyarrow.array(self._labels)})), end)

    def _degree_rows(self, edges: Any) -> Any:
        return _count_by_node(edges.select(node=edges.a).union(edges.select(node=edges.b)))

    def _node_counts(self, groups: Any) -> Integers:
        """Return counts by public node; more groups than nodes never leave the engine."""
        rows = self.warehouse.ask(groups.limit(self._size + 1))
        places = places_of(rows["node"], self._size, self._labels)
        counts = np.zeros(self._size, dtype=np.int64)
        # An engine may find labels equal that differ: what names no public node counts for nothing here either.
        np.add.at(counts, places[places >= 0], rows["n"][places >= 0].astype(np.int64))
        return counts

    def __repr__(self) -> str:
        return f"StoredGraph(nodes={self._size})"


def _whole(parts: int) -> int:
    if isinstance(parts, bool) or not isinstance(parts, (int, np.integer)) or not 1 <= parts <= _MOST_PARTS:
        raise InputError(Advice(f"{{parts=}} is how many parts triangles are counted in: pass 1 to {_MOST_PARTS}."))
    return int(parts)


def _with_integers(warehouse: Warehouse, ends: tuple[str, str]) -> Warehouse:
    """Return a table whose ends are integers: csv files are text, and what is not an integer is missing."""
    table = warehouse.table
    columns = {
        end: table[end].re_search("^[ \t]*[+-]?[0-9]{1,19}[ \t]*$").ifelse(table[end].strip().try_cast("int64"), None)
        for end in ends
        if table[end].type().is_string()
    }
    return replace(warehouse, table=table.mutate(**columns)) if columns else warehouse


def _count_by_node(nodes: Any) -> Any:
    return nodes.group_by("node").aggregate(n=nodes.count())

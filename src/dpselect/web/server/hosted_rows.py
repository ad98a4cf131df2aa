"""The rows or edges of one dataset: read after a query was paid for, and never before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from dpselect.dataset import NumericDomain
from dpselect.dataset.source_rows import order_of, reading_of, source
from dpselect.kernel.errors import FileError, InputError, MissingFileError
from dpselect.queries.plan import PrivateRows, require_described, require_graph
from dpselect.sources import tables
from dpselect.sources.missing_column import no_column
from dpselect.sources.warehouse import Warehouse
from dpselect.sources.web import is_web
from dpselect.views import Graph
from dpselect.views.row_source import RowSource

# What a file looked like when it was read: two of these that are equal are the same file.
_Stamp = tuple[int, int, int]


@dataclass(frozen=True)
class HostedRows(PrivateRows):
    """Rows of one dataset. Columns of a file that nobody changed are read once and kept in memory.

    Raises:
        ValueError: a web address, which anybody could change.
    """

    _lock: Any = field(default_factory=Lock, repr=False, compare=False)
    _kept: dict[Any, tuple[_Stamp, Any]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        if is_web(self.dataset.place):
            raise InputError("Private rows are not read from a web address: name a file or a database.")

    def require(self) -> None:
        """Look whether the rows are where the description says, with the columns that it names; reads no row.

        Raises:
            OSError, ValueError, ImportError: they are not.
        """
        dataset = self.dataset
        if dataset.in_engine and dataset.graph is not None:
            dataset.edges()
        elif dataset.in_engine:
            with Warehouse.open(dataset.address, dataset.table) as warehouse:
                warehouse.require(self._named_columns)
        elif not dataset.is_shipped and not Path(dataset.address).is_file():
            raise MissingFileError(f"The file {dataset.address} does not exist: check its path.")
        elif dataset.graph is None and not dataset.is_histogram:
            self._require_columns()

    @property
    def _named_columns(self) -> list[str]:
        dataset = self.dataset
        return [*dataset.columns, *(each for each in (dataset.person, dataset.order) if each is not None)]

    def _require_columns(self) -> None:
        reading = reading_of(self.dataset)
        there = tables.names(self.dataset.address, reading)
        for name in self._named_columns:
            if name not in there:
                raise no_column(name, there, self.dataset.address)
        if any(isinstance(each, NumericDomain) for each in self.dataset.columns.values()):
            # With the wrong mark no cell is a number: every answer would be paid for, and noise.
            reading.dialect.require_decimal()

    def table(self, columns: Sequence[str]) -> Mapping[str, Any]:
        """Return the cells of some columns.

        Raises:
            Exception: any error; its message must not be shown, since it may follow from rows.
        """
        require_described(self.dataset, columns)
        return self._cells(columns)

    def source(self, columns: Sequence[str]) -> RowSource:
        """Return the table that has some columns, for what only counts: what is kept of a file, or an engine's table.

        Raises:
            Exception: as :meth:`table`.
        """
        require_described(self.dataset, columns)
        if self._stamp is None:
            return source(self.dataset)
        order = order_of(self.dataset)
        return RowSource(self._cells([*columns, *(() if order is None else (order.column,))]), order=order)

    def _cells(self, columns: Sequence[str]) -> Mapping[str, Any]:
        wanted, stamp = [*dict.fromkeys(columns)], self._stamp
        if stamp is None:
            return self.dataset.rows(wanted)
        with self._lock:
            missing = [name for name in wanted if self._kept.get(name, (None,))[0] != stamp]
            read = self.dataset.rows(missing) if missing else {}
            if self._stamp != stamp:
                raise FileError("The file changed while it was read: columns of two versions do not go together.")
            for cells in read.values():
                # A query of somebody's own must not change what the next one reads.
                cells.flags.writeable = False
            self._kept.update({name: (stamp, cells) for name, cells in read.items()})
            # A column that the file has lost is not answered from what it was.
            return {name: self._kept[name][1] for name in wanted}

    def column(self, name: str) -> Any:
        """Return a column of numbers: its cells, their counts, or where an engine counts them.

        Raises:
            Exception: as :meth:`table`.
        """
        if self.dataset.is_histogram or self._stamp is None:
            return super().column(name)
        return self.table([name])[name]

    def graph(self, kind: Any = Graph) -> Any:
        """Return the graph as one of a kind.

        Raises:
            Exception: as :meth:`table`.
        """
        require_graph(self.dataset)
        stamp = self._stamp
        if stamp is None:
            return self.dataset.edges(kind)
        with self._lock:
            before, kept = self._kept.get(kind, (None, None))
            if before != stamp:
                kept = self.dataset.edges(kind)
                self._kept[kind] = stamp, kept
            return kept

    @property
    def _stamp(self) -> _Stamp | None:
        """Return what the file looks like; ``None`` for what is not one file."""
        path = Path(self.dataset.address)
        if self.dataset.in_engine or not path.is_file():
            return None
        seen = path.stat()
        return seen.st_mtime_ns, seen.st_size, seen.st_ino

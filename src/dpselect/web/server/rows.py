"""The rows of one dataset: read after a question was paid for, and never before."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import dpselect as dps
from dpselect.dataset import Dataset
from dpselect.sources import tables
from dpselect.sources.absent import no_column
from dpselect.sources.column_cells import reals
from dpselect.sources.graphs import Dropped
from dpselect.sources.locators import is_url
from dpselect.sources.tables import Reading
from dpselect.sources.warehouse import Warehouse
from dpselect.sources.web import is_web
from dpselect.web.server.facts import DatasetFacts, Numbers

# Cells by the names of their columns: whatever the library takes as a table.
Table = Any
# What a file looked like when it was read: two of these that are equal are the same file.
_Stamp = tuple[int, int, int]


class Rows:
    """What one dataset holds. Columns of a file that nobody changed are read once and kept in memory.

    Args:
        facts: where the rows are and what is public of them.

    Raises:
        ValueError: a web address, which anybody could change.
    """

    def __init__(self, facts: DatasetFacts) -> None:
        self._facts, self._lock = facts, Lock()
        self._kept: dict[str, tuple[_Stamp, Any]] = {}
        self._where = str(facts.graph if facts.source is None else facts.source)
        if is_web(self._where):
            raise ValueError("Private rows are not read from a web address: name a file or a database.")

    @property
    def dataset(self) -> Dataset:
        """Return the description."""
        return self._facts.description

    def require(self) -> None:
        """Look whether the rows are where the settings say, with the columns that they name; reads no row.

        Raises:
            OSError, ValueError, ImportError: they are not.
        """
        facts = self._facts
        wanted = [*facts.columns, *([] if facts.person is None else [facts.person])]
        if facts.graph is not None:
            if not Path(self._where).is_file():
                raise FileNotFoundError(f"There is no file {self._where}.")
            return
        if self._in_engine:
            with Warehouse.open(self._where, facts.table) as warehouse:
                warehouse.require(wanted)
            return
        there = tables.names(self._where, self._reading)
        for name in wanted:
            if name not in there:
                raise no_column(name, there, self._where)
        if any(isinstance(each, Numbers) for each in facts.columns.values()):
            # With the wrong mark no cell is a number: every answer would be paid for, and noise.
            self._reading.dialect.require_decimal()

    def table(self, columns: Sequence[str]) -> Table:
        """Return the cells of some columns.

        Raises:
            Exception: whatever goes wrong; its message is for nobody, since it may follow from rows.
        """
        wanted = [*dict.fromkeys(columns)]
        if self._in_engine:
            with Warehouse.open(self._where, self._facts.table) as warehouse, warehouse.reading():
                return warehouse.ask(warehouse.table[wanted])
        stamp = _stamp(self._where)
        with self._lock:
            missing = [name for name in wanted if stamp is None or self._kept.get(name, (None,))[0] != stamp]
            numbers = {name for name in missing if isinstance(self._facts.columns.get(name), Numbers)}
            read = tables.table(self._where, missing, self._reading, numbers) if missing else {}
            # Text that spells numbers is read once, and not again for every question.
            read |= {name: reals(read[name]).values for name in numbers & read.keys() if read[name].dtype.kind in "UO"}
            if stamp is not None:
                self._kept.update({name: (stamp, cells) for name, cells in read.items()})
            # A column that the file has lost is not answered from what it was.
            return {name: read[name] if name in missing else self._kept[name][1] for name in wanted}

    def graph(self) -> dps.Graph:
        """Return the graph.

        Raises:
            Exception: as :meth:`table`.
        """
        facts, stamp = self._facts, _stamp(self._where)
        with self._lock:
            before, kept = self._kept.get("", (None, None))
            if stamp is None or before != stamp:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", Dropped)
                    kept = dps.Graph.read(
                        self._where, _nodes(facts), ends=facts.ends, separator=facts.separator,
                        encoding=facts.encoding, where=facts.where,
                    )  # fmt: skip
                if stamp is not None:
                    self._kept[""] = (stamp, kept)
            assert isinstance(kept, dps.Graph)
            return kept

    @property
    def _in_engine(self) -> bool:
        return is_url(self._where)

    @property
    def _reading(self) -> Reading:
        facts = self._facts
        return Reading.of(facts.separator, facts.decimal, facts.encoding, facts.where, facts.thousands)


def _nodes(facts: DatasetFacts) -> Any:
    return facts.nodes if isinstance(facts.nodes, int) else list(facts.nodes or ())


def _stamp(where: str) -> _Stamp | None:
    """Return what a file looks like; ``None`` for what is not one file."""
    path = Path(where)
    if not path.is_file():
        return None
    seen = path.stat()
    return seen.st_mtime_ns, seen.st_size, seen.st_ino

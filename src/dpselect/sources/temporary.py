"""Temporary tables in an engine: what training writes there where it may, gone afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from uuid import uuid4

from dpselect.kernel.errors import Advice, InputError
from dpselect.sources.engines import EVERY_ENGINE, engine
from dpselect.sources.warehouse import CONNECTION_LOST, Warehouse, guard_engine


class Temporary:
    """The temporary tables of one training: a context manager that drops them.

    Args:
        warehouse: whose engine holds them. Where it is files, the engine is our own DuckDB.
    """

    def __init__(self, warehouse: Warehouse) -> None:
        self._allowed = warehouse.temporary or bool(warehouse.files)
        self._backend = guard_engine(warehouse.table.get_backend, CONNECTION_LOST)
        self._engine = engine(self._backend.name)
        self._names: list[str] = []

    @property
    def is_allowed(self) -> bool:
        """Return whether tables may be written here, and are then written once."""
        return self._allowed and self._engine.temporary

    @property
    def inlines(self) -> bool:
        """Return whether the engine writes expressions of subqueries out wherever they are used."""
        return self._engine.inlines

    @property
    def updates(self) -> bool:
        """Return whether :meth:`rewritten` works where the rows are, and so costs little."""
        return self._engine.updates

    def require(self) -> None:
        """Refuse an engine without temporary tables that are written once, and one that may not write any.

        Raises:
            ValueError: which engines have them, or how to allow them.
        """
        if not self._engine.temporary:
            *able, last = [each.title for each in EVERY_ENGINE if each.temporary]
            raise InputError(
                f"Temporary tables are for {', '.join(able)} and {last}, and this is {self._engine.title}: "
                "read the table into a frame."
            )
        if not self._allowed:
            raise InputError(
                Advice(
                    "Boosted rounds keep the codes and scores of all records in a temporary table: allow it by "
                    "{Warehouse.open(..., temporary=True)|in_place = 'temporary-table' in the description}."
                )
            )

    def table(self, rows: Any) -> Any:
        """Return the rows of an expression as a temporary table.

        Raises:
            ValueError: as :meth:`require`.
            ConnectionError: the engine failed, or may not write.
        """
        self.require()
        return guard_engine(lambda: self._engine.keeps(self._backend, self._name(), rows), CONNECTION_LOST)

    def lists(self, **columns: Any) -> Any:
        """Return arrays of public integers of 32 bits as a temporary table, for joins.

        Raises:
            ValueError, ConnectionError: as :meth:`table`.
        """
        self.require()
        return guard_engine(lambda: self._engine.lists(self._backend, self._name(), columns), CONNECTION_LOST)

    def rewritten(self, table: Any, columns: Mapping[str, Any]) -> Any:
        """Return a temporary table with other values in these columns; the table itself is gone.

        Raises:
            ConnectionError: the engine failed.
        """
        if self._engine.updates:
            guard_engine(lambda: self._update(table, columns), CONNECTION_LOST)
            return table
        result = self.table(table.mutate(**columns))
        guard_engine(lambda: self._drop(table.op().name), CONNECTION_LOST)
        return result

    def __enter__(self) -> Temporary:
        return self

    def __exit__(self, *_: object) -> None:
        for name in reversed(self._names[:]):
            with suppress(Exception):
                self._drop(name)

    def _name(self) -> str:
        self._names.append(f"dpselect_{uuid4().hex}")
        return self._names[-1]

    def _drop(self, name: str) -> None:
        self._names.remove(name)
        self._engine.drops(self._backend, name)

    def _update(self, table: Any, columns: Mapping[str, Any]) -> None:
        """Set columns to expressions of the table's own, which Ibis writes as one SELECT over it."""
        from sqlglot import expressions

        query = self._backend.compiler.to_sqlglot(table.select(**columns))
        source = query.find(expressions.From).this
        changes = [
            expressions.EQ(this=expressions.to_identifier(each.alias, quoted=True), expression=each.this)
            for each in query.expressions
        ]
        statement = expressions.Update(this=source, expressions=changes)
        self._backend.con.execute(statement.sql(self._backend.dialect))

    def __repr__(self) -> str:
        return f"Temporary({len(self._names)})"

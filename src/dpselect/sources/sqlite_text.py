"""Cells of SQLite, in which any row may hold what its column does not declare: such as bytes that are not text.

Such a cell is missing, by itself; without this the functions of the engine would fail for all rows.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Any

from dpselect.sources.warehouse import CONNECTION_LOST, Warehouse, guard_engine


def with_sound_cells(warehouse: Warehouse, names: list[Any]) -> Any:
    """Return the table of a warehouse, in SQLite with columns of text, dates and numbers that all functions take."""
    table = warehouse.table
    backend = guard_engine(table.get_backend, CONNECTION_LOST)
    if backend.name != "sqlite":
        return table
    kinds = {name: table[name].type() for name in names if name in table.columns}
    loose = [name for name, kind in kinds.items() if kind.is_string() or kind.is_date() or kind.is_timestamp()]
    with suppress(Exception):
        _provide(backend.con)
    sound = {name: _sound()(table[name].cast("string").cast("binary")) for name in loose}
    # What is text in a column of numbers would be larger than all of them.
    numeric = [name for name, kind in kinds.items() if kind.is_numeric()]
    numbers = {name: table[name].typeof().isin(["integer", "real"]) for name in numeric}
    return table.mutate(**sound, **{name: numbers[name].ifelse(table[name], None) for name in numeric})


@cache
def _sound() -> Any:
    import ibis

    def dpselect_text(cell: bytes) -> str:  # type: ignore[empty-body]
        """Return a cell that is text, in the engine; ibis reads the types alone."""

    return ibis.udf.scalar.builtin(dpselect_text)


def _provide(connection: Any) -> None:
    """Give a connection the function, in the encoding that its database has."""
    encoding = str(connection.execute("PRAGMA encoding").fetchone()[0])

    def text(cell: bytes | None) -> str | None:
        try:
            return None if cell is None else cell.decode(encoding)
        except UnicodeDecodeError:
            return None

    connection.create_function("dpselect_text", 1, text, deterministic=True)

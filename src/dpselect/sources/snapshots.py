"""One state of the data for several queries, where an engine can hold one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def snapshot(backend: Any) -> Iterator[bool]:
    """Hold one state of the engine's tables inside the block; tell whether that is so.

    DuckDB: a transaction, or the caller's own if one is open. PostgreSQL: a transaction at REPEATABLE READ. Other
    engines, and files read in place, cannot: what is read must then be checked.
    """
    name = getattr(backend, "name", "")
    if name == "duckdb":
        with _duckdb(backend.con) as held:
            yield held
    elif name == "postgres":
        with backend.con.transaction():
            backend.con.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield True
    else:
        yield False


@contextmanager
def _duckdb(connection: Any) -> Iterator[bool]:
    try:
        connection.execute("BEGIN TRANSACTION")
    except Exception as error:
        # A transaction that is open already holds a state, and is not ours to end.
        if type(error).__name__ != "TransactionException":
            raise
        yield True
        return
    try:
        yield True
    finally:
        connection.execute("COMMIT")

"""One state of a table for several queries, where an engine can hold it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


@contextmanager
def one_state(backend: Any, *, only_reads: bool) -> Iterator[None]:
    """Hold one transaction of an Ibis backend: repeatable read in PostgreSQL, a snapshot in DuckDB, else nothing.

    A transaction that the caller has begun holds whatever it holds, and is left alone.
    """
    if backend.name == "postgres":
        with _postgres(backend.con, only_reads):
            yield
    elif backend.name == "duckdb":
        with _duckdb(backend.con):
            yield
    else:
        yield


@contextmanager
def _postgres(connection: Any, only_reads: bool) -> Iterator[None]:
    import psycopg

    if connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
        yield
        return
    before = connection.isolation_level, connection.read_only
    connection.isolation_level, connection.read_only = psycopg.IsolationLevel.REPEATABLE_READ, only_reads
    try:
        with connection.transaction():
            yield
    finally:
        # A connection that was lost takes no settings.
        with suppress(Exception):
            connection.isolation_level, connection.read_only = before


@contextmanager
def _duckdb(connection: Any) -> Iterator[None]:
    import duckdb

    try:
        connection.begin()
    except duckdb.TransactionException:
        yield
        return
    try:
        yield
    finally:
        # Nothing was written but views that Ibis makes of tables in memory, and it counts on them afterwards.
        try:
            connection.commit()
        except Exception:
            with suppress(Exception):
                connection.rollback()

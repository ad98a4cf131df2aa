"""Connections to the server of a ledger: one for each transaction at a time, kept for the next one."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from dpselect._optional import not_installed
from dpselect.kernel.errors import LostConnectionError
from dpselect.ledger.postgres_address import PostgresAddress

# What a forked process has of its parent's. The parent goes on using them, so they are neither used nor closed there.
_INHERITED_CONNECTIONS: list[list[Any]] = []


def psycopg() -> Any:
    """Return the library.

    Raises:
        ImportError: it is not installed.
    """
    try:
        import psycopg
    except ImportError:
        raise not_installed("Ledgers in PostgreSQL need psycopg", "postgres") from None
    return psycopg


class PostgresConnections:
    """Connections of one process: to make one takes longer than a spend. No two threads or processes share one.

    Args:
        address: what they lead to.
    """

    def __init__(self, address: PostgresAddress) -> None:
        self._address = address
        self._begin()

    @contextmanager
    def one(self, begin: str) -> Iterator[Any]:
        """Yield a connection that has run the statements which begin a transaction; it is rolled back if still open.

        Raises:
            ConnectionError: there is none.
        """
        connection = self._begin_transaction(begin)
        try:
            yield connection
        finally:
            # Other writers need not wait until the server notices that this one is gone.
            with suppress(psycopg().Error):
                if connection.info.transaction_status != psycopg().pq.TransactionStatus.IDLE:
                    connection.execute("ROLLBACK")
            self._keep(connection)

    def _begin(self) -> None:
        self._process = os.getpid()
        self._kept: list[Any] = []
        weakref.finalize(self, _close, self._process, self._kept)

    def _begin_transaction(self, begin: str) -> Any:
        if self._process != os.getpid():
            _INHERITED_CONNECTIONS.append(self._kept)
            self._begin()
        with suppress(IndexError):
            kept = self._kept.pop()
            # It may have been lost since it was used. Nothing of this transaction was said yet, so another may say it.
            with suppress(psycopg().Error):
                return _send_begin(kept, begin)
        return _send_begin(self._connect(), begin)

    def _connect(self) -> Any:
        try:
            return psycopg().connect(
                self._address.url, autocommit=True, prepare_threshold=None, **self._address.settings
            )
        except psycopg().Error:
            raise LostConnectionError(
                f"The ledger {self._address.display_name} cannot be reached: check that the server runs, its "
                "address, and that the user and the password in PGPASSFILE or a service file are right; nothing was "
                "spent."
            ) from None

    def _keep(self, connection: Any) -> None:
        idle = connection.info.transaction_status == psycopg().pq.TransactionStatus.IDLE
        if idle and self._process == os.getpid():
            self._kept.append(connection)
        else:
            connection.close()


def _send_begin(connection: Any, begin: str) -> Any:
    try:
        connection.execute(begin)
    except BaseException:
        connection.close()
        raise
    return connection


def _close(process: int, kept: list[Any]) -> None:
    if process == os.getpid():
        for connection in kept:
            connection.close()

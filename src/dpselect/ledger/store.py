"""The place where a ledger is kept: what every store can do, and which one an address names.

A store knows places, transactions and locks, and no rule: what may be spent and what makes a ledger whole is decided by
:class:`dpselect.ledger.ledger.Ledger`, once for all stores.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from dpselect.kernel.errors import InputError
from dpselect.ledger.postgres_address import in_postgres
from dpselect.ledger.postgres_store import PostgresStore
from dpselect.ledger.sqlite_store import SqliteStore
from dpselect.ledger.transaction import Transaction
from dpselect.sources.urls import is_url, require_plain


class Store(Protocol):
    """One place of one ledger. It may be forked and shared by threads."""

    @property
    def name(self) -> str:
        """Return a short name, for titles and certificates."""
        ...

    @property
    def address(self) -> str:
        """Return what opens the ledger again. It holds no password."""
        ...

    def exists(self) -> bool:
        """Return whether the place is taken.

        Raises:
            OSError: it cannot be told.
        """
        ...

    def make(self, fill: Callable[[Transaction], None]) -> bool:
        """Make a ledger by one transaction, unless the place is taken, and return whether it was made.

        Args:
            fill: writes all of it; what it raises leaves nothing.

        Raises:
            OSError: it cannot be written.
        """
        ...

    def reading(self) -> AbstractContextManager[Transaction]:
        """Return a transaction that sees one state of an existing ledger.

        Raises:
            FileNotFoundError: there is none.
            ValueError: something else is there, or a damaged ledger.
            OSError: it cannot be read.
        """
        ...

    def writing(self) -> AbstractContextManager[Transaction]:
        """Return a transaction that sees the last state, with no other writer; durable when its block has ended.

        Raises:
            UncertainSpendError: whether it was committed is not known.
            OSError: it cannot be written, or another writer does not end; nothing was written.
            ValueError: as :meth:`reading`.
        """
        ...


def store_of(address: str | Path) -> Store:
    """Return the store that an address names: PostgreSQL, or a file.

    Raises:
        ValueError: no name, or the address of another database, or one with a password; no word of it is repeated.
        ImportError: psycopg is not installed.
    """
    if not str(address).strip() or "\0" in str(address):
        raise InputError(
            "The address of a ledger is empty or holds a NUL: pass the name of a file, or "
            "postgresql://user@host/database?ledger=NAME."
        )
    if in_postgres(address):
        return PostgresStore(str(address))
    if is_url(address):
        raise InputError("A ledger is a file, or postgresql://user@host/database?ledger=NAME: pass one of these.")
    require_plain(str(address))
    return SqliteStore(address)

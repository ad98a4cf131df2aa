"""A ledger in one SQLite file, the store of the standard library: see file.py for how the file is treated."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dpselect.kernel.errors import FileError, InputError, MissingFileError
from dpselect.ledger.file import (
    RetryingConnection,
    await_maker,
    bare,
    identity,
    is_there,
    merge,
    open_file,
    pin_path,
    place_file,
)
from dpselect.ledger.transaction import Row, Transaction

_TABLES = """
CREATE TABLE terms (format INTEGER NOT NULL, body TEXT NOT NULL);
CREATE TABLE events (row INTEGER PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL);
CREATE TABLE totals (rows INTEGER NOT NULL, body TEXT NOT NULL, tail TEXT NOT NULL);
CREATE TRIGGER kept_events BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
CREATE TRIGGER fixed_events BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
"""
_ANSWERS = """
CREATE TABLE answers (request TEXT PRIMARY KEY NOT NULL, hash TEXT NOT NULL) WITHOUT ROWID;
CREATE TRIGGER kept_answers BEFORE DELETE ON answers BEGIN SELECT RAISE(ABORT, 'an answer stands'); END;
CREATE TRIGGER fixed_answers BEFORE UPDATE ON answers BEGIN SELECT RAISE(ABORT, 'an answer stands'); END;
"""


class SqliteTransaction(Transaction):
    """A transaction of a file.

    Args:
        connection: one that has begun it.
        place: the file, whose device and inode are the identity; ``None`` while it has no name.
    """

    def __init__(self, connection: RetryingConnection, place: Path | None) -> None:
        self._connection = connection
        self.identity = None if place is None else identity(place)

    def execute(self, statement: str, parameters: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Run a statement; return a cursor."""
        return self._connection.execute(statement, parameters)

    def insert(self, rows: Iterable[Row]) -> None:
        """Write rows of events."""
        self._connection.executemany("INSERT INTO events (row, body, hash) VALUES (?, ?, ?)", rows)

    def make_answers(self) -> None:
        """Make the table of answers."""
        for statement in _ANSWERS.strip().splitlines():
            self.execute(statement)

    def header(self) -> list[tuple[int, str]]:
        """Return the format and the terms; nothing where there is no such table."""
        try:
            return super().header()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
                raise
            return []


class SqliteStore:
    """A ledger in a file. It stays with the file: a change of the working folder moves nothing.

    Args:
        path: of the file; links are followed now.
    """

    def __init__(self, path: str | Path) -> None:
        self.path, self._named = pin_path(path), str(path)

    @property
    def name(self) -> str:
        """Return the name of the file."""
        return self.path.name

    @property
    def address(self) -> str:
        """Return the absolute path."""
        return str(self.path)

    def exists(self) -> bool:
        """Return whether the name is taken."""
        return is_there(self.path)

    def make(self, fill: Callable[[Transaction], None]) -> bool:
        """Make the file, for its owner alone, unless it is there."""
        made = []

        def write(connection: RetryingConnection) -> None:
            connection.execute("BEGIN EXCLUSIVE")
            # On a disk without links this may be the file of another maker by now.
            made.append(_empty(connection))
            if not made[-1]:
                return
            for statement in _TABLES.strip().splitlines():
                connection.execute(statement)
            fill(SqliteTransaction(connection, None))
            connection.execute("COMMIT")

        return place_file(self.path, write) and made[-1]

    @contextmanager
    def reading(self) -> Iterator[SqliteTransaction]:
        """Yield a transaction that sees one state."""
        self._require()
        with open_file(self.path) as connection:
            connection.execute("BEGIN")
            yield SqliteTransaction(connection, self.path)

    @contextmanager
    def writing(self) -> Iterator[SqliteTransaction]:
        """Yield a transaction that holds the write lock of the file; it is on disk when the block has ended."""
        with open_file(self.path) as connection:
            if connection.ahead:
                raise FileError(
                    f"The ledger {self.path} has a write-ahead log and is open in another program: close it there, "
                    "and spend again; nothing was spent."
                )
            connection.execute("BEGIN IMMEDIATE")
            yield SqliteTransaction(connection, self.path)
            connection.execute("COMMIT")

    def settle(self, verify: Callable[[Transaction], object]) -> None:
        """Take an older file, which kept a write-ahead log, as complete without one."""
        self._require()
        with bare(self.path) as connection:
            connection.execute("BEGIN")
            verify(SqliteTransaction(connection, self.path))
            connection.execute("COMMIT")
            merge(connection)

    def _require(self) -> None:
        path, named = self.path, self._named
        if not is_there(path):
            raise MissingFileError(f"The ledger {named} does not exist: create it with dpselect budget create.")
        if not path.is_file():
            raise InputError(f"{named} is a folder or a device: pass the path of a ledger.")
        await_maker(path)
        if not path.stat().st_size:
            raise InputError(
                f"{named} is empty, so it is not a ledger: remove it if a program was stopped while making one; if "
                "there were "
                "spends, restore a backup."
            )


def _empty(connection: RetryingConnection) -> bool:
    return connection.execute("SELECT name FROM sqlite_master").fetchone() is None

"""The database of a server: one SQLite file, or PostgreSQL where several servers share it.

It holds who may ask, what was asked and what was answered. What was spent stands in the ledgers alone.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Engine, TextClause, create_engine, event, text
from sqlalchemy.exc import SQLAlchemyError

from dpselect._optional import not_installed
from dpselect.kernel.errors import FileError, InputError, MissingFileError
from dpselect.sources.urls import is_url

Row = Mapping[str, Any]
# How many seconds a statement waits for its turn.
_WAIT = 60
# Marks a transaction that may be lost in a power cut.
_HASTE = "dpselect_haste"
# Locks of PostgreSQL: of this schema, and of the turns of names.
_MIGRATIONS, _TURNS = 0x6470_7365, 0x6470_7366


class Database:
    """Transactions of a server's database, made ready for this version.

    Args:
        address: a path, or ``postgresql://user@host/database``; passwords belong in ``PGPASSFILE``.

    Raises:
        ValueError: another kind of database, or one of a newer version.
        ImportError: psycopg is missing.
        OSError: it cannot be opened.
    """

    def __init__(self, address: str) -> None:
        self.is_file = not is_url(address)
        self._turn: AbstractContextManager[Any] = Lock() if self.is_file else nullcontext()
        self._engine = _of_file(Path(address)) if self.is_file else _of_server(address)
        self._hasty = self._engine.execution_options(**{_HASTE: True})
        try:
            self._migrate()
        except (SQLAlchemyError, sqlite3.Error) as error:
            kind = type(getattr(error, "orig", error)).__name__
            raise FileError(f"The server's database cannot be opened ({kind}): check its path or address.") from None

    @contextmanager
    def reading(self) -> Iterator[Statements]:
        """Yield statements that each see the last committed state."""
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            yield Statements(connection)

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[Statements]:
        """Yield one transaction; it is on disk when the block has ended, and undone if the block raises.

        Args:
            durable: whether a power cut may not undo it afterwards; the end of this process never does.
        """
        # Writers of this process take turns here, first come first served, and those of others in the database.
        with self._turn, (self._engine if durable else self._hasty).begin() as connection:
            if not (durable or self.is_file):
                connection.execute(_statement("SET LOCAL synchronous_commit = off"))
            yield Statements(connection)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def _migrate(self) -> None:
        folder = files("dpselect.web.server").joinpath("migrations")
        scripts = {each.name: each.read_text(encoding="utf-8") for each in folder.iterdir() if each.name[-4:] == ".sql"}
        numbers = sorted({int(name.partition(".")[0]) for name in scripts})
        with self.writing() as statements:
            if not self.is_file:
                statements.run("SELECT pg_advisory_xact_lock(:number)", number=_MIGRATIONS)
            statements.run("CREATE TABLE IF NOT EXISTS versions (number INTEGER PRIMARY KEY)")
            done = {row["number"] for row in statements.rows("SELECT number FROM versions")}
            if done - set(numbers):
                raise InputError("The server's database was used by a newer dpselect: update this one.")
            for number in numbers:
                if number not in done:
                    for name in (f"{number:04}.sql", f"{number:04}.{self._engine.dialect.name}.sql"):
                        statements.script(scripts.get(name, ""))
                    statements.run("INSERT INTO versions (number) VALUES (:number)", number=number)


@lru_cache(1024)
def _statement(statement: str) -> TextClause:
    """Return a statement ready to run: most are run again and again."""
    return text(statement)


class Statements:
    """Statements with named parameters, such as ``:name``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def rows(self, statement: str, **parameters: Any) -> list[Row]:
        """Return what a query finds."""
        return [dict(row) for row in self._connection.execute(_statement(statement), parameters).mappings()]

    def row(self, statement: str, **parameters: Any) -> Row | None:
        """Return the first row that a query finds, if any."""
        found: Any = self._connection.execute(_statement(statement), parameters).mappings().first()
        return None if found is None else dict(found)

    def run(self, statement: str, **parameters: Any) -> int:
        """Run a statement; return how many rows it changed."""
        return int(self._connection.execute(_statement(statement), parameters).rowcount)

    def turn(self, name: str) -> None:
        """Wait until no other transaction has the turn of this name; it is had until this transaction ends."""
        # Writers of a file take turns anyway.
        if self._connection.dialect.name != "sqlite":
            self.run("SELECT pg_advisory_xact_lock(:kind, hashtext(:name))", kind=_TURNS, name=name)

    def script(self, statements: str) -> None:
        """Run the statements of a script, each of which ends its line with a semicolon."""
        for statement in statements.split(";\n"):
            if statement.strip():
                self._connection.exec_driver_sql(statement)


class SingleServerLock:
    """The mark of the only server of a file. It goes with the process, however that ends.

    Raises:
        OSError: another server has the file.
    """

    def __init__(self, path: str | Path) -> None:
        self._held = sqlite3.connect(f"{path}.lock", timeout=0, isolation_level=None, check_same_thread=False)
        try:
            self._held.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            self._held.close()
            raise FileError(
                "Another server has this database: stop it, or keep the database in PostgreSQL, which several share."
            ) from None

    def close(self) -> None:
        """Let another server have it."""
        self._held.close()


def _of_file(path: Path) -> Engine:
    if not path.parent.is_dir():
        raise MissingFileError(f"The folder {path.parent} does not exist: make it first.")
    try:
        # For its owner alone, whatever the umask.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError:
        raise FileError(f"The server's database {path} cannot be written: check its folder and permissions.") from None
    waits = {"timeout": _WAIT, "check_same_thread": False}
    # Parameters hold answers, which no error quotes.
    engine = create_engine(f"sqlite:///{path}", hide_parameters=True, connect_args=waits)

    @event.listens_for(engine, "connect")
    def prepared(connection: Any, _: Any) -> None:
        # The library begins no transaction by itself: the next listener does.
        connection.isolation_level = None
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "fullfsync = ON", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        options = connection.get_execution_options()
        if options.get("isolation_level") != "AUTOCOMMIT":
            # Said each time: the connection may have served the other kind before.
            connection.exec_driver_sql(f"PRAGMA synchronous = {'NORMAL' if _HASTE in options else 'FULL'}")
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _of_server(address: str) -> Engine:
    scheme, _, rest = address.partition("://")
    if scheme.lower() not in ("postgresql", "postgres"):
        raise InputError("The server's database is a file, or postgresql://user@host/database: pass one of these.")
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise not_installed("PostgreSQL needs psycopg", "warehouse") from None
    options = f"-c lock_timeout={_WAIT}s -c synchronous_commit=on"
    return create_engine(
        f"postgresql+psycopg://{rest}",
        hide_parameters=True,
        pool_pre_ping=True,
        pool_size=20,
        connect_args={"options": options},
    )

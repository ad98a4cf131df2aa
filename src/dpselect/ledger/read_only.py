"""A ledger that is only looked at: its bytes, its times and its folder stay as they are, whatever is read.

Elsewhere a reader helps a ledger along: it merges a write-ahead log, and takes back what a program that was killed had
half written. Here such a file is refused, and whoever looks is not kept waiting for one that is in use.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from dpselect.kernel.errors import FileError, InputError
from dpselect.ledger.file import bare
from dpselect.ledger.ledger import Ledger
from dpselect.ledger.postgres_address import in_postgres
from dpselect.ledger.sqlite_store import SqliteStore, SqliteTransaction

_PATIENCE, _PAUSE = 2.0, 0.01
# Where SQLite's header says that a file has a write-ahead log, and what it says then.
_VERSIONS, _WITH_LOG = slice(18, 20), 2


def looked_at(path: str | Path) -> Ledger:
    """Return an existing ledger, verified, that can be read and not spent from.

    Raises:
        FileNotFoundError: there is none.
        ValueError: it is damaged (which row), of a newer format or no ledger; reading it would change it.
        OSError: it cannot be read, or is in use for longer than two seconds.
    """
    return Ledger.read(path) if in_postgres(path) else Ledger(ReadOnlyStore(path))


class ReadOnlyStore(SqliteStore):
    """A ledger in a file that nothing writes to."""

    @contextmanager
    def reading(self) -> Iterator[SqliteTransaction]:
        """Yield a transaction that sees one state."""
        self._require()
        self._require_whole()
        with bare(self.path, mode="ro", patience=_PATIENCE) as connection:
            connection.execute("BEGIN")
            yield SqliteTransaction(connection, self.path)

    def writing(self) -> NoReturn:
        """Refuse (``OSError``)."""
        raise FileError(f"The ledger {self.path} is open for reading alone; nothing was spent.")

    def _require_whole(self) -> None:
        """Refuse a file beside which another one holds a part of it; that of a spend is gone within moments."""
        until = time.monotonic() + _PATIENCE
        while (helper := self._helper()) and time.monotonic() < until:
            time.sleep(_PAUSE)
        if helper:
            raise InputError(
                f"{self.path.name} has {helper}, and reading both would change them: look at the ledger with dpselect "
                "budget show, which puts it in order, and come back."
            )

    def _helper(self) -> str:
        with self.path.open("rb") as file:
            versions = file.read(_VERSIONS.stop)[_VERSIONS]
        if _WITH_LOG in versions or Path(f"{self.path}-wal").exists():
            return "a write-ahead log"
        return "a journal beside it" if Path(f"{self.path}-journal").exists() else ""

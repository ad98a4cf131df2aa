"""The file under a ledger: made whole under a name that is free, opened for one piece of work, waited for, merged.

A ledger keeps SQLite's rollback journal, so that between spends its one file is all of it. Older ones may keep a
write-ahead log, a second file whose rows the first does not have; no look at the first can tell whether one is missing.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from dpselect.kernel.errors import FileError, InputError, MissingFileError
from dpselect.ledger.chain import RESTORE
from dpselect.sources.output import explain

_WAIT, _TAKE_OVER, _MAKING = 60.0, 2.0, 1.0
_LONGEST, _SHORTEST = 0.004, 0.0005
# A write-ahead log that holds a row is longer than its own header.
_LOG_HEADER = 32
# What SQLite says of a disk without room.
_FULL = "database or disk is full"


class RetryingConnection(sqlite3.Connection):
    """A connection that asks again, within milliseconds, while another process holds the file.

    Whoever has waited longer asks more often. SQLite's own waiting asks ever less often, and leaves one process behind
    for seconds while another spends again and again. Only who comes next depends on this: that nobody overspends is
    the work of transactions.

    Attributes:
        patience: how many seconds a statement waits.
        ahead: whether rows still go to a write-ahead log, because another program has the file open.
    """

    patience = 0.0
    ahead = False

    def execute(self, statement: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Run a statement; a file that stays taken is SQLite's error in the end."""
        begun = time.monotonic()
        while True:
            try:
                return super().execute(statement, parameters)
            except sqlite3.OperationalError as error:
                waited = time.monotonic() - begun
                # The last byte is the reason, the others are its details.
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or waited > self.patience:
                    raise
            time.sleep(_SHORTEST + (_LONGEST - _SHORTEST) / (1 + 20 * waited))


def pin_path(path: str | Path) -> Path:
    """Return the absolute path of the file, links followed: no later change of folder or link moves it."""
    return Path(os.path.realpath(path))


def is_there(path: Path) -> bool:
    """Return whether the name is taken.

    Raises:
        OSError: its folder does not tell.
    """
    try:
        return path.exists()
    except OSError:
        raise FileError(f"The file {path} cannot be looked for: check the path and its permissions.") from None


def identity(path: Path) -> tuple[int, int] | None:
    """Return what tells this file from another that has its name later; ``None`` when there is none."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino


def await_maker(path: Path) -> None:
    """Wait for a moment while the file is only a reserved name."""
    until = time.monotonic() + _MAKING
    while time.monotonic() < until:
        facts = path.stat()
        if facts.st_size or time.time() - facts.st_mtime > _MAKING:
            return
        time.sleep(_LONGEST)


@contextmanager
def open_file(path: Path) -> Iterator[RetryingConnection]:
    """Open a ledger for one piece of work, after merging a write-ahead log into it.

    Raises:
        ValueError: no database, or one without the write-ahead log that belongs to it.
        OSError: it cannot be used.
    """
    log, has_log = Path(f"{path}-wal"), False
    # Before the file is opened, which makes an empty one.
    with suppress(OSError):
        has_log = log.stat().st_size > _LOG_HEADER
    with bare(path) as connection:
        if connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
            if not has_log:
                raise InputError(
                    f"{path} was kept with a write-ahead log and {log} is not beside it: copy both, or, if every "
                    "program that used the ledger in this place has ended by itself, run dpselect budget settle."
                )
            connection.ahead = not _merged_soon(connection)
        yield connection


@contextmanager
def bare(
    path: Path, name: Path | None = None, mode: Literal["rw", "ro"] = "rw", patience: float | None = None
) -> Iterator[RetryingConnection]:
    """Open an existing file; whatever goes wrong is rolled back and said in one sentence.

    Args:
        path: the file.
        name: what the file will be called, where it is not yet in its place.
        mode: what SQLite may do with it: read and write, or only read.
        patience: how many seconds a statement waits; a minute without it.
    """
    shown = path if name is None else name
    try:
        # Patient waits, so SQLite does not.
        connection = sqlite3.connect(
            f"{path.as_uri()}?mode={mode}", uri=True, timeout=0, isolation_level=None, factory=RetryingConnection
        )
    except sqlite3.OperationalError:
        raise FileError(f"The ledger {shown} cannot be opened: check the path and its permissions.") from None
    connection.patience = _WAIT if patience is None else patience
    try:
        # EXTRA also syncs the folder after the journal of a commit is gone; fullfsync is for the drives of macOS.
        connection.execute("PRAGMA synchronous = EXTRA")
        connection.execute("PRAGMA fullfsync = ON")
        yield connection
    except sqlite3.OperationalError as error:
        if str(error) != _FULL:
            raise FileError(f"The ledger {shown} cannot be used ({error}); nothing was spent.") from None
        if name is not None:
            raise explain(OSError(errno.ENOSPC, _FULL), name) from None
        raise FileError(f"The disk of {path} is full: free some space; nothing was spent.") from None
    except sqlite3.DatabaseError:
        raise InputError(f"{shown} is not a ledger, or a damaged one: {RESTORE}") from None
    finally:
        if connection.in_transaction:
            connection.rollback()
        connection.close()


def merge(connection: RetryingConnection) -> None:
    """Move what a write-ahead log holds into the file, and keep a rollback journal from now on.

    Raises:
        sqlite3.OperationalError: another program has it open.
    """
    connection.execute("PRAGMA journal_mode = delete")


def _merged_soon(connection: RetryingConnection) -> bool:
    connection.patience = _TAKE_OVER
    try:
        merge(connection)
    except sqlite3.OperationalError:
        return False
    finally:
        connection.patience = _WAIT
    return True


def place_file(path: Path, fill: Callable[[RetryingConnection], None]) -> bool:
    """Make a file of the owner's alone, name it unless the name is taken, and say whether it was named.

    It is filled beside its place and named by a link, which never replaces a file: a crash leaves no half ledger, and
    of two makers one wins. On a disk without links an empty file reserves the name, and ``fill`` works in that:
    nobody else fills an empty file or takes it for a ledger.

    Args:
        path: the name.
        fill: writes the content, in one transaction, and only where there is none.

    Raises:
        OSError: it cannot be written.
    """
    if not path.parent.is_dir():
        raise MissingFileError(f"The folder {path.parent} does not exist: make it first.")
    import tempfile

    try:
        workshop = tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise explain(error, path) from None
        raise FileError(f"{path} cannot be made: check that its folder can be written.") from None
    with workshop as folder:
        target = Path(folder) / path.name
        try:
            _reserve(target)
        except OSError as error:
            raise explain(error, path) from None
        with bare(target, path) as connection:
            fill(connection)
        try:
            os.link(target, path)
        except FileExistsError:
            return False
        except OSError:
            if not _filled_in_place(path, fill):
                return False
    _sync(path.parent)
    return True


def _filled_in_place(path: Path, fill: Callable[[RetryingConnection], None]) -> bool:
    try:
        _reserve(path)
    except FileExistsError:
        return False
    ours = identity(path)
    try:
        with bare(path, path) as connection:
            fill(connection)
    except BaseException:
        # A file with content may have been spent from already: only an empty name is given back.
        with suppress(OSError):
            if identity(path) == ours and not path.stat().st_size:
                path.unlink()
        raise
    return True


def _reserve(path: Path) -> None:
    """Make an empty file under a free name, for its owner alone whatever the umask; SQLite's journals follow it."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    # Not every disk knows modes.
    with suppress(OSError):
        path.chmod(0o600)


def _sync(folder: Path) -> None:
    """Make a new name durable. Where a folder cannot be synced, SQLite still tries at each spend."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)

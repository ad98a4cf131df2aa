"""Answers of one publication, each stored durably before anybody sees it, in a small database beside them."""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from dpselect.kernel.errors import DPSelectError, MissingFileError
from dpselect.ledger.file import await_maker, bare, is_there, place_file

NAME, FORMAT = "state.db", 1
_UNWRITABLE = "cannot be written: check its name, the rights of its folder and the room on its disk. Nothing was spent."
_TABLES = (
    "CREATE TABLE publication (format INTEGER NOT NULL, id TEXT NOT NULL)",
    "CREATE TABLE answers (request TEXT PRIMARY KEY NOT NULL, content TEXT NOT NULL)",
    "CREATE TRIGGER kept BEFORE DELETE ON answers BEGIN SELECT RAISE(ABORT, 'an answer stands'); END",
    "CREATE TRIGGER fixed BEFORE UPDATE ON answers BEGIN SELECT RAISE(ABORT, 'an answer stands'); END",
)


class StateError(DPSelectError, OSError):
    """The state of a publication cannot be read or written; the message says what to do."""


class PublicationState(Protocol):
    """The identity of a publication, and its answers: as :class:`dpselect.ledger.requests.AnswerStore`."""

    @property
    def identity(self) -> str:
        """Return the number of the publication, which is random: 32 hexadecimal digits."""
        ...

    def read(self, request: str) -> str | None:
        """Return the answer of a request, if there is one."""
        ...

    def keep(self, request: str, answer: str) -> str:
        """Store an answer, unless there is one; return the one that is stored."""
        ...

    def requests(self) -> list[str]:
        """Return the requests that have an answer."""
        ...


class MemoryState:
    """A state that ends with its process: of a publication that is not written anywhere."""

    def __init__(self) -> None:
        self.identity, self._answers = secrets.token_hex(16), dict[str, str]()

    def read(self, request: str) -> str | None:
        """Return the answer of a request, if there is one."""
        return self._answers.get(request)

    def keep(self, request: str, answer: str) -> str:
        """Store an answer, unless there is one; return the one that is stored."""
        return self._answers.setdefault(request, answer)

    def requests(self) -> list[str]:
        """Return the requests that have an answer."""
        return [*self._answers]


class FolderState:
    """A state in the folder of the answers.

    Args:
        folder: that holds one already.

    Raises:
        FileNotFoundError: it holds none.
        StateError: it cannot be read, or is of a newer version.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        if not is_there(self._path):
            raise MissingFileError(f"The folder {folder} has no {NAME}: publish first.")
        await_maker(self._path)
        with self._connection() as connection:
            found = connection.execute("SELECT format, id FROM publication").fetchall()
        if [each[0] for each in found] != [FORMAT]:
            raise StateError(f"{self._path} was written by a newer version of dpselect: update it.")
        self.identity: str = found[0][1]

    @classmethod
    def create(cls, folder: Path, answers: Sequence[str]) -> FolderState:
        """Return the state in a folder, which is made where there is none, with a new identity.

        Args:
            folder: of the answers; the folder that it is in must exist.
            answers: names of files that a state is older than.

        Raises:
            StateError: the folder has answers and no state, or it cannot be written.
        """
        if (there := cls.existing(folder, answers)) is not None:
            return there
        try:
            folder.mkdir(exist_ok=True)
            # Of two that make it at once, one does.
            place_file(folder / NAME, _fill)
        except OSError:
            raise StateError(f"{folder / NAME} {_UNWRITABLE}") from None
        return cls(folder)

    @classmethod
    def existing(cls, folder: Path, answers: Sequence[str]) -> FolderState | None:
        """Return the state in a folder, or ``None`` where one can be made.

        Raises:
            StateError: as :meth:`create`.
        """
        if is_there(folder / NAME):
            return cls(folder)
        for name in answers:
            if is_there(folder / name):
                raise StateError(
                    f"{folder} has {name} and no {NAME}: restore it, or move the folder away to pay for all answers "
                    "anew. Nothing was spent."
                )
        if not folder.parent.is_dir():
            raise StateError(f"The folder {folder.parent} does not exist: make it first.")
        place = folder if is_there(folder) else folder.parent
        if not (place.is_dir() and os.access(place, os.W_OK | os.X_OK)):
            raise StateError(f"{folder / NAME} {_UNWRITABLE}")
        return None

    def read(self, request: str) -> str | None:
        """Return the answer of a request, if there is one."""
        with self._connection() as connection:
            found = connection.execute("SELECT content FROM answers WHERE request = ?", (request,)).fetchone()
        return None if found is None else found[0]

    def requests(self) -> list[str]:
        """Return the requests that have an answer."""
        with self._connection() as connection:
            return [each[0] for each in connection.execute("SELECT request FROM answers")]

    def keep(self, request: str, answer: str) -> str:
        """Store an answer durably, unless there is one; return the one that is stored."""
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            insert = "INSERT INTO answers (request, content) VALUES (?, ?) ON CONFLICT (request) DO NOTHING"
            connection.execute(insert, (request, answer))
            found = connection.execute("SELECT content FROM answers WHERE request = ?", (request,)).fetchone()
            connection.execute("COMMIT")
        stored: str = found[0]
        return stored

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            with bare(self._path) as connection:
                yield connection
        except ValueError:
            raise StateError(f"{self._path} is damaged, or of something else: restore a copy of it.") from None
        except OSError:
            raise StateError(
                f"{self._path} cannot be read or written: check its rights and the room on its disk, and publish "
                "again; what was paid stays paid."
            ) from None


def _fill(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN EXCLUSIVE")
    # On a disk without links this may be the file of another maker by now.
    if connection.execute("SELECT name FROM sqlite_master").fetchone() is None:
        for statement in _TABLES:
            connection.execute(statement)
        connection.execute("INSERT INTO publication (format, id) VALUES (?, ?)", (FORMAT, secrets.token_hex(16)))
        connection.execute("COMMIT")

"""The ledger: one SQLite file that only grows, each row chained by hash to the one before.

A spend is committed and on disk before any randomness is drawn: a crash may waste budget, never privacy. Every spend
opens the file anew and holds its write lock, so that processes and threads never overspend together and forks are safe.

What was spent is what the chained rows add up to. A ledger that is open remembers how far it has read, and every write
begins by following the rows that others have added since: a row that changed, a sum that does not fit and a file that
went back in time are all refused.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.numbers import Epsilon
from dpselect.ledger.accountant import Remaining, Report, Terms, Totals, report
from dpselect.ledger.chain import RESTORE, Tail, terms_of, terms_text, totals_text
from dpselect.ledger.entry import Entry
from dpselect.ledger.events import Event
from dpselect.ledger.file import Patient, await_maker, bare, connected, identity, merge, pinned, placed, there
from dpselect.ledger.shown import shown

# Format 2 added the rho of a concentrated release to events. Format 1 is read as it is, and becomes 2 in the
# transaction of the first spend; a program that knows format 1 alone refuses the file from then on.
FORMAT, READ = 2, (1, 2)
_TABLES = """
CREATE TABLE terms (format INTEGER NOT NULL, body TEXT NOT NULL);
CREATE TABLE events (row INTEGER PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL);
CREATE TABLE totals (rows INTEGER NOT NULL, body TEXT NOT NULL, tail TEXT NOT NULL);
CREATE TRIGGER kept_events BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
CREATE TRIGGER fixed_events BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
"""


class Ledger:
    """A budget in a file. Make one with :meth:`open`, or look at one with :meth:`read`.

    It copies and pickles as its path, and whatever opens it again verifies it again. It stays with the file that it
    was opened with: a change of the working folder moves nothing, and another file in its place is refused.

    Attributes:
        path: the file, absolute.
        terms: what the budget allows.
    """

    def __init__(self, path: Path, terms: Terms, tail: Tail) -> None:
        self.path, self.terms, self._tail = path, terms, tail
        self._identity = identity(path)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        epsilon: Epsilon,
        delta: Any = 0,
        neighbours: str = "add-remove",
        dataset: str = "",
        rule: str = "sum",
    ) -> Ledger:
        """Open a ledger with these terms, or make it. An existing one is verified from the first row to the last.

        A new file can be read and written by its owner alone, whatever the umask.

        Args:
            path: the file; keep one for every body of data, and keep it.
            epsilon: the most that may be spent in all.
            delta: the same for delta; needed by ``rule="rho"``.
            neighbours: the relation that every release must protect.
            dataset: the curator's name of the data. It is the identity of the budget: another file, table, filter
                or sample of the same people is the same data.
            rule: ``"sum"`` adds the epsilons and deltas that releases state; ``"rho"`` adds the rhos of pure and
                concentrated releases, under the largest rho that gives (epsilon, delta), and refuses all others.

        Raises:
            ValueError: the file has other terms, is damaged (which row), is of a newer format, or is not a ledger.
            OSError: the file cannot be read or written.

        >>> import dpselect as dps, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ledger = Ledger.open(folder + "/survey.ledger", epsilon=1, dataset="survey")
        ...     votes = dps.Scores([60, 40], sensitivity=1, kind="integer")
        ...     winner = dps.select(votes, 0.25, mechanism="permute-and-flip", ledger=ledger)
        ...     ledger.remaining.epsilon
        Fraction(3, 4)
        """
        asked = Terms.of(epsilon, delta, neighbours, dataset, rule)
        path = pinned(path)
        if not there(path):
            # Whoever comes second finds the ledger of the first.
            placed(path, lambda connection: _written(connection, asked))
        ledger = cls.read(path)
        for name in ("dataset", "neighbours", "rule", "epsilon", "delta"):
            stored, wanted = getattr(ledger.terms, name), getattr(asked, name)
            if stored != wanted:
                raise ValueError(
                    f"This ledger was made with {name} {str(stored)!r}, not {str(wanted)!r}: open it with its own "
                    "terms, which never change, or make another for other data."
                )
        return ledger

    @classmethod
    def read(cls, path: str | Path) -> Ledger:
        """Open an existing ledger with the terms it has, and verify it.

        Raises:
            FileNotFoundError: there is none.
            ValueError: it is damaged (which row), of a newer format, no ledger, or lacks its write-ahead log.
            OSError: it cannot be read.
        """
        path = _existing(path)
        with connected(path) as connection:
            return cls(path, *_whole(connection))

    @classmethod
    def settle(cls, path: str | Path) -> Ledger:
        """Take an older ledger, which kept a write-ahead log, as complete without one; verify and return it.

        Only its owner can know that it is: because every program that used it in this place ended by itself, which
        merges the log into the file. The log of a program that was killed holds spends that would be forgotten.

        Raises:
            ValueError, OSError: as :meth:`read`; another program has it open.
        """
        path = _existing(path)
        with bare(path) as connection:
            _whole(connection)
            connection.execute("COMMIT")
            merge(connection)
        return cls.read(path)

    def spend(
        self,
        guarantee: Guarantee,
        *,
        mechanism: str,
        count: int = 1,
        note: str = "",
        metadata: Mapping[str, str] | None = None,
    ) -> int:
        """Record ``count`` releases, each with this guarantee, durably; return the row.

        Raises:
            BudgetError: the budget does not allow it, or adds rhos and this has none; nothing was spent.
            ValueError: another neighbour relation, a count below 1, or a ledger that was edited (which row).
            OSError: the file cannot be written; nothing was spent.
        """
        event = Event.of(
            guarantee, dataset=self.terms.dataset, mechanism=mechanism, count=count, note=note, metadata=metadata
        )
        with self._connected() as connection:
            if connection.ahead:
                raise OSError(
                    f"The ledger {self.path} has a write-ahead log and is open in another program: close it there, "
                    "and spend again; nothing was spent."
                )
            connection.execute("BEGIN IMMEDIATE")
            tail = _followed(connection, self.terms, self._tail)
            after = tail.after(event, self.terms.admit(tail.totals, event))
            connection.execute("INSERT INTO events VALUES (?, ?, ?)", (after.row, event.as_text(), after.link))
            connection.execute(
                "UPDATE totals SET rows = ?, body = ?, tail = ?", (after.row, totals_text(after.totals), after.link)
            )
            connection.execute("UPDATE terms SET format = ? WHERE format < ?", (FORMAT, FORMAT))
            connection.execute("COMMIT")
        self._tail = after
        return after.row

    def with_metadata(self, **metadata: Any) -> WithMetadata:
        """Return this ledger with metadata that every spend records: file, table, filter, sample.

        It is the same budget: metadata never open another.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ledger = Ledger.open(folder + "/survey.ledger", epsilon=1, dataset="survey")
        ...     row = ledger.with_metadata(table="people", filter="age > 30").spend(
        ...         Guarantee(0.25, ledger.terms.neighbours), mechanism="external"
        ...     )
        ...     ledger.events[0].metadata
        {'filter': 'age > 30', 'table': 'people'}
        """
        return WithMetadata(self, metadata)

    @property
    def rule(self) -> str:
        """Return what is added up: ``"sum"`` for epsilons and deltas, ``"rho"`` for rhos. It is public."""
        return self.terms.rule

    @property
    def totals(self) -> Totals:
        """Return what was spent."""
        with self._connected() as connection:
            connection.execute("BEGIN")
            self._tail = _followed(connection, self.terms, self._tail)
        return self._tail.totals

    @property
    def remaining(self) -> Remaining:
        """Return what is left, in the currency of the rule."""
        return self.terms.left(self.totals)

    @property
    def events(self) -> tuple[Event, ...]:
        """Return all events, oldest first."""
        return tuple(self.latest(None))

    def latest(self, count: int | None, until: int | None = None) -> list[Event]:
        """Return the last ``count`` events up to row ``until``, oldest first; ``None`` for all."""
        with self._connected() as connection:
            query = "SELECT body FROM events WHERE row <= ? ORDER BY row DESC LIMIT ?"
            limits = (2**62 if until is None else until, -1 if count is None else count)
            rows = connection.execute(query, limits).fetchall()
        return [Event.from_text(body) for (body,) in reversed(rows)]

    def entry(self, row: int) -> Entry:
        """Return one row, counted from 1, with its hash; the ledger is verified up to its end.

        Raises:
            ValueError: there is no such row, or the ledger is damaged.
        """
        with self._connected() as connection:
            connection.execute("BEGIN")
            self._tail = _followed(connection, self.terms, self._tail)
            stored = connection.execute("SELECT body, hash FROM events WHERE row = ?", (row,)).fetchone()
        if stored is None:
            raise ValueError(f"This ledger has {self._tail.row} rows and none with the number {row}.")
        return Entry(row, Event.from_text(stored[0]), stored[1])

    def report(self, delta: float) -> Report:
        """Return tighter totals, for a plan that was fixed in advance: never what the ledger enforces."""
        return report(self.events, delta)

    def verify(self) -> Totals:
        """Check every row and every sum; return the totals.

        Raises:
            ValueError: a row was edited or lost, or the sums are not those of the rows.
        """
        with self._connected() as connection:
            connection.execute("BEGIN")
            self._tail = _followed(connection, self.terms, Tail.start(self.terms))
        return self._tail.totals

    def backup(self, path: str | Path) -> None:
        """Write a verified copy, for its owner alone, while others may go on spending.

        Raises:
            FileExistsError: the file is there already.
        """
        file = pinned(path)
        with self._connected() as connection:
            if there(file) or not placed(file, lambda copy: _copied(connection, copy)):
                raise FileExistsError(f"{path} exists already: name a new file for the backup.")

    @contextmanager
    def _connected(self) -> Iterator[Patient]:
        with connected(self.path) as connection:
            if identity(self.path) != self._identity:
                raise ValueError(
                    "Another file is now in the place of this ledger: find out which one is true, "
                    "and open it with Ledger.read."
                )
            yield connection

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Ledger.read, (str(self.path),)

    def _repr_html_(self) -> str:
        return shown(f"Ledger {self.path.name}", self.terms, self.totals)

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r}, dataset={self.terms.dataset!r})"


class Book(Protocol):
    """A ledger or a session: it records metadata with a spend."""

    @property
    def rule(self) -> str:
        """Return what is added up."""
        ...

    def spend(
        self,
        guarantee: Guarantee,
        *,
        mechanism: str,
        count: int = 1,
        note: str = "",
        metadata: Mapping[str, str] | None = None,
    ) -> int:
        """Record ``count`` releases and their metadata."""
        ...


@dataclass(frozen=True)
class WithMetadata:
    """A ledger and the metadata that its spends record. Get one from :meth:`Ledger.with_metadata`."""

    ledger: Book
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rule(self) -> str:
        """Return what is added up; as :attr:`Ledger.rule`."""
        return self.ledger.rule

    def spend(self, guarantee: Guarantee, *, mechanism: str, count: int = 1, note: str = "") -> int:
        """Record the spend with its metadata; as :meth:`Ledger.spend`."""
        return self.ledger.spend(guarantee, mechanism=mechanism, count=count, note=note, metadata=self.metadata)

    def with_metadata(self, **metadata: Any) -> WithMetadata:
        """Return this ledger with further metadata; as :meth:`Ledger.with_metadata`."""
        return WithMetadata(self.ledger, {**self.metadata, **metadata})


def _existing(path: str | Path) -> Path:
    file = pinned(path)
    if not there(file):
        raise FileNotFoundError(f"There is no ledger {path}: make one with dpselect budget create.")
    if not file.is_file():
        raise ValueError(f"{path} is a folder or a device: pass the path of a ledger.")
    await_maker(file)
    if not file.stat().st_size:
        raise ValueError(
            f"{path} is empty and no ledger: remove it if a program was stopped while making one; if there were "
            "spends, restore a backup."
        )
    return file


def _written(connection: Patient, terms: Terms) -> None:
    """Write the tables of a new ledger into an empty file."""
    connection.execute("BEGIN EXCLUSIVE")
    if not _empty(connection):
        return
    for statement in _TABLES.strip().splitlines():
        connection.execute(statement)
    tail = Tail.start(terms)
    connection.execute("INSERT INTO terms VALUES (?, ?)", (FORMAT, terms_text(terms)))
    connection.execute("INSERT INTO totals VALUES (0, ?, ?)", (totals_text(tail.totals), tail.link))
    connection.execute("COMMIT")


def _copied(connection: Patient, copy: Patient) -> None:
    """Copy a ledger into an empty file and verify the copy."""
    if not _empty(copy):
        raise FileExistsError("Another program has just written to the file of the backup: name a new file.")
    connection.backup(copy)
    merge(copy)
    _whole(copy)


def _empty(connection: Patient) -> bool:
    return connection.execute("SELECT name FROM sqlite_master").fetchone() is None


def _whole(connection: Patient) -> tuple[Terms, Tail]:
    """Return the terms and the tail of a file that is verified from the first row to the last, in one transaction."""
    connection.execute("BEGIN")
    terms = _read_terms(connection)
    return terms, _followed(connection, terms, Tail.start(terms))


def _read_terms(connection: sqlite3.Connection) -> Terms:
    try:
        number, body = connection.execute("SELECT format, body FROM terms").fetchone()
    except (sqlite3.OperationalError, TypeError):
        raise ValueError("This file is not a ledger: pass the path of one, or of a file that does not exist.") from None
    if number not in READ:
        raise ValueError(f"This ledger has format {number} and this dpselect reads {READ[0]} to {READ[-1]}: update it.")
    return terms_of(body)


def _followed(connection: sqlite3.Connection, terms: Terms, tail: Tail) -> Tail:
    """Return the tail of the file, which must go on where ``tail`` ended and agree with its own sums."""
    if _read_terms(connection) != terms:
        raise ValueError(f"The terms of this ledger were edited: {RESTORE}")
    if tail.row:
        stored = connection.execute("SELECT hash FROM events WHERE row = ?", (tail.row,)).fetchone()
        if stored != (tail.link,):
            raise ValueError(f"Row {tail.row} of this ledger was edited or lost: {RESTORE}")
    rows = connection.execute("SELECT row, body, hash FROM events WHERE row > ? ORDER BY row", (tail.row,))
    tail = tail.follow(rows)
    stored = connection.execute("SELECT rows, tail, body FROM totals").fetchall()
    if [each[:2] for each in stored] != [(tail.row, tail.link)]:
        raise ValueError(f"This ledger lost rows after row {tail.row}, or its totals were edited: {RESTORE}")
    if stored[0][2] != totals_text(tail.totals):
        raise ValueError(f"The totals of this ledger were edited: {RESTORE}")
    return tail

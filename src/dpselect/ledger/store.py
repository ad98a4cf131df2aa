"""The ledger: one SQLite file that only grows, each row chained by hash to the one before.

A spend is committed and on disk before any randomness is drawn: a crash may waste budget, never privacy. Every spend
opens the file anew and holds its write lock, so that processes and threads never overspend together and forks are safe.

The chain finds damage and careless edits. Whoever can rewrite the whole file can rewrite the chain too: keep a backup
elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpselect.core.guarantee import Guarantee, exact_epsilon
from dpselect.core.neighbours import neighbours as relation
from dpselect.ledger.accountant import RULES, Report, Terms, Totals, fold, report
from dpselect.ledger.events import Event

FORMAT = 1
_WAIT = 60.0
_TABLES = """
CREATE TABLE terms (format INTEGER NOT NULL, body TEXT NOT NULL);
CREATE TABLE events (row INTEGER PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL);
CREATE TABLE totals (rows INTEGER NOT NULL, body TEXT NOT NULL, tail TEXT NOT NULL);
CREATE TRIGGER kept_events BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
CREATE TRIGGER fixed_events BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
"""


class Ledger:
    """A budget in a file. Make one with :meth:`open`, or look at one with :meth:`read`.

    It copies and pickles as its path, and whatever opens it again verifies it again.

    Attributes:
        path: the file.
        terms: what the budget allows.
    """

    def __init__(self, path: Path, terms: Terms) -> None:
        self.path, self.terms = path, terms

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        epsilon: Any,
        delta: Any = 0,
        neighbours: str = "add-remove",
        dataset: str = "",
        rule: str = "sum",
        journal: str = "delete",
    ) -> Ledger:
        """Open a ledger with these terms, or make it. An existing one is verified from the first row to the last.

        Args:
            path: the file; keep one for every body of data, and keep it.
            epsilon: the most that may be spent in all.
            delta: the same for delta; needed by ``rule="rho"``.
            neighbours: the relation that every release must protect.
            dataset: the curator's name of the data. It is the identity of the budget: another file, table, filter
                or sample of the same people is the same data.
            rule: ``"sum"``, or ``"rho"`` for pure releases by zero-concentrated cost under (epsilon, delta).
            journal: ``"delete"`` or ``"wal"`` (several writers on one machine), when the file is made.

        Raises:
            ValueError: the file has other terms, is damaged (which row), is of a newer format, or is no ledger.
            OSError: the file cannot be read or written.

        >>> import dpselect as dps, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ledger = Ledger.open(folder + "/survey.ledger", epsilon=1, dataset="survey")
        ...     votes = dps.Scores([60, 40], sensitivity=1)
        ...     winner = dps.select(votes, 0.25, mechanism=dps.mechanism("permute-and-flip"), ledger=ledger)
        ...     ledger.remaining.epsilon
        Fraction(3, 4)
        """
        asked = _terms(epsilon, delta, neighbours, dataset, rule)
        if journal not in ("delete", "wal"):
            raise ValueError('journal is "delete" or "wal".')
        path = Path(path)
        if not path.exists() or path.stat().st_size == 0:
            _create(path, asked, journal)
        ledger = cls.read(path)
        for name in ("dataset", "neighbours", "rule", "epsilon", "delta"):
            kept, wanted = getattr(ledger.terms, name), getattr(asked, name)
            if kept != wanted:
                raise ValueError(
                    f"This ledger was made with {name} {str(kept)!r}, not {str(wanted)!r}: open it with its own terms, "
                    "which never change, or make another for other data."
                )
        return ledger

    @classmethod
    def read(cls, path: str | Path) -> Ledger:
        """Open an existing ledger with the terms it has, and verify it.

        Raises:
            FileNotFoundError: there is none.
            ValueError: it is damaged (which row), of a newer format, or no ledger.
            OSError: it cannot be read.
        """
        path = Path(path)
        if not path.is_file():
            raise FileNotFoundError(f"There is no ledger {path}: make one with dpselect budget create.")
        with _connected(path) as connection:
            terms = _read_terms(connection)
            _verify_chain(connection, terms)
        return cls(path, terms)

    def spend(
        self,
        guarantee: Guarantee,
        *,
        mechanism: str,
        count: int = 1,
        note: str = "",
        facts: Mapping[str, str] | None = None,
    ) -> int:
        """Record ``count`` releases, each with this guarantee, durably; return the row.

        Raises:
            BudgetError: the budget does not allow it; nothing was spent.
            ValueError: another neighbour relation, a count below 1, or a ledger that was edited (which row).
            OSError: the file cannot be written; nothing was spent.
        """
        event = Event.of(
            guarantee, dataset=self.terms.dataset, mechanism=mechanism, count=count, note=note, facts=facts
        )
        with _connected(self.path) as connection:
            connection.execute("BEGIN IMMEDIATE")
            rows, body, tail = connection.execute("SELECT rows, body, tail FROM totals").fetchone()
            last = connection.execute("SELECT row, hash FROM events ORDER BY row DESC LIMIT 1").fetchone()
            if (rows, tail) != (last or (0, _root(self.terms))) or _read_terms(connection) != self.terms:
                raise ValueError(f"This ledger was edited after row {min(rows, last[0] if last else 0)}: {_RESTORE}")
            after = self.terms.admit(_totals(body), event)
            text = event.as_text()
            link = _link(tail, text)
            connection.execute("INSERT INTO events VALUES (?, ?, ?)", (rows + 1, text, link))
            connection.execute("UPDATE totals SET rows = ?, body = ?, tail = ?", (rows + 1, _text(after), link))
            connection.execute("COMMIT")
        return int(rows) + 1

    @property
    def totals(self) -> Totals:
        """Return what was spent."""
        with _connected(self.path) as connection:
            return _totals(connection.execute("SELECT body FROM totals").fetchone()[0])

    @property
    def remaining(self) -> Totals:
        """Return what is left, in the currency of the rule."""
        return self.terms.left(self.totals)

    @property
    def events(self) -> tuple[Event, ...]:
        """Return all events, oldest first."""
        return tuple(self.latest(None))

    def latest(self, count: int | None) -> list[Event]:
        """Return the last ``count`` events, oldest first; ``None`` for all."""
        with _connected(self.path) as connection:
            query = "SELECT body FROM events ORDER BY row DESC LIMIT ?"
            rows = connection.execute(query, (-1 if count is None else count,)).fetchall()
        return [Event.from_text(body) for (body,) in reversed(rows)]

    def report(self, delta: float) -> Report:
        """Return tighter totals, for a plan that was fixed in advance: never what the ledger enforces."""
        return report(self.events, delta)

    def verify(self) -> Totals:
        """Check every row and every sum; return the totals.

        Raises:
            ValueError: a row was edited or lost, or the sums are not those of the rows.
        """
        with _connected(self.path) as connection:
            connection.execute("BEGIN")
            if _read_terms(connection) != self.terms:
                raise ValueError(f"The terms of this ledger were edited: {_RESTORE}")
            _verify_chain(connection, self.terms)
            bodies = connection.execute("SELECT body FROM events ORDER BY row").fetchall()
            kept = _totals(connection.execute("SELECT body FROM totals").fetchone()[0])
        summed = fold(Event.from_text(body) for (body,) in bodies)
        if summed != kept:
            raise ValueError(f"The totals of this ledger were edited: {_RESTORE}")
        return summed

    def backup(self, path: str | Path) -> None:
        """Write a verified copy, while others may go on spending.

        Raises:
            FileExistsError: the file is there already.
        """
        path = Path(path)
        if path.exists():
            raise FileExistsError(f"{path} exists already: name a new file for the backup.")
        with _connected(self.path) as connection, _connected(path, new=True) as copy:
            connection.backup(copy)
        Ledger.read(path).verify()

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Ledger.read, (str(self.path),)

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r}, dataset={self.terms.dataset!r})"


_RESTORE = "restore a backup, and count everything released since then as spent."


def _terms(epsilon: Any, delta: Any, neighbours: str, dataset: str, rule: str) -> Terms:
    if rule not in RULES:
        raise ValueError('rule is "sum" or "rho".')
    if not isinstance(dataset, str):
        raise TypeError("dataset must be text: the curator's name of the data.")
    exact = Fraction(0) if isinstance(delta, (int, float, Fraction)) and delta == 0 else exact_epsilon(delta)
    if not exact < 1:
        raise ValueError("delta must be at least 0 and less than 1.")
    if rule == "rho" and not exact:
        raise ValueError('rule="rho" needs a delta, for example delta=1e-6.')
    return Terms(exact_epsilon(epsilon), exact, relation(neighbours).value, dataset, rule)


def _create(path: Path, terms: Terms, journal: str) -> None:
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent}: make it first.")
    with _connected(path, new=True) as connection:
        connection.execute(f"PRAGMA journal_mode = {journal}")
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            for statement in _TABLES.strip().splitlines():
                connection.execute(statement)
            connection.execute("INSERT INTO terms VALUES (?, ?)", (FORMAT, _terms_text(terms)))
            connection.execute("INSERT INTO totals VALUES (0, ?, ?)", (_text(Totals()), _root(terms)))
        connection.execute("COMMIT")


@contextmanager
def _connected(path: Path, new: bool = False) -> Iterator[sqlite3.Connection]:
    """Open the file for one piece of work; whatever goes wrong is rolled back and said in one sentence."""
    try:
        mode = "rwc" if new else "rw"
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode={mode}", uri=True, timeout=_WAIT, isolation_level=None
        )
    except sqlite3.OperationalError:
        raise OSError(f"The ledger {path} cannot be opened: check the path and its permissions.") from None
    try:
        # EXTRA also syncs the folder after the journal of a commit is gone.
        connection.execute("PRAGMA synchronous = EXTRA")
        yield connection
    except sqlite3.OperationalError as error:
        raise OSError(f"The ledger {path} cannot be used ({error}); nothing was spent.") from None
    except sqlite3.DatabaseError:
        raise ValueError(f"{path} is no ledger, or a damaged one: {_RESTORE}") from None
    finally:
        if connection.in_transaction:
            connection.rollback()
        connection.close()


def _read_terms(connection: sqlite3.Connection) -> Terms:
    try:
        number, body = connection.execute("SELECT format, body FROM terms").fetchone()
    except (sqlite3.OperationalError, TypeError):
        raise ValueError("This file is no ledger: pass the path of one, or of a file that does not exist.") from None
    if number != FORMAT:
        raise ValueError(f"This ledger has format {number} and this version of dpselect reads {FORMAT}: update it.")
    try:
        content = json.loads(body)
        return Terms(**(content | {name: Fraction(content[name]) for name in ("epsilon", "delta")}))
    except (ValueError, TypeError, KeyError):
        raise ValueError(f"The terms of this ledger were edited: {_RESTORE}") from None


def _verify_chain(connection: sqlite3.Connection, terms: Terms) -> None:
    tail, expected = _root(terms), 1
    for row, body, link in connection.execute("SELECT row, body, hash FROM events ORDER BY row"):
        tail = _link(tail, body)
        if row != expected or tail != link:
            raise ValueError(f"Row {expected} of this ledger was edited or lost: {_RESTORE}")
        expected += 1
    if connection.execute("SELECT rows, tail FROM totals").fetchall() != [(expected - 1, tail)]:
        raise ValueError(f"This ledger lost rows after row {expected - 1}, or its totals were edited: {_RESTORE}")


def _link(tail: str, body: str) -> str:
    return hashlib.sha256(f"{tail}\n{body}".encode()).hexdigest()


def _root(terms: Terms) -> str:
    return _link("dpselect ledger", _terms_text(terms))


def _terms_text(terms: Terms) -> str:
    content = {name: str(getattr(terms, name)) for name in ("epsilon", "delta", "neighbours", "dataset", "rule")}
    return json.dumps(content, sort_keys=True, ensure_ascii=False)


def _text(totals: Totals) -> str:
    content = {name: str(getattr(totals, name)) for name in ("epsilon", "delta", "rho")}
    return json.dumps(content | {"spends": totals.spends, "releases": totals.releases}, sort_keys=True)


def _totals(text: str) -> Totals:
    content = json.loads(text)
    return Totals(**(content | {name: Fraction(content[name]) for name in ("epsilon", "delta", "rho")}))

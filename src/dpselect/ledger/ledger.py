"""The ledger: rows that only grow, each chained by hash to the one before, in a file or in a database.

A spend is committed and on disk before any randomness is drawn: a crash may waste budget, never privacy. Every spend
is a transaction of its own that holds the write lock: processes and threads never overspend together, and forks are
safe.

What was spent is what the chained rows add up to. A ledger that is open remembers how far it has read, and every write
begins by following the rows that others have added since: a row that changed, a sum that does not fit and a store that
went back in time are all refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpselect.kernel.errors import ExistingFileError, InputError
from dpselect.kernel.format_exact import count_text
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.numbers import Epsilon
from dpselect.ledger.chain import ChainTail
from dpselect.ledger.composition import Remaining, Report, Terms, Totals, report
from dpselect.ledger.entry import Entry
from dpselect.ledger.events import Event
from dpselect.ledger.ledger_transaction import StoredTransaction, answers_of, events_of
from dpselect.ledger.notebook_table import summary_table
from dpselect.ledger.sqlite_store import SqliteStore
from dpselect.ledger.store import Store, store_of
from dpselect.ledger.transaction import Transaction
from dpselect.ledger.verification import begin_ledger, copy_ledger, follow_chain, whole


@dataclass
class _Reach:
    """Verified end of a ledger, shared by all that read its store."""

    tail: ChainTail


class Ledger:
    """A budget in a file or in PostgreSQL. Make one with :meth:`open`, or look at one with :meth:`read`.

    It copies and pickles as its address, and is verified whenever it is opened. It stays with the file or the
    tables that it was opened with: a change of the working folder moves nothing, and others in their place are refused.

    Attributes:
        terms: what the budget allows.

    Limits: The ledger is a file, or a schema in PostgreSQL. Its chain finds damage and careless edits, not an
    administrator who rewrites all of it: keep a backup elsewhere. A copy is a second budget: only a program that had
    the original open refuses it. A ledger counts what is spent through it, and trusts the name that the curator gave
    the data.

    A ledger keeps exact sums, and refuses a spend whose sum would have more than 4300 digits: that takes about sixty
    epsilons with different odd denominators of 36 digits each. Any epsilon whose denominator the sum already has still
    goes in.

    A ledger has one rule. It adds epsilons and deltas, or rhos, and the rule never changes. A ledger of sums counts a
    concentrated release as the (epsilon, delta) that it states, so many of them cost more there than their rhos
    together would; a ledger of rhos takes nothing that has no rho.

    A ledger needs locks. Between processes it relies on the locks of the file system: local disks have them, some
    network disks do not. In PostgreSQL the server keeps them.
    """

    def __init__(self, store: Store) -> None:
        self._store, self._metadata = store, dict[str, str]()
        with store.reading() as ledger:
            self.terms, tail = whole(ledger)
            self._identity, self._reach = ledger.identity, _Reach(tail)

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

        In PostgreSQL every ledger is a schema of its own, so that one database holds as many as there are bodies of
        data, and each has its own rights, lock and backup: ``postgresql://ann@db.example/budgets?ledger=survey`` is
        the schema ``survey`` of the database ``budgets``. A new one is its maker's alone; rights are granted by the
        schema. An address holds no password: the client library reads it from the file that ``PGPASSFILE`` names,
        or from a service file.

        Args:
            path: the file, or ``postgresql://user@host:port/database?ledger=NAME``, where NAME is up to 63 lower-case
                letters, digits and _, the first a letter; further options may say how to reach the server, such as
                ``&sslmode=verify-full``. Keep one ledger for every body of data, and keep it.
            epsilon: the most that may be spent in all.
            delta: the same for delta; needed by ``rule="rho"``.
            neighbours: the relation that every release must protect.
            dataset: the curator's name of the data. It is the identity of the budget: another file, table, filter
                or sample of the same people is the same data.
            rule: ``"sum"`` adds the epsilons and deltas that releases state; ``"rho"`` adds the rhos of pure and
                concentrated releases, under the largest rho that gives (epsilon, delta), and refuses all others.

        Raises:
            ValueError: it has other terms, is damaged (which row), is of a newer format, or is not a ledger; the
                address holds a password.
            OSError: it cannot be read or written.
            ImportError: psycopg is not installed.

        >>> import dpselect as dps, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ledger = Ledger.open(folder + "/survey.ledger", epsilon=1, dataset="survey")
        ...     votes = dps.Scores([60, 40], sensitivity=1, kind="integer")
        ...     winner = dps.select(votes, epsilon=0.25, mechanism="permute-and-flip", ledger=ledger)
        ...     ledger.remaining.epsilon
        Fraction(3, 4)
        """
        asked = Terms.of(epsilon, delta, neighbours, dataset, rule)
        store = store_of(path)
        if not store.exists():
            # Whoever comes second finds the ledger of the first.
            store.make(lambda place: begin_ledger(asked, place))
        ledger = cls(store)
        for name in ("dataset", "neighbours", "rule", "epsilon", "delta"):
            stored, wanted = getattr(ledger.terms, name), getattr(asked, name)
            if stored != wanted:
                raise InputError(
                    f"This ledger was made with {name} {str(stored)!r}, not {str(wanted)!r}: open it with its own "
                    "terms, which never change, or make another for other data."
                )
        return ledger

    @classmethod
    def read(cls, path: str | Path) -> Ledger:
        """Open an existing ledger, by its address, with the terms it has, and verify it.

        Raises:
            FileNotFoundError: there is none.
            ValueError: it is damaged (which row), of a newer format, no ledger, or lacks its write-ahead log.
            OSError: it cannot be read.
        """
        return cls(store_of(path))

    @classmethod
    def settle(cls, path: str | Path) -> Ledger:
        """Take an older ledger, which kept a write-ahead log, as complete without one; verify and return it.

        Only its owner can know that it is: because every program that used it in this place ended by itself, which
        merges the log into the file. The log of a program that was killed holds spends that would be forgotten.

        Raises:
            ValueError, OSError: as :meth:`read`; another program has it open.
        """
        store = store_of(path)
        if not isinstance(store, SqliteStore):
            raise InputError("A ledger in PostgreSQL is whole as it is: only files are settled.")
        store.settle(whole)
        return cls(store)

    def spend(self, guarantee: Guarantee, *, mechanism: str, count: int = 1, note: str = "") -> int:
        """Record ``count`` releases, each with this guarantee, durably; return the row.

        Raises:
            BudgetError: the budget does not allow it, or adds rhos and this has none; nothing was spent.
            ValueError: another neighbour relation, a count below 1, or a ledger that was edited (which row).
            OSError: it cannot be written; nothing was spent.
            UncertainSpendError: an ``OSError``; the connection was lost while the spend was being committed, so that it
                counts as spent and nothing may be drawn for it.
        """
        event = Event.of(
            guarantee,
            dataset=self.terms.dataset,
            mechanism=mechanism,
            count=count,
            note=note,
            metadata=self._metadata,
        )
        with self.transaction() as ledger:
            return ledger.append(event)

    @contextmanager
    def transaction(self) -> Iterator[StoredTransaction]:
        """Yield a transaction that nobody else writes in: what it adds is durable, all of it, when its block has ended.

        Raises:
            ValueError, OSError: as :meth:`spend`; nothing was spent.
            UncertainSpendError: as :meth:`spend`: nothing may be drawn for what was added.
        """
        with self._at(self._store.writing()) as ledger:
            current = StoredTransaction(ledger, self.terms, follow_chain(ledger, self.terms, self._reach.tail))
            yield current
        self._reach.tail = current.tail

    def answers(self, requests: Iterable[str]) -> dict[str, str]:
        """Return the hashes of the answers of some requests; those without an answer are left out."""
        with self._reading() as ledger:
            return answers_of(ledger, [*requests])

    def with_metadata(self, **metadata: Any) -> Ledger:
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
        cited = object.__new__(type(self))
        vars(cited).update(vars(self), _metadata={**self._metadata, **metadata})
        return cited

    @property
    def path(self) -> Path:
        """Return the file, absolute.

        Raises:
            AttributeError: it is in PostgreSQL.
        """
        if not isinstance(self._store, SqliteStore):
            raise AttributeError("This ledger is in PostgreSQL and has no path: use its address.")
        return self._store.path

    @property
    def address(self) -> str:
        """Return what opens it again: the absolute path of the file, or the address in PostgreSQL."""
        return self._store.address

    @property
    def name(self) -> str:
        """Return a short name: that of the file, or of the ledger in its database."""
        return self._store.name

    @property
    def rule(self) -> str:
        """Return what is added up: ``"sum"`` for epsilons and deltas, ``"rho"`` for rhos. It is public."""
        return self.terms.rule

    @property
    def totals(self) -> Totals:
        """Return what was spent."""
        # Before the state that is read: a spend of another thread may move the tail beyond that state meanwhile.
        tail = self._reach.tail
        with self._reading() as ledger:
            self._reach.tail = tail = follow_chain(ledger, self.terms, tail)
        return tail.totals

    @property
    def remaining(self) -> Remaining:
        """Return what is left, in the currency of the rule."""
        return self.terms.remaining(self.totals)

    @property
    def events(self) -> tuple[Event, ...]:
        """Return all events, oldest first."""
        return tuple(self.latest(None))

    def latest(self, count: int | None, until: int | None = None) -> list[Event]:
        """Return the last ``count`` events up to row ``until``, oldest first; ``None`` for all."""
        with self._reading() as ledger:
            return events_of(ledger, count, until)

    def entry(self, row: int) -> Entry:
        """Return one row, counted from 1, with its hash; the ledger is verified up to its end.

        Raises:
            ValueError: there is no such row, or the ledger is damaged.
        """
        tail = self._reach.tail
        with self._reading() as ledger:
            self._reach.tail = tail = follow_chain(ledger, self.terms, tail)
            stored = ledger.row(row)
        if stored is None:
            raise InputError(f"This ledger has {count_text(tail.row, 'row')} and none with the number {row}.")
        return Entry(row, Event.from_text(stored[0]), stored[1])

    def report(self, delta: float) -> Report:
        """Return tighter totals, for a plan that was fixed in advance: never what the ledger enforces."""
        return report(self.events, delta)

    def verify(self) -> Totals:
        """Check every row and every sum; return the totals.

        Raises:
            ValueError: a row was edited or lost, or the sums are not those of the rows.
        """
        with self._reading() as ledger:
            self._reach.tail = tail = follow_chain(ledger, self.terms, ChainTail.start(self.terms))
        return tail.totals

    def backup(self, path: str | Path) -> None:
        """Write a verified copy with the same chain, for its owner alone, while others may go on spending.

        Args:
            path: a new file, or the address of a new ledger in PostgreSQL, whichever this one is in.

        Raises:
            FileExistsError: it is there already.
        """
        copy = store_of(path)
        with self._reading() as ledger:
            if copy.exists() or not copy.make(lambda place: copy_ledger(ledger, place)):
                raise ExistingFileError(f"{path} exists already: name a new file for the backup.")

    def _reading(self) -> AbstractContextManager[Transaction]:
        return self._at(self._store.reading())

    @contextmanager
    def _at(self, transaction: AbstractContextManager[Transaction]) -> Iterator[Transaction]:
        with transaction as ledger:
            if ledger.identity != self._identity:
                raise InputError(
                    "Another ledger is now in the place of this one: find out which one is true, "
                    "and open it with Ledger.read."
                )
            yield ledger

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.address, self._metadata)

    def _repr_html_(self) -> str:
        return summary_table(f"Ledger {self.name}", self.terms, self.totals)

    def __repr__(self) -> str:
        return f"Ledger({self.address!r}, dataset={self.terms.dataset!r})"


def _again(address: str, metadata: dict[str, str]) -> Ledger:
    return Ledger.read(address).with_metadata(**metadata)

"""One transaction of a ledger: its tables, and the statements that are the same wherever they are kept.

``terms`` has one row, the format and what the budget allows; ``events`` has a row for every spend, chained by hash;
``totals`` has one row, how many those are, the hash of the last one and their sums. Beside the chain, ``answers`` has
a row for every request that was answered, with the hash of its answer; ledgers before format 3 have no such table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from dpselect.kernel.errors import DPSelectError

# Number, body and hash.
Row = tuple[int, str, str]
# How many rows there are, the hash of the last one, and the sums as text.
Sums = tuple[int, str, str]
_ALL = 2**62


class UncertainSpendError(DPSelectError, ConnectionError):
    """The connection was lost while a spend was being committed: it may be recorded, and nothing was drawn.

    Count it as spent. The ledger says whether it was, as soon as it can be reached: it follows what is recorded.
    """


class Transaction(ABC):
    """It sees one state of a ledger, and what it writes is there whole or not at all.

    Attributes:
        identity: what tells this ledger from another one that is at its address later.
    """

    identity: object
    _header: list[tuple[int, str]] | None = None

    @abstractmethod
    def execute(self, statement: str, parameters: Sequence[Any] = ()) -> Any:
        """Run a statement whose parameters are question marks; return a cursor."""

    @abstractmethod
    def insert(self, rows: Iterable[Row]) -> None:
        """Write rows of events."""

    @abstractmethod
    def make_answers(self) -> None:
        """Make the table of answers, which there is not yet."""

    def header(self) -> list[tuple[int, str]]:
        """Return the format and the terms, as they were when they were first asked for.

        One row, unless this is not a ledger, or was edited.
        """
        if self._header is None:
            self._header = self.execute("SELECT format, body FROM terms").fetchall()
        return self._header

    def sums(self) -> list[Sums]:
        """Return what the totals say: one row, unless they were edited."""
        return list(self.execute("SELECT rows, tail, body FROM totals").fetchall())

    def rows(self, after: int) -> Iterable[Row]:
        """Return the rows behind one, in order."""
        rows: Iterable[Row] = self.execute("SELECT row, body, hash FROM events WHERE row > ? ORDER BY row", (after,))
        return rows

    def row(self, number: int) -> tuple[str, str] | None:
        """Return the body and the hash of a row, if it is there."""
        found: tuple[str, str] | None = self.execute(
            "SELECT body, hash FROM events WHERE row = ?", (number,)
        ).fetchone()
        return found

    def latest(self, count: int | None, until: int | None) -> list[str]:
        """Return the bodies of the last rows up to one, oldest first; ``None`` for no limit."""
        limits = (_ALL if until is None else until, _ALL if count is None else count)
        query = "SELECT body FROM events WHERE row <= ? ORDER BY row DESC LIMIT ?"
        return [body for (body,) in reversed(self.execute(query, limits).fetchall())]

    def append(self, row: Row, sums: Sums) -> None:
        """Write one more row, and the sums with it."""
        self.execute("INSERT INTO events (row, body, hash) VALUES (?, ?, ?)", row)
        self.execute("UPDATE totals SET rows = ?, tail = ?, body = ?", sums)

    def promote(self, number: int) -> None:
        """Raise the number of the format."""
        self.execute("UPDATE terms SET format = ?", (number,))
        self._header = None

    def fill(self, number: int, terms: str, rows: Iterable[Row], sums: Iterable[Sums]) -> None:
        """Write all of a ledger into tables that are empty."""
        self.execute("INSERT INTO terms (format, body) VALUES (?, ?)", (number, terms))
        self.insert(rows)
        for each in sums:
            self.execute("INSERT INTO totals (rows, tail, body) VALUES (?, ?, ?)", each)

    def require_answers(self) -> None:
        """Refuse a table of answers that cannot be written to, as the store does: nothing is written."""
        self.execute("INSERT INTO answers (request, hash) SELECT request, hash FROM answers WHERE 1 = 0")

    def answer(self, request: str) -> str | None:
        """Return the hash of the answer of a request, if there is one."""
        found: tuple[str] | None = self.execute("SELECT hash FROM answers WHERE request = ?", (request,)).fetchone()
        return None if found is None else found[0]

    def answers(self) -> Iterable[tuple[str, str]]:
        """Return every request that was answered, with the hash of its answer."""
        rows: Iterable[tuple[str, str]] = self.execute("SELECT request, hash FROM answers ORDER BY request")
        return rows

    def keep_answer(self, request: str, hashed: str) -> None:
        """Write the hash of the answer of a request, unless there is one."""
        self.execute(
            "INSERT INTO answers (request, hash) VALUES (?, ?) ON CONFLICT (request) DO NOTHING", (request, hashed)
        )

"""Records that analysts ask for by keys of their own, each kept once, with the leases of those who work on them.

Leases only save work: that nothing is paid or answered twice is the work of the ledger's rows, and of the statements
that store an answer once.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

from dpselect.web import tokens
from dpselect.web.server.database import Database, Statements
from dpselect.web.server.errors import TooManyRequestsError

Record = TypeVar("Record")
_KEY = "analyst = :analyst AND idempotency_key = :key"


class LeasedRecords(Generic[Record]):
    """All records of one table of a server's database.

    A kind of record says its table and columns, which records of an analyst count, and who holds the lease of one.

    Args:
        database: of the server.
        now: the time in seconds since 1970.
    """

    kind: ClassVar[type[Any]]
    table: ClassVar[str]
    columns: ClassVar[str]
    # Of those that count against a limit, and the sentence for one more.
    unfinished: ClassVar[str]
    too_many: ClassVar[str]
    # Of a new record: what is set to the time, and its state. Of a lease: the column of who has it, and its state.
    times: ClassVar[str] = "created"
    first: ClassVar[str]
    holder: ClassVar[str]
    held: ClassVar[str]

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        self._database, self.now = database, now

    def open(self, analyst: str, key: str, dataset: str, body: str, most: int | None = None) -> Record:
        """Return the record with this key of the analyst: a new one, unless there is one already.

        Raises:
            TooManyRequestsError: it would be new, and ``most`` of the analyst are unfinished.
        """
        asked = {"analyst": analyst, "key": key}
        with self._database.writing() as statements:
            statements.turn(f"{self.table} of {analyst}")
            unfinished = statements.row(
                f"SELECT count(*) AS many FROM {self.table} WHERE analyst = :analyst AND {self.unfinished} "
                f"AND NOT EXISTS (SELECT 1 FROM {self.table} WHERE {_KEY})",
                **asked,
            )
            if most is not None and unfinished is not None and unfinished["many"] >= most:
                raise TooManyRequestsError(self.too_many)
            statements.run(
                f"INSERT INTO {self.table} (id, analyst, idempotency_key, dataset, body, state, {self.times}) "
                f"VALUES (:id, :analyst, :key, :dataset, :body, :state, {re.sub('[a-z]+', ':now', self.times)}) "
                "ON CONFLICT (analyst, idempotency_key) DO NOTHING",
                **asked, id=tokens.fresh(), dataset=dataset, body=body, state=self.first, now=self.now(),
            )  # fmt: skip
            return self._rows(statements, _KEY, **asked)[0]

    def with_key(self, analyst: str, key: str) -> Record | None:
        """Return the record with this key of the analyst, if there is one."""
        return self._first(_KEY, analyst=analyst, key=key)

    def find(self, number: str, analyst: str | None = None) -> Record | None:
        """Return a record, if there is one of this number and analyst; of anybody for ``None``."""
        # What is not a number is looked up as none: databases refuse some signs.
        number = number if number.isascii() and number.isprintable() else ""
        whose = "" if analyst is None else "AND analyst = :analyst"
        return self._first(f"id = :id {whose}", id=number, **({} if analyst is None else {"analyst": analyst}))

    def history(self, analyst: str, most: int = 1000) -> list[Record]:
        """Return the last records of an analyst, newest first."""
        return self.rows("analyst = :analyst ORDER BY created DESC, id LIMIT :most", analyst=analyst, most=most)

    def open_ones(self) -> list[Record]:
        """Return all records that are unfinished."""
        return self.rows(self.unfinished)

    def numbers(self) -> set[str]:
        """Return the numbers of all records."""
        with self._database.reading() as statements:
            return {row["id"] for row in statements.rows(f"SELECT id FROM {self.table}")}

    def paid_datasets(self) -> dict[str, str]:
        """Return the dataset of each record that has a row of a ledger."""
        with self._database.reading() as statements:
            rows = statements.rows(f"SELECT id, dataset FROM {self.table} WHERE ledger_row IS NOT NULL")
        return {row["id"]: row["dataset"] for row in rows}

    def beat(self, holder: str, seconds: float) -> None:
        """Prolong the leases of a holder."""
        # Whether a power cut forgets this does not matter.
        with self._database.writing(durable=False) as statements:
            statements.run(
                f"UPDATE {self.table} SET lease = :lease WHERE {self.holder} = :holder AND state = :held",
                holder=holder, held=self.held, lease=self.now() + seconds,
            )  # fmt: skip

    def rows(self, which: str, **parameters: Any) -> list[Record]:
        """Return the records that a condition finds."""
        with self._database.reading() as statements:
            return self._rows(statements, which, **parameters)

    def _first(self, which: str, **parameters: Any) -> Record | None:
        return next(iter(self.rows(which, **parameters)), None)

    def _rows(self, statements: Statements, which: str, **parameters: Any) -> list[Record]:
        """Return records within a transaction."""
        found = statements.rows(f"SELECT {self.columns} FROM {self.table} WHERE {which}", **parameters)
        return [self.kind(**row) for row in found]

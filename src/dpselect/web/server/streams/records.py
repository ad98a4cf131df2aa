"""Records of streams in a server's database: how far each is, and every answer. Never the secret of one.

A stream is opened once: from then on one process holds its secret, and when that is gone the stream has ended. An
answer is stored before anybody sees it, only while its stream is open, and then stands.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from dpselect.web import tokens
from dpselect.web.server.database import Database, Row
from dpselect.web.server.errors import TooManyRequestsError

State = Literal["opening", "open", "ended"]
# Why: all that was paid for is used up, its analyst or too long a silence ended it, the process that held its secret
# is gone, as many queries as a server allows were asked, it could not be answered, or not be paid for.
Ending = Literal["finished", "closed", "idle", "lost", "full", "failed", "refused"]
_STREAM = (
    "id, analyst, idempotency_key AS key, dataset, body, state, ending, sentence, holder, lease, ledger_row AS row, "
    "asked, remaining, created, touched, ended"
)


@dataclass(frozen=True)
class Stream:
    """One stream, without its secret.

    Attributes:
        id: its number, which cannot be guessed; the ledger's row of its price has it too.
        analyst: who opened it.
        key: the idempotency key that the analyst chose.
        dataset: what about.
        body: what it was opened with, as canonical JSON.
        state: how far it is.
        ending: why it has ended.
        sentence: why it was refused.
        holder: the process that has its secret.
        lease: until when the holder is known to be there, seconds since 1970.
        row: of the ledger, once it was paid for.
        asked: how many queries are answered.
        remaining: what is left of epsilon for answers above, as text.
        created, touched, ended: seconds since 1970.
    """

    id: str
    analyst: str
    key: str
    dataset: str
    body: str
    state: State
    ending: Ending | None
    sentence: str | None
    holder: str | None
    lease: float
    row: int | None
    asked: int
    remaining: str | None
    created: float
    touched: float
    ended: float | None


@dataclass(frozen=True)
class StoredAnswer:
    """One query and its answer.

    Attributes:
        place: which query of its stream, from 1 on.
        body: what was asked, as canonical JSON.
        status: of HTTP.
        answer: as JSON, the bytes that are sent.
    """

    place: int
    body: str
    status: int
    answer: str


class StreamRecords:
    """All streams and their answers."""

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        self._database, self.now = database, now

    def open(self, analyst: str, key: str, dataset: str, body: str, most: int | None = None) -> Stream:
        """Return the stream with this key of the analyst: a new one, unless there is one already.

        Raises:
            Busy: it would be new, and ``most`` streams of the analyst have not ended.
        """
        with self._database.writing() as statements:
            statements.turn(f"streams of {analyst}")
            alive = statements.row(
                "SELECT count(*) AS many FROM streams WHERE analyst = :analyst AND state <> 'ended' AND NOT EXISTS "
                "(SELECT 1 FROM streams WHERE analyst = :analyst AND idempotency_key = :key)",
                analyst=analyst, key=key,
            )  # fmt: skip
            if most is not None and alive is not None and alive["many"] >= most:
                raise TooManyRequestsError("Too many of your streams are open: close one.")
            statements.run(
                "INSERT INTO streams (id, analyst, idempotency_key, dataset, body, state, created, touched) "
                "VALUES (:id, :analyst, :key, :dataset, :body, 'opening', :now, :now) "
                "ON CONFLICT (analyst, idempotency_key) DO NOTHING",
                id=tokens.fresh(), analyst=analyst, key=key, dataset=dataset, body=body, now=self.now(),
            )  # fmt: skip
        found = self.with_key(analyst, key)
        assert found is not None
        return found

    def with_key(self, analyst: str, key: str) -> Stream | None:
        """Return the stream with this key of the analyst, if there is one."""
        return self._one("analyst = :analyst AND idempotency_key = :key", analyst=analyst, key=key)

    def find(self, number: str, analyst: str | None = None) -> Stream | None:
        """Return a stream, if there is one of this number and analyst; of anybody for ``None``."""
        if analyst is None:
            return self._one("id = :id", id=number)
        return self._one("id = :id AND analyst = :analyst", id=number, analyst=analyst)

    def of(self, analyst: str, most: int = 1000) -> list[Stream]:
        """Return the last streams of an analyst, newest first."""
        which = "analyst = :analyst ORDER BY created DESC, id LIMIT :most"
        return self._several(which, analyst=analyst, most=most)

    def open_ones(self) -> list[Stream]:
        """Return all streams that have not ended."""
        return self._several("state <> 'ended'")

    def numbers(self) -> set[str]:
        """Return the numbers of all streams."""
        with self._database.reading() as statements:
            return {row["id"] for row in statements.rows("SELECT id FROM streams")}

    def paid_datasets(self) -> dict[str, str]:
        """Return the dataset of each stream that has a row of a ledger."""
        with self._database.reading() as statements:
            rows = statements.rows("SELECT id, dataset FROM streams WHERE ledger_row IS NOT NULL")
        return {row["id"]: row["dataset"] for row in rows}

    def begin(self, number: str, holder: str, seconds: float, row: int, remaining: str) -> bool:
        """Mark a stream as open and held, and return whether it was this that opened it: it happens once."""
        now = self.now()
        with self._database.writing() as statements:
            changed = statements.run(
                "UPDATE streams SET state = 'open', holder = :holder, lease = :lease, ledger_row = :row, "
                "remaining = :remaining, touched = :now WHERE id = :id AND state = 'opening'",
                id=number, holder=holder, lease=now + seconds, row=row, remaining=remaining, now=now,
            )  # fmt: skip
        return bool(changed)

    def end(self, number: str, ending: Ending, sentence: str | None = None, row: int | None = None) -> None:
        """End a stream for good, unless it has ended."""
        with self._database.writing() as statements:
            statements.run(
                "UPDATE streams SET state = 'ended', ending = :ending, sentence = :sentence, ended = :now, "
                "ledger_row = coalesce(ledger_row, :row) WHERE id = :id AND state <> 'ended'",
                id=number, ending=ending, sentence=sentence, row=row, now=self.now(),
            )  # fmt: skip

    def beat(self, holder: str, seconds: float) -> None:
        """Say that the holder of streams is there."""
        with self._database.writing() as statements:
            statements.run(
                "UPDATE streams SET lease = :lease WHERE holder = :holder AND state = 'open'",
                holder=holder, lease=self.now() + seconds,
            )  # fmt: skip

    def query(self, number: str, key: str) -> StoredAnswer | None:
        """Return the query of a stream with this key, if it was answered."""
        with self._database.reading() as statements:
            row = statements.row(
                "SELECT place, body, status, answer FROM stream_queries "
                "WHERE stream = :stream AND idempotency_key = :key",
                stream=number, key=key,
            )  # fmt: skip
        return None if row is None else StoredAnswer(**row)

    def queries(self, number: str, after: int, most: int) -> list[StoredAnswer]:
        """Return queries of a stream behind one, in order."""
        with self._database.reading() as statements:
            rows = statements.rows(
                "SELECT place, body, status, answer FROM stream_queries "
                "WHERE stream = :stream AND place > :after ORDER BY place LIMIT :most",
                stream=number, after=after, most=most,
            )  # fmt: skip
        return [StoredAnswer(**row) for row in rows]

    def keep(
        self,
        number: str,
        key: str,
        body: str,
        answer: Callable[[int], tuple[int, str]],
        remaining: str,
        ending: Callable[[int], Ending | None],
    ) -> StoredAnswer | None:
        """Store an answer, and with it what is left; ``None`` where the stream has ended meanwhile: nobody sees it.

        Args:
            number, key, body: of the stream and the query.
            answer: makes the status and the text, of the place.
            remaining: of epsilon, as text.
            ending: says, of the place, why the stream ends with this answer, if it does.
        """
        now = self.now()
        with self._database.writing() as statements:
            # The row of the stream is locked from here on: who ends it comes before or after all of this.
            changed = statements.run(
                "UPDATE streams SET asked = asked + 1, remaining = :remaining, touched = :now "
                "WHERE id = :id AND state = 'open'",
                id=number, remaining=remaining, now=now,
            )  # fmt: skip
            row = statements.row("SELECT asked FROM streams WHERE id = :id", id=number)
            if not changed or row is None:
                return None
            place = int(row["asked"])
            status, text = answer(place)
            statements.run(
                "INSERT INTO stream_queries (stream, place, idempotency_key, body, status, answer, created) "
                "VALUES (:stream, :place, :key, :body, :status, :answer, :now)",
                stream=number, place=place, key=key, body=body, status=status, answer=text, now=now,
            )  # fmt: skip
            why = ending(place)
            if why is not None:
                statements.run(
                    "UPDATE streams SET state = 'ended', ending = :why, ended = :now WHERE id = :id",
                    id=number, why=why, now=now,
                )  # fmt: skip
        return StoredAnswer(place, body, status, text)

    def _one(self, which: str, **parameters: str) -> Stream | None:
        found = self._several(which, **parameters)
        return found[0] if found else None

    def _several(self, which: str, **parameters: Any) -> list[Stream]:
        with self._database.reading() as statements:
            rows: list[Row] = statements.rows(f"SELECT {_STREAM} FROM streams WHERE {which}", **parameters)
        return [Stream(**row) for row in rows]

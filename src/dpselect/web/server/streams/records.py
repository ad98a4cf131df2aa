"""Records of streams in a server's database: how far each is, and every answer. Never the secret of one.

A stream is opened once: from then on one process holds its secret, and when that is gone the stream has ended. An
answer is stored before anybody sees it, only while its stream is open, and then stands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from dpselect.web.server.leases import LeasedRecords

State = Literal["opening", "open", "ended"]
# Why: all that was paid for is used up, its analyst or too long a silence ended it, the process that held its secret
# is gone, as many queries as a server allows were asked, it could not be answered, or not be paid for.
Ending = Literal["finished", "closed", "idle", "lost", "full", "failed", "refused"]
_COLUMNS = (
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


class StreamRecords(LeasedRecords[Stream]):
    """All streams and their answers. The process that holds the secret of one has its lease."""

    kind, table, columns = Stream, "streams", _COLUMNS
    unfinished, too_many = "state <> 'ended'", "Too many of your streams are open: close one."
    times = "created, touched"
    first, holder, held = "opening", "holder", "open"

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

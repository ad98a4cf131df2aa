"""Requests and their answers, each kept once. An answer is stored before anybody sees it, and then stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dpselect.web.server.database import Database, Statements
from dpselect.web.server.leases import LeasedRecords

State = Literal["queued", "running", "answered", "refused", "failed"]
_COLUMNS = (
    "id, analyst, idempotency_key AS key, dataset, body, state, attempts, answer, ledger_row AS row, created, ended"
)


@dataclass(frozen=True)
class Job:
    """One request.

    Attributes:
        id: its number, which cannot be guessed.
        analyst: who asked.
        key: the idempotency key that the analyst chose.
        dataset: what about.
        body: the query as canonical JSON.
        state: how far it is.
        attempts: how often somebody began to answer it.
        answer: as JSON, once there is one: a release, or why there is none.
        row: of the ledger, once it was paid for.
        created, ended: seconds since 1970.
    """

    id: str
    analyst: str
    key: str
    dataset: str
    body: str
    state: State
    attempts: int
    answer: str | None
    row: int | None
    created: float
    ended: float | None


class Requests(LeasedRecords[Job]):
    """All requests. A worker that answers one has a lease of it, so that others leave it alone meanwhile."""

    kind, table, columns = Job, "requests", _COLUMNS
    unfinished, too_many = "answer IS NULL", "Too many of your requests are unanswered: wait for their answers."
    first, holder, held = "queued", "worker", "running"

    def waiting(self) -> list[Job]:
        """Return the requests that nobody is answering: those that were tried least first, then the oldest."""
        which = "state IN ('queued', 'running') AND lease < :now ORDER BY attempts, created, id"
        return self.rows(which, now=self.now())

    def claim(self, number: str, worker: str, seconds: float) -> Job | None:
        """Return a request that nobody else is answering, which this worker may answer now; ``None`` otherwise."""
        now = self.now()
        # Whether a power cut forgets this does not matter.
        with self._database.writing(durable=False) as statements:
            claimed = statements.run(
                "UPDATE requests SET state = 'running', worker = :worker, lease = :lease, attempts = attempts + 1 "
                "WHERE id = :id AND state IN ('queued', 'running') AND lease < :now",
                id=number, worker=worker, lease=now + seconds, now=now,
            )  # fmt: skip
            return self._rows(statements, "id = :id", id=number)[0] if claimed else None

    def release(self, worker: str | None = None) -> None:
        """End the leases of a worker that stops, or all of them, where no other server is."""
        whose = "" if worker is None else "AND worker = :worker"
        with self._database.writing() as statements:
            statements.run(
                f"UPDATE requests SET lease = 0 WHERE state = 'running' {whose}",
                **({} if worker is None else {"worker": worker}),
            )

    def keep(self, number: str, state: State, answer: str, row: int | None) -> Job:
        """Store an answer that may be shown, unless one is stored; return the request with the one that is."""
        with self._database.writing() as statements:
            statements.run(
                "UPDATE requests SET state = :state, answer = :answer, ledger_row = :row, ended = :now, lease = 0, "
                "drawn = NULL WHERE id = :id AND answer IS NULL",
                id=number, state=state, answer=answer, row=row, now=self.now(),
            )  # fmt: skip
            # In the same transaction: nobody gets it unless that is committed.
            return self._rows(statements, "id = :id", id=number)[0]


class DrawnAnswers:
    """Answers that were drawn for requests: the store of :meth:`dpselect.ledger.LedgerRequests.answer`.

    Nobody sees one before the ledger keeps its hash; :meth:`Requests.keep` then stores it as the answer.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, request: str) -> str | None:
        """Return the answer that was drawn for a request, if there is one."""
        with self._database.reading() as statements:
            return _stored_answer(statements, request)

    def keep(self, request: str, answer: str) -> str:
        """Store an answer durably, unless there is one; return the one that is stored."""
        with self._database.writing() as statements:
            statements.run(
                "UPDATE requests SET drawn = :drawn WHERE id = :id AND drawn IS NULL AND answer IS NULL",
                id=request, drawn=answer,
            )  # fmt: skip
            kept = _stored_answer(statements, request)
        assert kept is not None
        return kept


def _stored_answer(statements: Statements, request: str) -> str | None:
    row = statements.row("SELECT coalesce(answer, drawn) AS text FROM requests WHERE id = :id", id=request)
    return None if row is None else row["text"]

"""Requests and their answers, each kept once. An answer is stored before anybody sees it, and then stands."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from dpselect.web import tokens
from dpselect.web.server.database import Database, Row, Statements
from dpselect.web.server.errors import TooManyRequestsError

State = Literal["queued", "running", "answered", "refused", "failed"]
_ALL = "id, analyst, idempotency_key, dataset, body, state, attempts, answer, ledger_row, created, ended"


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

    @classmethod
    def of(cls, row: Row) -> Job:
        """Return the request in a row of the table."""
        names = {"idempotency_key": "key", "ledger_row": "row"}
        return cls(**{names.get(name, name): row[name] for name in row})


class Requests:
    """All requests. A worker that answers one has a lease of it, so that others leave it alone meanwhile.

    Leases only save work: that nothing is paid or answered twice is the work of the ledger's rows and of :meth:`keep`.
    """

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        self._database, self._now = database, now

    def open(self, analyst: str, key: str, dataset: str, body: str, most: int | None = None) -> Job:
        """Return the request with this key of the analyst: a new one, unless there is one already.

        Raises:
            Busy: it would be new, and ``most`` requests of the analyst wait for their answers.
        """
        with self._database.writing() as statements:
            statements.turn(f"requests of {analyst}")
            waiting = statements.row(
                "SELECT count(*) AS many FROM requests WHERE analyst = :analyst AND answer IS NULL "
                "AND NOT EXISTS "
                "(SELECT 1 FROM requests WHERE analyst = :analyst AND idempotency_key = :key)",
                analyst=analyst, key=key,
            )  # fmt: skip
            if most is not None and waiting is not None and waiting["many"] >= most:
                raise TooManyRequestsError("Too many of your requests are unanswered: wait for their answers.")
            statements.run(
                "INSERT INTO requests (id, analyst, idempotency_key, dataset, body, state, created) "
                "VALUES (:id, :analyst, :key, :dataset, :body, 'queued', :now) "
                "ON CONFLICT (analyst, idempotency_key) DO NOTHING",
                id=tokens.fresh(), analyst=analyst, key=key, dataset=dataset, body=body, now=self._now(),
            )  # fmt: skip
            found = statements.row(
                f"SELECT {_ALL} FROM requests WHERE analyst = :analyst AND idempotency_key = :key",
                analyst=analyst, key=key,
            )  # fmt: skip
        assert found is not None
        return Job.of(found)

    def with_key(self, analyst: str, key: str) -> Job | None:
        """Return the request with this key of the analyst, if there is one."""
        return self._one("analyst = :analyst AND idempotency_key = :key", analyst=analyst, key=key)

    def find(self, number: str, analyst: str | None = None) -> Job | None:
        """Return a request, if there is one of this number and analyst; of anybody for ``None``."""
        if analyst is None:
            return self._one("id = :id", id=number)
        return self._one("id = :id AND analyst = :analyst", id=number, analyst=analyst)

    def history(self, analyst: str, most: int = 1000) -> list[Job]:
        """Return the last requests of an analyst, newest first."""
        with self._database.reading() as statements:
            rows = statements.rows(
                f"SELECT {_ALL} FROM requests WHERE analyst = :analyst ORDER BY created DESC, id LIMIT :most",
                analyst=analyst, most=most,
            )  # fmt: skip
        return [Job.of(row) for row in rows]

    def waiting(self) -> list[Job]:
        """Return the requests that nobody is answering: those that were tried least first, then the oldest."""
        with self._database.reading() as statements:
            rows = statements.rows(
                f"SELECT {_ALL} FROM requests WHERE state IN ('queued', 'running') AND lease < :now "
                "ORDER BY attempts, created, id",
                now=self._now(),
            )
        return [Job.of(row) for row in rows]

    def numbers(self, *, unanswered: bool = False) -> set[str]:
        """Return the numbers of all requests, or of those without an answer."""
        with self._database.reading() as statements:
            rows = statements.rows(f"SELECT id FROM requests {'WHERE answer IS NULL' if unanswered else ''}")
        return {row["id"] for row in rows}

    def paid_datasets(self) -> dict[str, str]:
        """Return the dataset of each request that has an answer and a row of a ledger."""
        with self._database.reading() as statements:
            rows = statements.rows("SELECT id, dataset FROM requests WHERE ledger_row IS NOT NULL")
        return {row["id"]: row["dataset"] for row in rows}

    def claim(self, number: str, worker: str, seconds: float) -> Job | None:
        """Return a request that nobody else is answering, which this worker may answer now; ``None`` otherwise."""
        now = self._now()
        # Whether a power cut forgets this does not matter.
        with self._database.writing(durable=False) as statements:
            claimed = statements.run(
                "UPDATE requests SET state = 'running', worker = :worker, lease = :lease, attempts = attempts + 1 "
                "WHERE id = :id AND state IN ('queued', 'running') AND lease < :now",
                id=number, worker=worker, lease=now + seconds, now=now,
            )  # fmt: skip
            return _one(statements, "id = :id", id=number) if claimed else None

    def beat(self, worker: str, seconds: float) -> None:
        """Prolong the leases of a worker."""
        with self._database.writing(durable=False) as statements:
            statements.run(
                "UPDATE requests SET lease = :lease WHERE worker = :worker AND state = 'running'",
                worker=worker, lease=self._now() + seconds,
            )  # fmt: skip

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
                id=number, state=state, answer=answer, row=row, now=self._now(),
            )  # fmt: skip
            # In the same transaction: nobody gets it unless that is committed.
            kept = _one(statements, "id = :id", id=number)
        assert kept is not None
        return kept

    def _one(self, which: str, **parameters: str) -> Job | None:
        with self._database.reading() as statements:
            return _one(statements, which, **parameters)


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


def _one(statements: Statements, which: str, **parameters: str) -> Job | None:
    row = statements.row(f"SELECT {_ALL} FROM requests WHERE {which}", **parameters)
    return None if row is None else Job.of(row)

"""Streams that are opened, and their queries answered: by the one process that holds the secret of each.

The secret is in memory and nowhere else. It is drawn after the payment, and no query is answered before the database
says that the stream is open and the ledger keeps the hash of this opening, each of them once. So all answers that
anybody ever sees of one payment are answers of one stream of the library. When the process ends, its streams have
ended, and what they had left is gone.
"""

from __future__ import annotations

import json
import logging
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from threading import RLock
from typing import Any

import dpselect as dps
from dpselect.kernel.format_exact import format_exact
from dpselect.ledger import AnsweredError
from dpselect.release.sparse_vector import SparseVector, ThresholdAnswer
from dpselect.web import tokens
from dpselect.web.server.errors import ConflictError, NotFoundError, RefusalError, TooManyRequestsError
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.problems import INSIDE, problem
from dpselect.web.server.streams.condition import count_rows
from dpselect.web.server.streams.opening import Opening, ThresholdQuestion, plan_stream
from dpselect.web.server.streams.records import Ending, StoredAnswer, Stream, StreamRecords

# Of a lease, in seconds: longer than that of a request, because what was paid for ends with it.
LEASE = 60.0
OTHER_BODY = "This idempotency key was used for another request: choose a new one for each."
_ELSEWHERE = "Another server holds this stream: its queries must reach that one."
_NOT_OPEN = "This stream is not open yet: send its opening again with the same key, at no further price."
_STREAMS_PAUSED = "This dataset is paused: its streams answer when its curator resumes it. Nothing was used up."
_UNREAD = "This query could not be answered, so its stream has ended; what was paid for it stays spent."
ENDING_TEXTS: dict[Ending, str] = {
    "finished": "its answers above have used up what was paid for",
    "closed": "it was closed",
    "idle": "nothing was asked of it for too long",
    "lost": "the server that held its secret has stopped, and what was left of it is gone",
    "full": "it was asked as many queries as this server allows",
    "failed": "it could not be answered",
    "refused": "it was not paid for",
}
_log = logging.getLogger("dpselect.server")


class _StreamEndedError(ConflictError):
    """The stream answers nothing more."""

    error = "PrivacyError"


class _InternalError(RefusalError):
    """Something went wrong that is not reported to users."""

    status = 500


@dataclass(eq=False)
class _HeldSecret:
    """The secret of one stream, and the lock of those who ask it one after the other."""

    lock: RLock = field(default_factory=RLock)
    stream: SparseVector | None = None


@dataclass(frozen=True)
class _Task:
    """One query on its way."""

    stream: Stream
    key: str
    body: str
    query: ThresholdQuestion


class SparseVectorSessions:
    """Opens streams and answers their queries, each once.

    Args:
        jobs: of the server; its state is kept open by others.
    """

    def __init__(self, jobs: JobQueue) -> None:
        self.jobs, self.server_state, self.limits = jobs, jobs.server_state, jobs.server_state.settings.limits
        self.records: StreamRecords = jobs.server_state.streams
        self._held: dict[str, _HeldSecret] = {}
        self._waiting: dict[tuple[str, str], _Task] = {}
        self._lock = RLock()

    def start(self) -> None:
        """End what no process holds any more, and go on looking for such streams."""
        if self.server_state.forgot():
            # Answers may have been sent that the database has forgotten: nothing is drawn again.
            self._give_up("opening")
        if self.server_state.alone is not None:
            self._give_up("open")
        self.jobs.sweeps.append(self.sweep)

    def stop(self) -> None:
        """Let go of all secrets once the workers have stopped: their streams have ended."""
        for number in [*self._held]:
            self.jobs.quietly(partial(self.records.end, number, "lost"))
            self._drop(number)

    def _give_up(self, state: str) -> None:
        for stream in self.records.open_ones():
            if stream.state == state and (state == "open" or self._paid_row(stream) is not None):
                self.records.end(stream.id, "lost", row=stream.row or self._paid_row(stream))

    def _paid_row(self, stream: Stream) -> int | None:
        dataset = self.server_state.datasets.get(stream.dataset)
        return None if dataset is None else dataset.account.first_row(stream.id)

    def find(self, number: str, analyst: str) -> Stream:
        """Return a stream of an analyst (``NotFoundError`` where there is none, or none of theirs)."""
        stream = self.records.find(number, analyst)
        if stream is None or stream.dataset not in self.server_state.datasets:
            raise NotFoundError("This stream does not exist, or is not yours.")
        return stream

    def of(self, analyst: str) -> list[Stream]:
        """Return the streams of an analyst, newest first."""
        return [each for each in self.records.history(analyst) if each.dataset in self.server_state.datasets]

    def open(self, analyst: str, key: str, name: str, opening: Opening) -> Stream:
        """Return the stream of an analyst with this idempotency key: as it was opened before, or a new one.

        Raises:
            NotFoundError: there is no such dataset for this analyst.
            InvalidQueryError: the dataset has no such streams.
            ConflictError: the key was used for another one.
            TooManyRequestsError: too many streams of this analyst are open.
        """
        dataset, body = self.jobs.dataset(name, analyst), opening.model_dump_json()
        stream = self.records.with_key(analyst, key)
        if stream is None:
            plan_stream(dataset, opening)
            stream = self.records.open(analyst, key, name, body, self.limits.streams)
        if (stream.dataset, stream.body) != (name, body):
            raise ConflictError(OTHER_BODY)
        if stream.state == "opening":
            self._open(stream, opening)
            stream = self.records.find(stream.id) or stream
        return stream

    def _open(self, stream: Stream, opening: Opening) -> None:
        """Pay, draw the secret, and then let the database say that the stream is open."""
        with self._lock:
            held = self._held.setdefault(stream.id, _HeldSecret())
        with held.lock:
            if held.stream is not None:
                return
            if self._held.get(stream.id) is held:
                try:
                    self._pay_and_draw(stream, opening, held)
                finally:
                    if held.stream is None:
                        self._drop(stream.id)
                return
        # The opening that this one waited for has failed, and what it held is forgotten.
        self._open(stream, opening)

    def _pay_and_draw(self, stream: Stream, opening: Opening, held: _HeldSecret) -> None:
        dataset = self.server_state.datasets[stream.dataset]
        try:
            payment = dataset.pay(stream.id, stream.analyst, plan_stream(dataset, opening).spends)
        except (RefusalError, dps.BudgetError) as error:
            row = dataset.account.first_row(stream.id)
            self.records.end(stream.id, "refused" if row is None else "failed", str(error), row)
            return
        secret = opening.open(dataset.description, payment)
        if not self.records.begin(
            stream.id, self.jobs.worker, LEASE, payment.rows[0], format_exact(secret.remaining_epsilon)
        ):
            # Another server was first: nobody has asked this one anything.
            secret.end()
            return
        try:
            # No two openings have one text: of all under this payment, in copies of the database too, one is confirmed.
            dataset.account.confirm(stream.id, tokens.fresh())
        except Exception as error:
            secret.end()
            self.records.end(stream.id, "lost" if isinstance(error, AnsweredError) else "failed")
            _log.error("Stream %s was not opened (%s).", stream.id, type(error).__name__)
            return
        held.stream = secret

    def close(self, stream: Stream) -> None:
        """End a stream; any server can, because it takes no secret."""
        self.records.end(stream.id, "closed")
        self._drop(stream.id)

    def begin(self, stream: Stream, key: str, query: ThresholdQuestion) -> Future[StoredAnswer | RefusalError]:
        """Let a worker answer a query; what comes back is the stored answer, or why there is none.

        Raises:
            InvalidQueryError: it is not a query of this stream.
            ConflictError: the key was used for another query.
            TooManyRequestsError: too many queries of this analyst wait.
        """
        task = _Task(stream, key, query.model_dump_json(), query)
        stored = self._stored_answer(task)
        if stored is not None:
            future = Future[StoredAnswer | RefusalError]()
            future.set_result(stored)
            return future
        query.require(self.jobs.dataset(stream.dataset, stream.analyst).description, opening_of(stream))
        with self._lock:
            same = self._waiting.get((stream.id, key))
            if same is not None and same.body != task.body:
                raise ConflictError(OTHER_BODY)
            waiting = sum(other.stream.analyst == stream.analyst for other in self._waiting.values())
            full = same is None and waiting >= self.limits.waiting
            asked = None if full else self.jobs.submit_once((stream.id, key), partial(self._work, task))
            if asked is None:
                raise TooManyRequestsError("Too many of your queries wait: ask again when they are answered.")
            self._waiting[stream.id, key] = task
        asked.add_done_callback(lambda _: self._forget(task))
        return asked

    def _forget(self, task: _Task) -> None:
        with self._lock:
            self._waiting.pop((task.stream.id, task.key), None)

    def _stored_answer(self, task: _Task) -> StoredAnswer | None:
        stored = self.records.query(task.stream.id, task.key)
        if stored is not None and stored.body != task.body:
            raise ConflictError(OTHER_BODY)
        return stored

    def _work(self, task: _Task) -> StoredAnswer | RefusalError:
        """Answer, or return why not: what goes wrong otherwise is known by its kind alone."""
        number = task.stream.id
        try:
            with self._lock:
                held = self._held.get(number)
            if held is not None:
                with held.lock:
                    return self._answer(task, held)
            return self._stored_answer(task) or self._why_not(number)
        except RefusalError as refusal:
            return refusal
        except Exception as error:
            # Nothing was stored, so nothing was seen; to ask again is another question of the same stream.
            _log.error("A query of stream %s failed (%s).", number, type(error).__name__)
            return _InternalError(INSIDE)

    def _answer(self, task: _Task, held: _HeldSecret) -> StoredAnswer | RefusalError:
        """Draw, store, and only then return: the lock is held, so queries come one after the other."""
        stream = self.records.find(task.stream.id) or task.stream
        stored = self._stored_answer(task)
        if stored is not None:
            return stored
        if held.stream is None or stream.state != "open":
            return self._why_not(stream.id)
        dataset = self.server_state.datasets[stream.dataset]
        if self.server_state.standings.of(stream.dataset).paused:
            return RefusalError(_STREAMS_PAUSED)
        try:
            value = count_rows(dataset.rows, task.query.where)
        except Exception as error:
            # That rows cannot be read may follow from them: it is said once for each payment.
            _log.error("Stream %s failed after its payment (%s).", stream.id, type(error).__name__)
            text = json.dumps(problem(424, _UNREAD, request=stream.id, state="failed"))
            stored = self._keep(task, held.stream, lambda _: (424, text), "failed")
        else:
            try:
                answer = held.stream.ask(value, task.query.threshold)
            except dps.PrivacyError:
                # It was closed meanwhile, or its last answer could not be stored.
                self.records.end(stream.id, "finished")
                self._drop(stream.id)
                return self._why_not(stream.id)
            stored = self._keep(task, held.stream, partial(self._answer_text, task, held.stream, answer))
        if stored is None or held.stream.has_ended:
            self._drop(stream.id)
        return stored or self._why_not(stream.id)

    def _keep(self, task: _Task, secret: SparseVector, answer: Any, why: Ending | None = None) -> StoredAnswer | None:
        def ending(place: int) -> Ending | None:
            if why is not None or secret.has_ended:
                return why or "finished"
            return "full" if place >= self.limits.stream_queries else None

        stored = self.records.keep(
            task.stream.id, task.key, task.body, answer, format_exact(secret.remaining_epsilon), ending
        )
        if stored is None or ending(stored.place) is not None:
            secret.end()
        return stored

    def _answer_text(self, task: _Task, secret: SparseVector, answer: ThresholdAnswer, place: int) -> tuple[int, str]:
        """Return what is stored and sent of an answer: functions of the transcript and of public facts."""
        content = {
            "stream": task.stream.id,
            "place": place,
            "above": answer.above,
            "level": answer.level,
            "gap": answer.gap,
            "paid": format_exact(answer.paid),
            "remaining": format_exact(secret.remaining_epsilon),
            "ended": secret.has_ended or place >= self.limits.stream_queries,
        }
        return 200, json.dumps(content)

    def _why_not(self, number: str) -> RefusalError:
        """Return why this server does not answer a stream that it does not hold, and end one that nobody holds."""
        stream = self.records.find(number)
        assert stream is not None
        if stream.state == "opening":
            return ConflictError(_NOT_OPEN)
        if stream.state == "open" and not self._is_gone(stream):
            return ConflictError(_ELSEWHERE)
        if stream.state == "open":
            self.records.end(number, "lost")
            stream = self.records.find(number) or stream
        return _StreamEndedError(
            f"This stream has ended: {ENDING_TEXTS[stream.ending or 'lost']}. Open a new one, at its own price."
        )

    def _is_gone(self, stream: Stream) -> bool:
        """Return whether the process that held an open stream is gone, or has let it go."""
        if stream.holder == self.jobs.worker:
            return stream.id not in self._held
        return self.server_state.alone is not None or stream.lease < self.records.now()

    def _drop(self, number: str) -> None:
        """Forget the secret of a stream."""
        with self._lock:
            held = self._held.pop(number, None)
        if held is not None and held.stream is not None:
            held.stream.end()

    def sweep(self) -> None:
        """Prolong the leases of this process; end streams that are idle, or that nobody holds."""
        if self._held and self.server_state.alone is None:
            self.records.beat(self.jobs.worker, LEASE)
        alive = set()
        idle = self.records.now() - self.limits.stream_idle
        for stream in self.records.open_ones():
            if stream.touched < idle:
                self.records.end(stream.id, "idle", row=stream.row or self._paid_row(stream))
            elif stream.state == "open" and self._is_gone(stream):
                self.records.end(stream.id, "lost")
            else:
                alive.add(stream.id)
        for number in {*self._held} - alive:
            self._let_go(number)

    def _let_go(self, number: str) -> None:
        """Forget a secret whose stream has ended at another server, or before this one looked."""
        stream = self.records.find(number)
        if stream is not None and stream.state == "ended":
            self._drop(number)


def opening_of(stream: Stream) -> Opening:
    """Return what a stream was opened with."""
    return Opening.model_validate_json(stream.body)

"""Answers to requests: paid for, drawn, stored, kept by hash, and only then seen. A stop loses nothing.

Of each request there is one payment, which the ledger's rows show, and one answer, whose hash the ledger keeps. A row
without a hash was never answered to anybody, so its request is answered under the same payment; one with a hash and
without its answer is not drawn again. Proof: ``ledger/requests.md``.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from threading import Event, Lock, Thread
from typing import Any, TypeVar

import dpselect as dps
from dpselect.ledger import AnsweredError
from dpselect.queries import Histogram, Query
from dpselect.web import tokens
from dpselect.web.server.dataset import HostedDataset, LedgerUnavailableError
from dpselect.web.server.errors import ConflictError, NotFoundError, RefusalError
from dpselect.web.server.requests import DrawnAnswers, Job, State
from dpselect.web.server.settings_parts import NAME
from dpselect.web.server.state import ServerState

# Of a lease, in seconds, and how often it is prolonged meanwhile.
LEASE, BEAT = 15.0, 2.0
# A request that was being answered so often when the server stopped is not tried again. One that is innocent of that
# may be among them: so there are many attempts, and those that failed least come first.
ATTEMPTS = 10
# Candidates of the query that only loads libraries.
_FEW = 10_000
# All that is said of a failure after the payment: anything else could follow from rows.
REQUEST_FAILED = (
    "This request was paid for and could not be answered: tell the curator its number; its price stays spent."
)
ANSWER_LOST = (
    "This request was answered, and this server has lost the answer: tell its curator, who can restore the newest "
    "state; its price stays spent."
)
_UNPAID = "This request could not be paid for, and nothing was spent: ask again with another idempotency key."
_OTHER_BODY = "This idempotency key was used for another request: choose a new one for each."
_NO_DATASET = "This dataset does not exist, or is not shared with you."
_log = logging.getLogger("dpselect.server")
_Result = TypeVar("_Result")


class JobQueue:
    """Takes requests and answers them, each once; queries of streams are answered by the same workers.

    Args:
        server_state: what is kept open.

    Attributes:
        worker: who holds the leases of this process.
        sweeps: what is done again and again while the server runs, such as prolonging leases.
    """

    def __init__(self, server_state: ServerState) -> None:
        self.server_state, self._requests, self._drawn = (
            server_state,
            server_state.requests,
            DrawnAnswers(server_state.database),
        )
        self.worker = tokens.fresh()
        limits = server_state.settings.limits
        self._pool = ThreadPoolExecutor(limits.workers, thread_name_prefix="answer")
        # Long queries wait for each other, and short ones do not wait for them.
        self._long = ThreadPoolExecutor(limits.long_workers, thread_name_prefix="long")
        self._running: dict[Hashable, Future[Any]] = {}
        self._lock, self._stopped = Lock(), Event()
        self.sweeps: list[Callable[[], None]] = [self._requeue, self._renew_leases]
        self._sweeper = Thread(target=self._sweep, name="leases", daemon=True)

    def start(self) -> None:
        """Take up what was left unanswered, and go on looking for such requests."""
        if self.server_state.alone is not None:
            # Nobody else answers from this file.
            self._requests.release()
        for number, row in self.server_state.lost_requests():
            self._requests.keep(number, "failed", _problem(number, "failed", 424, REQUEST_FAILED), row)
        self._requeue()
        self._sweeper.start()
        Thread(target=self._warm, name="warming", daemon=True).start()

    def _warm(self) -> None:
        """Plan one query: the first one loads what all others need, and takes most of a second."""
        for dataset in self.server_state.datasets.values():
            column = next(iter(dataset.description.columns), None)
            if column is not None:
                self.quietly(partial(dataset.plan, Histogram(column, epsilon=1), _FEW))
                return

    def stop(self) -> None:
        """Finish what is being answered; what waits is taken up at the next start."""
        self._stopped.set()
        self._long.shutdown(wait=False, cancel_futures=True)
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._long.shutdown(wait=True)
        if self._sweeper.is_alive():
            self._sweeper.join()
        self._requests.release(self.worker)

    def dataset(self, name: str, analyst: str | None) -> HostedDataset:
        """Return a dataset that an analyst has a share of; any for ``None``, a curator.

        Raises:
            NotFoundError: there is none of this name, or none for this analyst; both take alike long.
        """
        # What is not a name is looked up as none: databases refuse some signs.
        shared = self.server_state.standings.has_share(name if re.match(NAME, name) else "", analyst or "")
        dataset = self.server_state.datasets.get(name)
        if dataset is None or not (shared or analyst is None):
            raise NotFoundError(_NO_DATASET)
        return dataset

    def find(self, number: str, analyst: str) -> Job:
        """Return a request of an analyst (``NotFoundError`` where there is none, or none of theirs)."""
        asked = self._requests.find(number, analyst)
        if asked is None:
            raise NotFoundError("This request does not exist, or is not yours.")
        return asked

    def certificate(self, number: str, analyst: str) -> dict[str, Any]:
        """Return the content of the certificate of an answered request of an analyst (``NotFoundError``)."""
        asked = self.find(number, analyst)
        if asked.state != "answered" or asked.answer is None:
            raise NotFoundError("This request has no answer, so there is no certificate.")
        content: dict[str, Any] = json.loads(asked.answer)["certificate"]
        return content

    def submit(self, analyst: str, key: str, name: str, query: Query[Any]) -> Job:
        """Return the request of an analyst with this idempotency key: as it was asked before, or a new one.

        Raises:
            NotFoundError: there is no such dataset for this analyst.
            InvalidQueryError: it is not a query about the dataset.
            ConflictError: the key was used for another request.
            TooManyRequestsError: too many requests of this analyst are unanswered.
        """
        dataset, body = self.dataset(name, analyst), query.canonical()
        asked = self._requests.with_key(analyst, key)
        if asked is None:
            limits = self.server_state.settings.limits
            dataset.plan(query, limits.candidates)
            asked = self._requests.open(analyst, key, name, body, limits.waiting)
        if (asked.dataset, asked.body) != (name, body):
            raise ConflictError(_OTHER_BODY)
        return asked

    def start_job(self, asked: Job) -> Future[Job | None] | None:
        """Let a worker answer a request; return a future of it with its answer, or of ``None`` if there is
        none yet; no future where the server stops.
        """
        return self.submit_once(asked.id, partial(self._work, asked.id), long=self._is_long(asked))

    def submit_once(self, key: Hashable, work: Callable[[], _Result], *, long: bool = False) -> Future[_Result] | None:
        """Let a worker do something, unless one does; return a future of it, or ``None`` where the server stops."""
        with self._lock:
            running = self._running.get(key)
            if running is not None or self._stopped.is_set():
                return running
            future = (self._long if long else self._pool).submit(work)
            self._running[key] = future
        future.add_done_callback(lambda _: self._forget(key))
        return future

    def _is_long(self, asked: Job) -> bool:
        """Return whether a query takes long, by public facts; what cannot be read is refused by a worker."""
        dataset = self.server_state.datasets.get(asked.dataset)
        try:
            return dataset is not None and self.server_state.query_of(asked.body).is_long(dataset.description)
        except ValueError:
            return False

    def _forget(self, key: Hashable) -> None:
        with self._lock:
            self._running.pop(key, None)

    def _work(self, number: str) -> Job | None:
        try:
            asked = self._requests.claim(number, self.worker, LEASE)
            return None if asked is None else self._run(asked)
        except Exception as error:
            # Not paid, not stored, not kept, or it is not known whether: the ledger will say so at the next attempt.
            # What the error says may hold an answer, and one that nobody fetches would be printed.
            _log.warning("Request %s is tried again later (%s).", number, type(error).__name__)
            return None

    def _run(self, asked: Job) -> Job:
        """Pay, draw, store, let the ledger keep the hash; return the request with the answer, which may be shown."""
        dataset = self.server_state.datasets.get(asked.dataset)
        if dataset is None:
            raise LookupError("The dataset is not in the settings of this server.")
        try:
            draw, row = self._pay(asked, dataset)
        except (RefusalError, dps.BudgetError) as error:
            paid = dataset.account.first_row(asked.id)
            if paid is None:
                refused = _problem(asked.id, "refused", getattr(error, "status", 403), str(error))
                return self._requests.keep(asked.id, "refused", refused, None)
            draw, row = partial(_problem, asked.id, "failed", 424, REQUEST_FAILED), paid
        try:
            text = dataset.account.answer(asked.id, self._drawn, draw)
        except AnsweredError:
            _log.error("Request %s has an answer that is not stored here.", asked.id)
            text = _problem(asked.id, "failed", 424, ANSWER_LOST)
        return self._requests.keep(asked.id, json.loads(text)["state"], text, row)

    def _pay(self, asked: Job, dataset: HostedDataset) -> tuple[Callable[[], str], int]:
        """Pay for a request; return what draws its answer, as it is stored, and the row that has paid.

        Raises:
            RefusalError, BudgetError: it is not paid for now; it may have been before.
        """
        if asked.attempts > ATTEMPTS:
            raise RefusalError(_UNPAID)
        query = self.server_state.query_of(asked.body)
        plan = dataset.plan(query, self.server_state.settings.limits.candidates)
        payment = dataset.pay(asked.id, asked.analyst, plan.spends)

        def draw() -> str:
            try:
                return _text(asked.id, "answered", dataset.answer(query, plan, payment))
            except LedgerUnavailableError:
                # What was drawn is forgotten, and drawn again under the same payment.
                raise
            except Exception as error:
                _log.error("Request %s failed after its payment (%s).", asked.id, type(error).__name__)
                return _problem(asked.id, "failed", 424, REQUEST_FAILED)

        return draw, payment.rows[0]

    def _requeue(self) -> None:
        for asked in self._requests.waiting():
            self.start_job(asked)

    def _renew_leases(self) -> None:
        if self._running:
            self._requests.beat(self.worker, LEASE)

    def _sweep(self) -> None:
        while not self._stopped.wait(BEAT):
            for sweep in self.sweeps:
                self.quietly(sweep)

    def quietly(self, action: Callable[[], object]) -> None:
        """Run an action that may fail without harm."""
        try:
            action()
        except Exception as error:
            # The database may be away for a moment: leases only save work, and what cannot be stored is not sent.
            _log.warning("The server's database did not answer (%s).", type(error).__name__)


def _problem(number: str, state: State, status: int, sentence: str) -> str:
    return _text(number, state, {"problem": {"status": status, "detail": sentence}})


def _text(number: str, state: State, content: dict[str, Any]) -> str:
    """Return the end of a request as it is stored and sent."""
    return json.dumps({"request": number, "state": state, **content}, allow_nan=False)

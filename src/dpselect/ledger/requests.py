"""Requests that a ledger pays for: each is paid once, and has one answer that anybody sees. Proof: ``requests.md``.

Pay, draw, store, confirm, show: a row of the ledger carries its request, or a plan of several, an answer is stored
before the ledger keeps its hash, and it is shown only if the ledger keeps the hash of this very answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from threading import Lock
from typing import Protocol

from dpselect.kernel.errors import DPSelectError
from dpselect.ledger.composition import Totals
from dpselect.ledger.events import Event
from dpselect.ledger.in_memory import InMemoryLedger
from dpselect.ledger.ledger import Ledger
from dpselect.ledger.ledger_transaction import LedgerTransaction
from dpselect.ledger.plan_payment import plan_event, plan_parts
from dpselect.ledger.recording import PlannedSpends, RecordingAccountant, Spend

# Metadata that tell rows apart: the request, who asked, and the publication that it is part of.
REQUEST, ANALYST, PUBLICATION = "request", "analyst", "publication"
_NAMES = (REQUEST, ANALYST, PUBLICATION)


class RequestError(DPSelectError, ValueError):
    """A request cannot be paid for or answered; the message says what to do."""


class AnsweredError(RequestError):
    """A request was answered, and that answer is not the one that is stored here."""


class AnswerStore(Protocol):
    """Answers of requests, each kept durably and never changed."""

    def read(self, request: str) -> str | None:
        """Return the answer of a request, if there is one."""
        ...

    def keep(self, request: str, answer: str) -> str:
        """Store an answer durably, unless there is one; return the one that is stored."""
        ...


@dataclass(frozen=True)
class RequestSpends:
    """Spends of one request.

    Attributes:
        request: its name, which no other request has.
        spends: of its release, in order.
        metadata: that its rows carry.
    """

    request: str
    spends: Sequence[Spend]
    metadata: Mapping[str, str] = field(default_factory=dict)

    def events(self, dataset: str) -> list[Event]:
        """Return what a ledger records of them."""
        return [
            replace(each, metadata={**each.metadata, **self.metadata, REQUEST: self.request}).event(dataset)
            for each in self.spends
        ]


@dataclass(frozen=True)
class PlanPayment:
    """Payment of a publication by its optimal composition; its amounts and questions are fixed before it is paid for.

    Attributes:
        publication: its name.
        delta: of all of its rows together, of which the first one takes what there is.
        metadata: of the row.
    """

    publication: str
    delta: Fraction
    metadata: Mapping[str, str] = field(default_factory=dict)


class RequestAccountant(RecordingAccountant):
    """An accountant of a request that was paid for: releases spend what was planned, with the rows that have paid.

    Args:
        rule: of the ledger.
        spends: that were planned, in order.
        rows: of the ledger, one for each.

    Attributes:
        rows: of the ledger.

    Raises:
        RequestError: not all spends were paid for.
    """

    def __init__(self, rule: str, spends: Sequence[Spend], rows: Sequence[int]) -> None:
        if len(spends) != len(rows):
            raise RequestError(_UNPAID)
        left = iter(rows)
        self.rows, self._planned = [*rows], PlannedSpends(spends, lambda _: next(left))
        super().__init__(rule, self._planned)

    def require_complete(self) -> None:
        """Refuse an answer for which another amount was spent than planned (``PrivacyError``)."""
        self._planned.require_complete()


class LedgerIndex:
    """Rows of one ledger by request, analyst and publication, with their sums. It follows the ledger and adds nothing.

    Args:
        ledger: whose rows; others may write to it too.
    """

    def __init__(self, ledger: Ledger | InMemoryLedger) -> None:
        self._ledger, self._lock = ledger, Lock()
        self._read = 0
        self._asked = set[str]()
        self._rows: dict[tuple[str, str], list[tuple[int, Event]]] = {}
        self._sums: dict[tuple[str, str], Totals] = {}

    def follow(self, transaction: LedgerTransaction | None = None) -> Totals:
        """Read the rows that were added since; return what all rows add up to.

        Args:
            transaction: sees the rows; the ledger is read without one.

        Raises:
            ValueError, OSError: as :attr:`dpselect.Ledger.totals`.
        """
        seen = self._ledger if transaction is None else transaction
        with self._lock:
            totals = seen.totals
            missing = totals.spends - self._read
            for event in seen.latest(missing, totals.spends) if missing > 0 else ():
                self._read += 1
                self._add(self._read, event)
            return totals

    def _add(self, row: int, event: Event) -> None:
        if {REQUEST, ANALYST} <= event.metadata.keys():
            self._asked.add(event.metadata[REQUEST])
        # What is compared later needs no metadata.
        bare = replace(event, metadata={})
        for name in _NAMES:
            if name in event.metadata:
                place = name, event.metadata[name]
                self._rows.setdefault(place, []).append((row, bare))
                self._sums[place] = self._sums.get(place, Totals()).after(event)
        for request, part in plan_parts(event):
            self._rows.setdefault((REQUEST, request), []).append((row, part))

    def rows(self, name: str, value: str) -> list[tuple[int, Event]]:
        """Return the rows whose metadata have this value, as far as they were read, in order."""
        with self._lock:
            return [*self._rows.get((name, value), ())]

    def analyst_requests(self) -> set[str]:
        """Return the requests of analysts, as far as they were read; a publication has requests of its own."""
        with self._lock:
            return {*self._asked}

    def spent_by(self, name: str, value: str) -> Totals:
        """Return what the rows with this value add up to, as far as they were read."""
        with self._lock:
            return self._sums.get((name, value), Totals())


class LedgerRequests:
    """Requests that one ledger pays for, and the hashes of their answers.

    Args:
        ledger: a ledger, or a budget in memory.

    Attributes:
        index: its rows by request.
    """

    def __init__(self, ledger: Ledger | InMemoryLedger) -> None:
        self.ledger, self.index = ledger, LedgerIndex(ledger)

    def pay(
        self,
        due: Sequence[RequestSpends],
        admit: Callable[[Totals, Sequence[Event]], None] | None = None,
        payment: PlanPayment | None = None,
    ) -> list[list[int]]:
        """Return the rows of some requests; what is not paid for yet is paid for now, all of it or nothing.

        It is one transaction of the ledger: of several that pay for one request at once, one pays.

        Args:
            due: requests with their spends.
            admit: is called with what was spent and the rows that would pay now, and raises where that is not allowed;
                it may ask :attr:`index`.
            payment: pays for all that is not paid for yet by one row, where that costs less than their sum.

        Raises:
            RequestError: a request was paid for as something else; nothing was spent.
            BudgetError, ValueError, OSError: as :meth:`dpselect.Ledger.spend`; nothing was spent.
        """
        self.index.follow()
        if not self._unpaid(due):
            return [self.rows(each.request) for each in due]
        with self.ledger.transaction() as transaction:
            # Others may have paid since.
            self.index.follow(transaction)
            unpaid, rows = self._unpaid(due), {each.request: self.rows(each.request) for each in due}
            events = self._events(unpaid, payment)
            if unpaid and admit is not None:
                admit(transaction.totals, [event for event, _ in events])
            transaction.prepare_answers()
            for event, paid in events:
                row = transaction.append(event)
                for request in paid:
                    rows[request].append(row)
        return [rows[each.request] for each in due]

    def _events(self, due: Sequence[RequestSpends], payment: PlanPayment | None) -> list[tuple[Event, list[str]]]:
        """Return the rows that pay for requests, each with the request of every spend that it pays for."""
        spends = [(each.request, event) for each in due for event in each.events(self.ledger.terms.dataset)]
        # A request that was paid for in part stays out of a plan: its next question may depend on what was released.
        if due and payment is not None and not any(self.rows(each.request) for each in due):
            paid = self.index.spent_by(PUBLICATION, payment.publication).delta
            event = plan_event(spends, payment.delta - paid, {**payment.metadata, PUBLICATION: payment.publication})
            if event is not None:
                return [(event, [request for request, _ in spends])]
        return [(event, [request]) for request, event in spends]

    def rows(self, request: str) -> list[int]:
        """Return the rows of a request, as far as they were read, in order."""
        return [row for row, _ in self.index.rows(REQUEST, request)]

    def _unpaid(self, due: Sequence[RequestSpends]) -> list[RequestSpends]:
        """Return the requests with the spends that have no row yet, without those that have all."""
        unpaid = []
        for each in due:
            rows = self.index.rows(REQUEST, each.request)
            same = all(spend.is_paid_by(event) for spend, (_, event) in zip(each.spends, rows, strict=False))
            if len(rows) > len(each.spends) or not same:
                raise RequestError(
                    "This request was paid for as something else, by another version or other rules: ask it under "
                    "another key. Nothing was spent."
                )
            if len(rows) < len(each.spends):
                unpaid.append(replace(each, spends=each.spends[len(rows) :]))
        return unpaid

    def answer(self, request: str, store: AnswerStore, draw: Callable[[], str]) -> str:
        """Return the one answer of a request that was paid for, which may be shown.

        Args:
            request: its name.
            store: keeps answers.
            draw: releases under what was paid, and returns the answer; called where none was stored or shown.

        Raises:
            AnsweredError: another answer may have been shown; nothing is drawn where that is known before.
            RequestError: it was not paid for.
            OSError: the answer is not stored, or its hash is not kept: nobody may see it yet.
        """
        self.index.follow()
        if not self.rows(request):
            raise RequestError(_UNPAID)
        # Looked up before the store is: whoever had a hash kept has stored its answer before.
        kept = self.ledger.answers([request]).get(request)
        answer = store.read(request)
        if answer is None:
            if kept is not None:
                raise AnsweredError(_ANSWER_NOT_HERE)
            answer = store.keep(request, draw())
        self.confirm(request, answer, kept)
        return answer

    def confirm(self, request: str, answer: str, kept: str | None = None) -> None:
        """Let the ledger keep the hash of an answer that is stored, unless it keeps one: the answer may be shown then.

        Args:
            request: its name; it was paid for.
            answer: as it is stored.
            kept: the hash that the ledger keeps, where it was looked up.

        Raises:
            AnsweredError: the ledger keeps the hash of another answer.
            OSError: the hash is not kept: nobody may see the answer yet.
        """
        hashed = answer_hash(answer)
        if kept is None:
            with self.ledger.transaction() as transaction:
                kept = transaction.keep_answer(request, hashed)
        if kept != hashed:
            raise AnsweredError(_ANSWER_NOT_HERE)


def answer_hash(answer: str) -> str:
    """Return what a ledger keeps of an answer: its SHA-256."""
    return hashlib.sha256(answer.encode()).hexdigest()


_UNPAID = "This request was not paid for: pay for it before it is answered."
_ANSWER_NOT_HERE = "This request was answered, and its answer is not stored here: restore the newest state."

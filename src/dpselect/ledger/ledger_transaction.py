"""A transaction of a ledger as its users have it: rows as they are, and what is added to them, all of it or nothing."""

from __future__ import annotations

from typing import Protocol

from dpselect.ledger.chain import ChainTail
from dpselect.ledger.composition import Terms, Totals
from dpselect.ledger.events import Event
from dpselect.ledger.transaction import Transaction
from dpselect.ledger.verification import has_answers, prepare_answers, promote_for_spend, sums_of


class LedgerTransaction(Protocol):
    """A transaction of a ledger in a store or in memory, which nobody else writes to meanwhile."""

    @property
    def totals(self) -> Totals:
        """Return what all rows add up to, those that were added here among them."""
        ...

    def latest(self, count: int | None, until: int | None = None) -> list[Event]:
        """Return the last ``count`` events up to row ``until``, oldest first; ``None`` for all."""
        ...

    def append(self, event: Event) -> int:
        """Add an event that the terms admit; return its row.

        Raises:
            BudgetError, ValueError: as :meth:`dpselect.Ledger.spend`.
        """
        ...

    def prepare_answers(self) -> None:
        """Refuse where the hash of an answer cannot be kept.

        Raises:
            OSError: it cannot be written.
        """
        ...

    def keep_answer(self, request: str, hashed: str) -> str:
        """Keep the hash of the answer of a request, unless there is one; return the one that is kept."""
        ...


class StoredTransaction:
    """A transaction of a ledger in a store.

    Args:
        transaction: one that writes.
        terms: of the ledger.
        tail: its end, which was verified in this transaction.

    Attributes:
        tail: the end with what was added.
    """

    def __init__(self, transaction: Transaction, terms: Terms, tail: ChainTail) -> None:
        self._transaction, self._terms, self.tail = transaction, terms, tail

    @property
    def totals(self) -> Totals:
        """Return what all rows add up to."""
        return self.tail.totals

    def latest(self, count: int | None, until: int | None = None) -> list[Event]:
        """Return the last ``count`` events up to row ``until``, oldest first; ``None`` for all."""
        return events_of(self._transaction, count, until)

    def append(self, event: Event) -> int:
        """Add an event that the terms admit; return its row."""
        after = self.tail.after(event, self._terms.admit(self.tail.totals, event))
        self._transaction.append((after.row, event.as_text(), after.link), sums_of(after))
        promote_for_spend(self._transaction)
        self.tail = after
        return after.row

    def prepare_answers(self) -> None:
        """Refuse where the hash of an answer cannot be kept."""
        prepare_answers(self._transaction)

    def keep_answer(self, request: str, hashed: str) -> str:
        """Keep the hash of the answer of a request, unless there is one; return the one that is kept."""
        prepare_answers(self._transaction)
        self._transaction.keep_answer(request, hashed)
        kept = self._transaction.answer(request)
        assert kept is not None
        return kept


def events_of(transaction: Transaction, count: int | None, until: int | None) -> list[Event]:
    """Return the last ``count`` events up to row ``until``, oldest first; ``None`` for all."""
    return [Event.from_text(body) for body in transaction.latest(count, until)]


def answers_of(transaction: Transaction, requests: list[str]) -> dict[str, str]:
    """Return the hashes of the answers of some requests; those without an answer are left out."""
    if not has_answers(transaction):
        return {}
    found = {request: transaction.answer(request) for request in requests}
    return {request: hashed for request, hashed in found.items() if hashed is not None}

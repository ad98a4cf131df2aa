"""The account of one dataset: its ledger, and who may spend how much of it. It pays for a request once.

The allowance and the shares are checked in the same turn as the spend, by the ledger's own rules and against the
ledger's own rows. A request whose rows are in the ledger has paid, whatever else was lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import dpselect as dps
from dpselect.kernel.format_exact import format_exact
from dpselect.ledger import Event, LedgerRequests, RequestError, RequestSpends, Spend
from dpselect.ledger.composition import Remaining, Terms, Totals
from dpselect.ledger.requests import ANALYST, AnswerStore
from dpselect.web.server.analyst_budgets import AnalystBudgets
from dpselect.web.server.errors import ConflictError, RefusalError

DATASET_PAUSED = "This dataset is paused: nothing can be spent until its curator resumes it."
NO_SHARE = "You have no share of this dataset: ask its curator for one."
OTHERWISE = "This request was paid for as something else: ask again with another idempotency key."


class DatasetBudget:
    """Payments for questions about one dataset.

    Args:
        name: of the dataset.
        ledger: what enforces the budget.
        standings: what is released now, and the turns.
    """

    def __init__(self, name: str, ledger: dps.Ledger, standings: AnalystBudgets) -> None:
        self.name, self.ledger, self.terms = name, ledger, ledger.terms
        self._standings, self._requests = standings, LedgerRequests(ledger)
        self._index = self._requests.index

    @property
    def rule(self) -> str:
        """Return what the ledger adds up."""
        return self.terms.rule

    def first_row(self, request: str) -> int | None:
        """Return the first row of a request in the ledger, if it has one."""
        self._index.follow()
        return next(iter(self._requests.rows(request)), None)

    def requests(self) -> set[str]:
        """Return the numbers of all requests of analysts that the ledger has rows of."""
        self._index.follow()
        return self._index.analyst_requests()

    def pay(self, request: str, analyst: str, spends: Sequence[Spend], metadata: Mapping[str, str]) -> list[int]:
        """Return the rows of a request's spends, in order; those that are not there yet are paid for now, all or none.

        Raises:
            RefusalError: the dataset is paused, or not so much is released or shared; nothing was spent.
            ConflictError: the request has paid for something else; nothing was spent.
            BudgetError, ValueError, OSError: as :meth:`dpselect.Ledger.spend`.
        """
        with self._standings.turn(self.name) as standing:

            def admit(totals: Totals, due: Sequence[Event]) -> None:
                share = standing.shares.get(analyst)
                if standing.paused:
                    raise RefusalError(DATASET_PAUSED)
                if share is None:
                    raise RefusalError(NO_SHARE)
                self._admit(self._terms(standing.allowance), totals, due, "What is released of this dataset")
                self._admit(self._terms(share), self._index.spent_by(ANALYST, analyst), due, "Your share")

            try:
                (rows,) = self._requests.pay([RequestSpends(request, spends, {**metadata, ANALYST: analyst})], admit)
            except RequestError:
                raise ConflictError(OTHERWISE) from None
        return rows

    def answer(self, request: str, store: AnswerStore, draw: Callable[[], str]) -> str:
        """Return the one answer of a request that was paid for, as :meth:`dpselect.ledger.LedgerRequests.answer`."""
        return self._requests.answer(request, store, draw)

    def confirm(self, request: str, answer: str) -> None:
        """Let the ledger keep the hash of an answer, as :meth:`dpselect.ledger.LedgerRequests.confirm`."""
        self._requests.confirm(request, answer)

    def allow(self, allowance: Fraction, by: str) -> None:
        """Release another part of the budget.

        Raises:
            RefusalError: it is above the budget, or below what was spent.
        """

        def require() -> None:
            if allowance > self.terms.epsilon:
                most = format_exact(self.terms.epsilon)
                raise RefusalError(f"The budget of this dataset is {most} and never changes: release at most that.")
            totals = self._index.follow()
            left = self._terms(allowance).remaining(totals)
            if left.epsilon < 0 or left.rho < 0:
                raise RefusalError("More than that was spent already: an allowance is never below what was spent.")

        self._standings.allow(self.name, allowance, by, require)

    def remaining(self) -> Remaining:
        """Return what is left of what is released now, in the currency of the rule."""
        return self._terms(self._standings.of(self.name).allowance).remaining(self._index.follow())

    def left_to(self, analyst: str) -> Remaining:
        """Return what is left of an analyst's share."""
        share = self._standings.of(self.name).shares.get(analyst)
        self._index.follow()
        return Remaining() if share is None else self._terms(share).remaining(self._index.spent_by(ANALYST, analyst))

    def totals(self) -> Totals:
        """Return what all rows add up to."""
        return self._index.follow()

    def spent_by(self, analyst: str) -> Totals:
        """Return what the rows of an analyst add up to."""
        self._index.follow()
        return self._index.spent_by(ANALYST, analyst)

    def _terms(self, epsilon: Fraction) -> Terms:
        return Terms.of(**{**vars(self.terms), "epsilon": epsilon})

    def _admit(self, terms: Terms, totals: Totals, due: Sequence[Event], what: str) -> None:
        try:
            for event in due:
                totals = terms.admit(totals, event)
        except dps.BudgetError as error:
            raise RefusalError(str(error).replace("The budget does not", f"{what} does not", 1)) from None

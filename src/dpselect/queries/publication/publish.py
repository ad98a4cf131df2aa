"""Publishing: pay, draw, store, confirm, show, for each query of a plan; begun again, it goes on where it ended.

The rule of one payment and one answer is that of :mod:`dpselect.ledger.requests`; its proof is there.

Limits: A ledger pays by the optimum of a plan in one case: a publication whose total says so, paid for whole before its
first answer. All else adds up, and the optimum is a report, which holds where the amounts were fixed in advance. A plan
that is cut off stays paid; what is edited is paid for apart from it. Choices by the exponential mechanism beside other
parts are counted as if their questions were adaptive, and a promise by rho has an optimum only where its noise is
known: a plan counts its rho. Rows of the data must not change between payment and answer because of an answer.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from dpselect._display.html_table import grid
from dpselect._display.markup import require_templates
from dpselect.certificates.build import certify
from dpselect.dataset import Dataset
from dpselect.kernel.errors import BudgetError
from dpselect.kernel.format_exact import format_exact
from dpselect.kernel.privacy_filter import Accountant
from dpselect.ledger import Event, InMemoryLedger, Ledger, PlanPayment, Report, RequestAccountant, report
from dpselect.ledger.composition import Remaining, Totals, fold
from dpselect.ledger.requests import (
    PUBLICATION,
    AnsweredError,
    LedgerRequests,
    RequestSpends,
    answer_hash,
)
from dpselect.queries.base import Query
from dpselect.queries.ledger_metadata import ledger_metadata
from dpselect.queries.plan import Plan, PrivateRows
from dpselect.queries.publication.answers import (
    DIGEST,
    FILES,
    NUMBER,
    TOTAL,
    PublicationAnswers,
    answers_with_certificate,
)
from dpselect.queries.publication.publication import SUM, Publication, PublicationTotal, parts_of, price_of
from dpselect.queries.publication.state import NAME as STATE
from dpselect.queries.publication.state import FolderState, MemoryState, PublicationState

# The states of a request, as a plan shows them.
NEW, PAID, ANSWERED = "new", "paid", "answered"
# Parts of a certificate that are stored with an answer.
_ANSWER_FIELDS = ("question", "answer", "mechanism", "guarantee", "accuracy", "public", "date", "software")
# Of the columns of a plan.
TITLES = ("key", "epsilon", "mechanism", "state", "error at 95 %")


@dataclass(frozen=True)
class PublicationPlan:
    """Prices and errors of the queries of a publication, whatever the data; a plan costs nothing.

    Attributes:
        publication: whose plan it is.
        plans: of its queries, by key.
        states: of its queries: ``"new"``, ``"paid"``, or ``"answered"``, which costs nothing again.
        remaining: what its ledger has left.
    """

    publication: Publication
    plans: Mapping[str, Plan]
    states: Mapping[str, str]
    remaining: Remaining

    @property
    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """Return key, epsilon, mechanism, state and error at 95 % of each query, as text."""
        return [
            (
                key,
                format_exact(price_of(self.publication.queries[key])),
                plan.mechanism,
                self.states[key],
                plan.error_bound.describe(),
            )
            for key, plan in self.plans.items()
        ]

    @property
    def cost(self) -> Totals:
        """Return what all queries cost."""
        return self.publication.cost(parts_of(self.plans))

    @property
    def unspent(self) -> Fraction:
        """Return the epsilon of the total that is not spent."""
        summed = self.publication.total.composition == SUM
        return self.publication.unspent if summed else self.publication.total.epsilon - self.cost.epsilon

    @property
    def report(self) -> Report | None:
        """Return what the queries cost by every rule at the delta of the total; ``None`` where it has none."""
        delta = self.publication.total.delta
        return report(self._events, float(delta)) if delta else None

    @property
    def _events(self) -> list[Event]:
        return [event for _, event in parts_of(self.plans)]

    @property
    def sums(self) -> str:
        """Return in one line what all queries cost, and what of the total stays unspent."""
        cost, total = self.cost, self.publication.total
        line = f"sum: epsilon {format_exact(cost.epsilon)} of {format_exact(total.epsilon)}"
        if total.composition != SUM:
            line = f"optimal composition: epsilon {format_exact(cost.epsilon)} of {format_exact(total.epsilon)}"
        if total.delta:
            line = f"{line} and delta {format_exact(cost.delta)} of {format_exact(total.delta)}"
        if total.composition != SUM:
            line = f"{line}; by sum epsilon {format_exact(fold(self._events).epsilon)}"
        return f"{line}; epsilon {format_exact(self.unspent)} stays unspent"

    def as_json(self) -> dict[str, Any]:
        """Return the plan for programs."""
        cost, total = self.cost, self.publication.total
        return {
            "total": {"epsilon": format_exact(total.epsilon), "delta": format_exact(total.delta)},
            "cost": {"epsilon": format_exact(cost.epsilon), "delta": format_exact(cost.delta)},
            "unspent": format_exact(self.unspent),
            **_by_rule(self.report),
            "queries": {
                key: {**plan.as_json(), "query": self.publication.queries[key].as_json(), "state": self.states[key]}
                for key, plan in self.plans.items()
            },
        }

    def _repr_html_(self) -> str:
        return grid([*TITLES], [list(row) for row in self.rows])


class _PayableError(Exception):
    """The end of a payment that would be made."""


class PublicationRun:
    """One run of a publication: its requests, what pays for them, and their answers.

    Args:
        publication: the queries.
        dataset: that they are about.
        plans: of the queries, by key.
        ledger: pays.
        state: stores answers.
    """

    def __init__(
        self,
        publication: Publication,
        dataset: Dataset,
        plans: Mapping[str, Plan],
        ledger: Ledger | InMemoryLedger,
        state: PublicationState,
    ) -> None:
        self._publication, self._dataset, self._plans = publication, dataset, plans
        self._ledger, self._state, self._requests = ledger, state, LedgerRequests(ledger)
        self._requests.index.follow()
        self._names = {key: self._name(key, query) for key, query in publication.queries.items()}

    def _name(self, key: str, query: Query[Any]) -> str:
        """Return the name of the request of a query: another one if anything of it changes."""
        parts = ["dpselect publication 1", self._state.identity, key, query.canonical(), self._dataset.digest]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    @property
    def states(self) -> dict[str, str]:
        """Return the state of each query, by key: ``"new"``, ``"paid"`` or ``"answered"``."""
        return {key: self._state_of(name) for key, name in self._names.items()}

    def _state_of(self, name: str) -> str:
        if not self._requests.rows(name):
            return NEW
        return PAID if self._state.read(name) is None else ANSWERED

    @property
    def rows(self) -> list[int]:
        """Return all rows that this publication has paid for, also those of queries that were edited since."""
        return [row for row, _ in self._requests.index.rows(PUBLICATION, self._state.identity)]

    def require_payable(self) -> None:
        """Refuse what cannot be paid for or answered. Nothing is spent and nothing is written.

        Raises:
            AnsweredError: answers were shown that the state lacks; or it has answers that another ledger has paid for.
            BudgetError, ValueError, OSError: as :meth:`pay`.
        """
        self._require_stored()
        with suppress(_PayableError):
            self.pay(self._admit_and_stop)

    def _require_stored(self) -> None:
        if any(not self._requests.rows(request) for request in self._state.requests()):
            raise AnsweredError(
                "Answers of this publication were paid from another ledger than this one: name that ledger again in "
                "the description, or begin another plan. Nothing was spent."
            )
        kept = self._ledger.answers(self._names.values())
        shown = {key: name for key, name in self._names.items() if name in kept}
        lost = [key for key, name in shown.items() if answer_hash(self._state.read(name) or "") != kept[name]]
        if lost:
            raise AnsweredError(self._lost_message(lost))

    def _lost_message(self, keys: Sequence[str]) -> str:
        return (
            f"The answers of {', '.join(keys)} were shown, and this state does not hold them: restore the newest "
            f"{STATE}. Nothing was drawn again."
        )

    def pay(self, admit: Callable[[Totals, Sequence[Event]], None] | None = None) -> None:
        """Pay for all queries that are not answered, those together that are not paid for yet, or for none.

        Args:
            admit: is asked in place of the total and the ledger, before anything is written.

        Raises:
            BudgetError: the total or the ledger does not allow it; nothing was spent.
        """
        due = [
            RequestSpends(self._names[key], self._plans[key].spends, self._metadata(key))
            for key, state in self.states.items()
            if state != ANSWERED
        ]
        total = self._publication.total
        whole = PlanPayment(self._state.identity, total.delta, {**self._dataset.metadata, "command": "publish"})
        self._requests.pay(due, admit or self._admit, None if total.composition == SUM else whole)

    def _metadata(self, key: str) -> dict[str, str]:
        """Return what the ledger records of a query: the words of its own command, and which plan it is of."""
        asked = ledger_metadata(self._publication.queries[key], self._dataset)
        return asked | {PUBLICATION: self._state.identity, "command": f"publish {key}: {asked['command']}"}

    def _admit(self, totals: Totals, events: Sequence[Event]) -> None:
        """Refuse what the total or the ledger does not allow; the total is of all that was ever paid here."""
        cost, paid = fold(events), self._requests.index.spent_by(PUBLICATION, self._state.identity)
        total, where = self._publication.total, self._publication.places.get("", "")
        if paid.epsilon + cost.epsilon > total.epsilon or paid.delta + cost.delta > total.delta:
            amounts, apart = " and write amounts instead of weights", ""
            if total.composition != SUM:
                amounts, apart = "", " apart from the plan, because it may follow from answers"
            raise BudgetError(
                f"{where}The total is {_amounts(total)}, {_amounts(paid)} of it was paid, and what is new or edited "
                f"costs {_amounts(cost)}{apart}: raise the total{amounts}, take the edit back, or begin another plan. "
                "Nothing was spent."
            )
        terms = self._ledger.terms
        left, after = terms.remaining(totals), terms.remaining(totals + cost)
        if min(after.epsilon, after.delta, after.rho) < 0:
            name = _rho if terms.rule == "rho" else _amounts
            raise BudgetError(
                f"{where}The ledger has {name(left)} left, and this publication costs {name(cost)}: lower the total. "
                "Nothing was spent."
            )

    def _admit_and_stop(self, totals: Totals, events: Sequence[Event]) -> None:
        """Refuse what paying refuses, and end the transaction, which has added nothing yet."""
        self._admit(totals, events)
        for event in events:
            totals = self._ledger.terms.admit(totals, event)
        raise _PayableError

    def answer(self, key: str) -> dict[str, Any]:
        """Return the one answer of a query, which may be shown.

        Raises:
            AnsweredError: another answer was shown.
            OSError: the source, the state or the ledger cannot be used.
        """
        try:
            answer = self._requests.answer(self._names[key], self._state, partial(self._draw_answer, key))
        except AnsweredError:
            raise AnsweredError(self._lost_message([key])) from None
        content: dict[str, Any] = json.loads(answer)
        return content

    def _draw_answer(self, key: str) -> str:
        """Read the rows, release under what was paid for, and return the answer as it is stored."""
        query, plan = self._publication.queries[key], self._plans[key]
        accountant = RequestAccountant(self._ledger.rule, plan.spends, self._requests.rows(self._names[key]))
        release = query.release(PrivateRows(self._dataset), accountant)
        accountant.require_complete()
        content = certify(
            plan.with_planned_error(release), question=query.words(), public=query.public(self._dataset)
        ).content
        named = {"key": key, "query": query.as_json(), "parts": [*query.parts()], "rows": accountant.rows}
        return json.dumps({**named, **{name: content[name] for name in _ANSWER_FIELDS}, **query.attachments(release)})


def _by_rule(totals: Report | None) -> dict[str, Any]:
    """Return the totals by every rule for programs, where there are any."""
    if totals is None:
        return {}
    names = ("basic", "rho", "optimum", "fixed_questions")
    numbers = {name: getattr(totals, name) for name in names}
    valid = {name: None if math.isnan(number) else number for name, number in numbers.items()}
    return {"report": {"delta": totals.delta, **valid, "reason": totals.reason}}


def _amounts(of: Totals | Remaining | PublicationTotal) -> str:
    return f"epsilon {format_exact(of.epsilon)}" + (f" and delta {format_exact(of.delta)}" if of.delta else "")


def _rho(of: Totals | Remaining) -> str:
    return f"rho {float(of.rho):.6g}"


def require_ledger(ledger: Accountant) -> Ledger | InMemoryLedger:
    """Return a ledger that pays for requests (``BudgetError``: another accountant does not)."""
    if not isinstance(ledger, (Ledger, InMemoryLedger)):
        raise BudgetError("A publication is paid by a Ledger or by dpselect.budget: open the dataset with one of them.")
    return ledger


def answers_folder(plan: Path) -> Path:
    """Return the folder of the answers of a plan, which is beside its file."""
    return plan.with_name(f"{plan.stem}.answers")


def folder_of(publication: Publication) -> Path | None:
    """Return the folder of the answers; ``None`` where the plan is not a file."""
    return None if publication.path is None else answers_folder(publication.path)


def plan_publication(
    publication: Publication, dataset: Dataset, ledger: Ledger | InMemoryLedger, rule: str
) -> PublicationPlan:
    """Return what a publication costs and how wrong its answers may be. No row is read and nothing is written.

    Args:
        publication: the queries.
        dataset: that they are about.
        ledger: would pay, or a budget in memory with its terms where it is not made yet.
        rule: of the ledger.

    Raises:
        PublicationError, BudgetError, AnsweredError, OSError: as :func:`publish`, of whatever it refuses.
    """
    plans, folder = _plans_of(publication, dataset, rule)
    state = MemoryState() if folder is None else FolderState.existing(folder, FILES) or MemoryState()
    run = PublicationRun(publication, dataset, plans, ledger, state)
    run.require_payable()
    return PublicationPlan(publication, plans, run.states, ledger.remaining)


def _plans_of(publication: Publication, dataset: Dataset, rule: str) -> tuple[Mapping[str, Plan], Path | None]:
    """Return the plans of all queries, and the folder of the answers, whose certificate needs templates."""
    plans, folder = publication.plans(dataset, rule), folder_of(publication)
    if folder is not None:
        require_templates("dpselect.certificates")
    return plans, folder


def publish(
    publication: Publication, dataset: Dataset, open_ledger: Callable[[], Ledger | InMemoryLedger], rule: str
) -> PublicationAnswers:
    """Return the answers of a publication, and write them beside its plan; what was answered before costs nothing.

    Where the plan is not a file, nothing is written, and a further call is another publication.

    Args:
        publication: the queries.
        dataset: that they are about.
        open_ledger: returns what pays; it is called once the plan is found in order.
        rule: of the ledger.

    Raises:
        PublicationError: a query is not about the dataset, or the total does not pay; nothing was spent.
        BudgetError: the total or the ledger does not allow what is not paid for yet; nothing was spent.
        AnsweredError: an answer was shown that is not stored here; nothing was drawn again for it.
        OSError: the folder, the ledger or the source cannot be used; what was paid stays paid, for the next call.
    """
    plans, folder = _plans_of(publication, dataset, rule)
    ledger = open_ledger()
    state = MemoryState() if folder is None else FolderState.create(folder, FILES)
    run = PublicationRun(publication, dataset, plans, ledger, state)
    run.require_payable()
    run.pay()
    answers = {key: run.answer(key) for key in plans}
    public = {NUMBER: state.identity, DIGEST: dataset.digest, TOTAL: format_exact(publication.total.epsilon)}
    result = answers_with_certificate(publication, answers, ledger, run.rows, public, dataset.about or "", folder)
    if folder is not None:
        result.write(folder)
    return result

"""Publishing: pay, draw, store, confirm, show, for each query of a plan; begun again, it goes on where it ended.

The rule of one payment and one answer is that of :mod:`dpselect.ledger.requests`; its proof is there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from dpselect._display.html_table import grid
from dpselect._display.markup import require_templates
from dpselect.certificates.composed import certify
from dpselect.dataset import Dataset
from dpselect.kernel.budget import Accountant
from dpselect.kernel.errors import BudgetError
from dpselect.kernel.written import written
from dpselect.ledger import InMemoryLedger, Ledger, PlannedSpends, RecordingAccountant, Spend
from dpselect.ledger.accountant import Remaining, Totals, fold
from dpselect.ledger.requests import (
    PUBLICATION,
    REQUEST,
    AnsweredError,
    LedgerRequests,
    RequestSpends,
    answer_hash,
)
from dpselect.queries.base import Query
from dpselect.queries.plan import Plan, PrivateRows
from dpselect.queries.publication.answers import (
    DIGEST,
    FILES,
    NUMBER,
    TOTAL,
    PublicationAnswers,
    answers_with_certificate,
)
from dpselect.queries.publication.publication import Publication, price_of
from dpselect.queries.publication.state import FolderState, MemoryState, PublicationState

# The states of a request, as a plan shows them.
NEW, PAID, ANSWERED = "new", "paid", "answered"
# Of the columns of a plan.
TITLES = ("key", "epsilon", "mechanism", "state", "error at 95 %")


@dataclass(frozen=True)
class PublicationPlan:
    """Prices and errors of the queries of a publication, whatever the data; a plan costs nothing.

    Attributes:
        publication: whose plan it is.
        plans: of its queries, by key.
        states: of its queries: ``"new"``, ``"paid"``, or ``"answered"``, which costs nothing again.
        remaining: what its ledger has left; ``None`` where there is none yet.
    """

    publication: Publication
    plans: Mapping[str, Plan]
    states: Mapping[str, str]
    remaining: Remaining | None = None

    @property
    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """Return key, epsilon, mechanism, state and error at 95 % of each query, as text."""
        return [
            (
                key,
                written(price_of(self.publication.queries[key])),
                plan.mechanism,
                self.states[key],
                plan.error_bound.describe(),
            )
            for key, plan in self.plans.items()
        ]

    @property
    def cost(self) -> Totals:
        """Return what all queries cost."""
        return _cost([spend for plan in self.plans.values() for spend in plan.spends])

    def as_json(self) -> dict[str, Any]:
        """Return the plan for programs."""
        cost, total = self.cost, self.publication.total
        return {
            "total": {"epsilon": written(total.epsilon), "delta": written(total.delta)},
            "cost": {"epsilon": written(cost.epsilon), "delta": written(cost.delta)},
            "unspent": written(self.publication.unspent),
            "queries": {
                key: {**plan.as_json(), "query": self.publication.queries[key].as_json(), "state": self.states[key]}
                for key, plan in self.plans.items()
            },
        }

    def _repr_html_(self) -> str:
        return grid([*TITLES], [list(row) for row in self.rows])


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
    publication: Publication, dataset: Dataset, ledger: Ledger | InMemoryLedger | None, rule: str
) -> PublicationPlan:
    """Return what a publication costs and how wrong its answers may be. No row is read and nothing is written.

    Args:
        publication: the queries.
        dataset: that they are about.
        ledger: would pay; ``None`` where there is none yet.
        rule: of the ledger.

    Raises:
        PublicationError: a query is not about the dataset, or the total does not pay.
    """
    plans, folder = publication.plans(dataset, rule), folder_of(publication)
    states = dict.fromkeys(plans, NEW)
    if ledger is not None and folder is not None:
        try:
            state = FolderState(folder)
        except FileNotFoundError:
            pass
        else:
            requests = LedgerRequests(ledger)
            requests.index.follow()
            for key, request in _requests(publication, dataset, state).items():
                paid = bool(requests.index.rows(REQUEST, request))
                states[key] = ANSWERED if paid and state.read(request) is not None else PAID if paid else NEW
    return PublicationPlan(publication, plans, states, None if ledger is None else ledger.remaining)


def publish(
    publication: Publication,
    dataset: Dataset,
    open_ledger: Callable[[], Ledger | InMemoryLedger],
    rule: str,
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
        AnsweredError: an answer was shown that is not stored here; nothing was spent or drawn for it.
        OSError: the folder, the ledger or the source cannot be used; what was paid stays paid, for the next call.
    """
    plans, folder = publication.plans(dataset, rule), folder_of(publication)
    if folder is not None:
        require_templates("dpselect.certificates")
    ledger = open_ledger()
    state = MemoryState() if folder is None else FolderState.made(folder, FILES)
    names = _requests(publication, dataset, state)
    requests = LedgerRequests(ledger)
    requests.index.follow()
    _require_stored(ledger, state, names, folder)
    due = [
        RequestSpends(
            name,
            plans[key].spends,
            {**dataset.metadata, "command": f"publish {key}", PUBLICATION: state.identity},
        )
        for key, name in names.items()
        if state.read(name) is None or not requests.index.rows(REQUEST, name)
    ]
    requests.pay(due, partial(_admit, publication, requests, state))
    answers = {}
    for key, name in names.items():
        draw = partial(_drawn, key, publication.queries[key], plans[key], requests, name, dataset)
        try:
            answers[key] = json.loads(requests.answer(name, state, draw))
        except AnsweredError:
            raise AnsweredError(_lost([key], folder)) from None
    rows = [row for row, _ in requests.index.rows(PUBLICATION, state.identity)]
    public = {NUMBER: state.identity, DIGEST: dataset.digest, TOTAL: written(publication.total.epsilon)}
    result = answers_with_certificate(publication, answers, ledger, rows, public, dataset.about or "", folder)
    if folder is not None:
        result.write(folder)
    return result


def _requests(publication: Publication, dataset: Dataset, state: PublicationState) -> dict[str, str]:
    """Return the name of the request of each query: another one if anything of it changes."""
    return {
        key: hashlib.sha256(
            json.dumps(["dpselect publication 1", state.identity, key, query.canonical(), dataset.digest]).encode()
        ).hexdigest()
        for key, query in publication.queries.items()
    }


def _require_stored(
    ledger: Ledger | InMemoryLedger, state: PublicationState, names: Mapping[str, str], folder: Path | None
) -> None:
    """Refuse a state that lacks answers which were shown, before anything is paid."""
    kept = ledger.answers(names.values())
    lost = []
    for key, name in names.items():
        stored = state.read(name) if name in kept else None
        if name in kept and (stored is None or answer_hash(stored) != kept[name]):
            lost.append(key)
    if lost:
        raise AnsweredError(_lost(lost, folder))


def _lost(keys: Sequence[str], folder: Path | None) -> str:
    place = "the state" if folder is None else str(folder / "state.db")
    return (
        f"These were answered and shown, and {place} does not hold the answers: restore the newest state.db. Nothing "
        f"was drawn again for {', '.join(keys)}."
    )


def _cost(spends: Sequence[Spend]) -> Totals:
    return fold(spend.event() for spend in spends)


def _admit(
    publication: Publication, requests: LedgerRequests, state: PublicationState, totals: Totals, spends: Sequence[Spend]
) -> None:
    """Refuse what the total or the ledger does not allow; the total is of all that this publication has ever paid."""
    cost, paid = _cost(spends), requests.index.spent(PUBLICATION, state.identity)
    total, where = publication.total, publication.places.get("", "")
    if paid.epsilon + cost.epsilon > total.epsilon or paid.delta + cost.delta > total.delta:
        raise BudgetError(
            f"{where}The total is {_amounts(total.epsilon, total.delta)}, {_amounts(paid.epsilon, paid.delta)} of it "
            f"was paid, and what is new or edited costs {_amounts(cost.epsilon, cost.delta)}: raise the total and "
            "write amounts instead of weights, take the edit back, or begin another plan. Nothing was spent."
        )
    left, after = (requests.ledger.terms.left(each) for each in (totals, totals + cost))
    if min(after.epsilon, after.delta, after.rho) < 0:
        by_rho = requests.ledger.rule == "rho"
        has = f"rho {float(left.rho):.6g}" if by_rho else _amounts(left.epsilon, left.delta)
        asks = f"rho {float(cost.rho):.6g}" if by_rho else _amounts(cost.epsilon, cost.delta)
        raise BudgetError(
            f"{where}The ledger has {has} left, and this publication costs {asks}: lower the total. Nothing was spent."
        )


def _amounts(epsilon: Fraction, delta: Fraction) -> str:
    return f"epsilon {written(epsilon)}" + (f" and delta {written(delta)}" if delta else "")


def _drawn(key: str, query: Query[Any], plan: Plan, requests: LedgerRequests, request: str, dataset: Dataset) -> str:
    """Read the rows, release under what was paid for, and return the answer as it is stored."""
    rows = [row for row, _ in requests.index.rows(REQUEST, request)]
    spends = PlannedSpends.paid(plan.spends, rows)
    release = query.release(PrivateRows(dataset), RecordingAccountant(requests.ledger.rule, spends))
    spends.require_complete()
    # The error of the answer may have followed from rows.
    release = replace(release, error_bound=plan.error_bound)
    content = certify(release, question=query.words(), public=query.public(dataset)).content
    kept = ("question", "answer", "mechanism", "guarantee", "accuracy", "public", "date", "software")
    said = {name: content[name] for name in kept}
    named = {"key": key, "query": query.as_json(), "parts": [*query.parts()], "rows": rows}
    return json.dumps({**named, **said, **query.attached(release)})

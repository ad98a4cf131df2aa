"""Views of datasets, requests and rows of a ledger: public facts, sums, and nothing that was read from rows."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from dpselect.certificates.canonical_json import plain
from dpselect.dataset import DateDomain, NumericDomain
from dpselect.dataset.description_parts import ColumnDomain
from dpselect.kernel.format_exact import format_exact
from dpselect.kernel.neighbours import PROTECTED_UNITS
from dpselect.ledger.composition import Remaining
from dpselect.ledger.events import Event
from dpselect.ledger.requests import ANALYST, REQUEST
from dpselect.queries.columns import date_bounds, grid_bounds
from dpselect.web.server.analyst_budgets import ReleasedBudget
from dpselect.web.server.dataset import HostedDataset
from dpselect.web.server.requests import Job
from dpselect.web.server.state import ServerState
from dpselect.web.server.users import User


def list_datasets(server_state: ServerState, user: User) -> list[dict[str, Any]]:
    """Return the datasets that a user may ask about, with what is left of each."""
    shared = server_state.standings.shared_with(user.name)
    names = [name for name in server_state.datasets if user.role == "curator" or name in shared]
    return [summary(server_state.datasets[name], user, server_state.standings.of(name)) for name in names]


def summary(dataset: HostedDataset, user: User, standing: ReleasedBudget) -> dict[str, Any]:
    """Return a dataset in a list."""
    released = _remaining(dataset, dataset.account.remaining())
    left = {"released": released}
    if user.role == "analyst":
        left["share"] = _remaining(dataset, dataset.account.left_to(user.name))
    return {"name": dataset.name, "about": dataset.description.about or "", "paused": standing.paused, "left": left}


def details(dataset: HostedDataset, user: User, standing: ReleasedBudget) -> dict[str, Any]:
    """Return everything that a user may know of a dataset."""
    facts, terms = dataset.description, dataset.account.terms
    result = summary(dataset, user, standing) | {
        "neighbours": facts.neighbours.value,
        "protects": PROTECTED_UNITS[facts.neighbours],
        "rule": terms.rule,
    }
    if facts.nodes is not None:
        result["nodes"] = facts.nodes if isinstance(facts.nodes, int) else [*facts.nodes]
        result["max_degree"] = facts.max_degree
    else:
        result["columns"] = {name: _domain(domain) for name, domain in facts.columns.items()}
        result["rows_per_person"] = None if facts.person is None else facts.rows_per_person
    if user.role == "curator":
        result["budget"] = {"epsilon": format_exact(terms.epsilon), "delta": format_exact(terms.delta)}
        result["allowance"] = format_exact(standing.allowance)
        result["shares"] = {name: format_exact(share) for name, share in standing.shares.items()}
    return result


def _domain(domain: ColumnDomain) -> Any:
    """Return a domain as a description writes it."""
    if isinstance(domain, DateDomain):
        return plain(date_bounds(domain))
    return grid_bounds(domain) if isinstance(domain, NumericDomain) else [*domain]


def _remaining(dataset: HostedDataset, left: Remaining) -> dict[str, str]:
    if dataset.account.rule == "rho":
        return {"rho": format_exact(left.rho)}
    return {"epsilon": format_exact(left.epsilon), "delta": format_exact(left.delta)}


def job_entry(request: Job) -> dict[str, Any]:
    """Return a request in a list."""
    return {
        "request": request.id,
        "dataset": request.dataset,
        "query": json.loads(request.body),
        "state": request.state,
        "ledger_row": request.row,
        "asked": moment(request.created),
    }


def spend(row: int, event: Event) -> dict[str, Any]:
    """Return a row of a ledger."""
    return {
        "row": row,
        "when": event.when,
        "analyst": event.metadata.get(ANALYST),
        "request": event.metadata.get(REQUEST),
        "mechanism": event.mechanism,
        "epsilon": format_exact(event.epsilon),
        "delta": format_exact(event.delta),
        "count": event.count,
    }


def moment(seconds: float) -> str:
    """Return a moment in UTC, to the second."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")

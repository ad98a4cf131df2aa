"""The overview of a budget for curators: who has which share, what is spent, every row and every change."""

from __future__ import annotations

from typing import Any

from dpselect.kernel.format_exact import format_exact
from dpselect.ledger.composition import Remaining, Totals
from dpselect.web.server import serializers
from dpselect.web.server.audit_log import latest_changes
from dpselect.web.server.database import Database
from dpselect.web.server.dataset import HostedDataset
from dpselect.web.server.state import ServerState


def budgets(server_state: ServerState) -> list[dict[str, Any]]:
    """Return the sums of every dataset."""
    return [budget(server_state, dataset) for dataset in server_state.datasets.values()]


def budget(server_state: ServerState, dataset: HostedDataset) -> dict[str, Any]:
    """Return the sums of a dataset: of all analysts, and of each."""
    account, standing = dataset.account, server_state.standings.of(dataset.name)
    total = account.terms
    analysts = [
        {
            "name": name,
            "share": format_exact(share),
            "spent": _amount(dataset, account.spent_by(name)),
            "left": _amount(dataset, account.left_to(name)),
        }
        for name, share in sorted(standing.shares.items())
    ]
    return {
        "name": dataset.name,
        "about": dataset.description.about or "",
        "paused": standing.paused,
        "rule": total.rule,
        "budget": f"epsilon {format_exact(total.epsilon)}"
        + (f", delta {format_exact(total.delta)}" if total.delta else ""),
        "allowance": format_exact(standing.allowance),
        "spent": _amount(dataset, account.totals()),
        "left": _amount(dataset, account.remaining()),
        "spends": account.totals().spends,
        "analysts": analysts,
    }


def rows(dataset: HostedDataset, before: int | None, most: int) -> dict[str, Any]:
    """Return rows of the ledger, the newest first.

    Args:
        dataset: whose ledger.
        before: all rows have smaller numbers; ``None`` for the newest.
        most: how many rows.

    Returns:
        ``rows``, and ``older``: what ``before`` is for those that follow, ``None`` where none do.
    """
    ledger = dataset.account.ledger
    last = ledger.totals.spends
    if before is not None:
        last = min(last, before - 1)
    first = max(1, last - most + 1)
    events = ledger.latest(last - first + 1, last) if last >= first else []
    listed = [serializers.spend(row, event) for row, event in enumerate(events, first)]
    return {"rows": listed[::-1], "older": first if first > 1 else None}


def list_changes(database: Database, dataset: str | None, most: int, skip: int) -> dict[str, Any]:
    """Return changes of a dataset, or of users and tokens for ``None``, the newest first.

    Returns:
        ``changes``, and ``older``: how many to skip for those that follow, ``None`` where none do.
    """
    found = latest_changes(database, dataset, most + 1, skip)
    listed = [
        {"when": serializers.moment(each["made"]), "who": each["who"], "what": each["what"]} for each in found[:most]
    ]
    return {"changes": listed, "older": skip + most if len(found) > most else None}


def _amount(dataset: HostedDataset, amount: Totals | Remaining) -> str:
    if dataset.account.rule == "rho":
        return f"rho {format_exact(amount.rho)}"
    return f"epsilon {format_exact(amount.epsilon)}" + (f", delta {format_exact(amount.delta)}" if amount.delta else "")

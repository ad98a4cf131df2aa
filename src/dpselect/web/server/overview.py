"""What curators see of a budget: who has which share, what is spent, every row and every change."""

from __future__ import annotations

from typing import Any

from dpselect.kernel.written import written
from dpselect.ledger.accountant import Remaining, Totals
from dpselect.web.server import shown
from dpselect.web.server.changes import latest_changes
from dpselect.web.server.database import Database
from dpselect.web.server.dataset import HostedDataset
from dpselect.web.server.house import House


def budgets(house: House) -> list[dict[str, Any]]:
    """Return the sums of every dataset."""
    return [budget(house, dataset) for dataset in house.datasets.values()]


def budget(house: House, dataset: HostedDataset) -> dict[str, Any]:
    """Return the sums of a dataset: of all analysts, and of each."""
    account, standing = dataset.account, house.standings.of(dataset.name)
    total = account.terms
    analysts = [
        {
            "name": name,
            "share": written(share),
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
        "budget": f"epsilon {written(total.epsilon)}" + (f", delta {written(total.delta)}" if total.delta else ""),
        "allowance": written(standing.allowance),
        "spent": _amount(dataset, account.spent()),
        "left": _amount(dataset, account.left()),
        "spends": account.spent().spends,
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
    listed = [shown.spend(row, event) for row, event in enumerate(events, first)]
    return {"rows": listed[::-1], "older": first if first > 1 else None}


def changed(database: Database, dataset: str | None, most: int, skip: int) -> dict[str, Any]:
    """Return changes of a dataset, or of users and tokens for ``None``, the newest first.

    Returns:
        ``changes``, and ``older``: how many to skip for those that follow, ``None`` where none do.
    """
    found = latest_changes(database, dataset, most + 1, skip)
    listed = [{"when": shown.moment(each["made"]), "who": each["who"], "what": each["what"]} for each in found[:most]]
    return {"changes": listed, "older": skip + most if len(found) > most else None}


def _amount(dataset: HostedDataset, amount: Totals | Remaining) -> str:
    if dataset.account.rule == "rho":
        return f"rho {written(amount.rho)}"
    return f"epsilon {written(amount.epsilon)}" + (f", delta {written(amount.delta)}" if amount.delta else "")

"""A budget as a bar and in words: how much is spent, and how much remains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dpselect.kernel.format_exact import format_exact
from dpselect.ledger.composition import Remaining, Totals
from dpselect.web.server.dataset import HostedDataset
from dpselect.web.server.users import User


@dataclass(frozen=True)
class BudgetBar:
    """A budget of some analysts.

    Attributes:
        label: whose it is.
        words: what is spent of it, and what remains.
        spent, whole: for a bar.
    """

    label: str
    words: str
    spent: float
    whole: float

    @classmethod
    def of(cls, dataset: HostedDataset, label: str, spent: Totals, left: Remaining) -> BudgetBar:
        """Return the bar of sums in the currency of the ledger."""
        unit = "rho" if dataset.account.rule == "rho" else "epsilon"
        gone, rest = getattr(spent, unit), getattr(left, unit)
        words = f"{unit} {format_exact(gone)} of {format_exact(gone + rest)} spent, {format_exact(rest)} remaining"
        if unit == "epsilon" and (left.delta or spent.delta):
            words += f"; delta {format_exact(left.delta)} remaining"
        return cls(label, words, float(gone), float(gone + rest))


def budget_bars(dataset: HostedDataset, user: User) -> Iterator[BudgetBar]:
    """Yield the share of an analyst, and what all analysts may spend together."""
    account = dataset.account
    if user.role == "analyst":
        yield BudgetBar.of(dataset, "Your share", account.spent_by(user.name), account.left_to(user.name))
    yield BudgetBar.of(dataset, "All analysts together", account.totals(), account.remaining())

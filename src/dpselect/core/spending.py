"""What a release asks of a ledger: to record the spend durably, or to refuse, before any randomness is drawn."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from dpselect.core.guarantee import Guarantee


@runtime_checkable
class Spender(Protocol):
    """Whatever keeps a budget: ``dpselect.Ledger``, a session, or a user's own."""

    def spend(self, guarantee: Guarantee, *, mechanism: str, count: int = 1, note: str = "") -> object:
        """Record ``count`` releases, each with this guarantee, durably, or raise and record nothing.

        Raises:
            BudgetError: the budget does not allow it.
        """
        ...

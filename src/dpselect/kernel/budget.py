"""What a release asks of a ledger: to record the spend durably, or to refuse, before any randomness is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Protocol, runtime_checkable

from dpselect.kernel.guarantee import Guarantee


@runtime_checkable
class Spender(Protocol):
    """Whatever keeps a budget: ``dpselect.Ledger``, a session, or a user's own."""

    def spend(self, guarantee: Guarantee, /, *, mechanism: str, count: int = 1, note: str = "") -> object:
        """Record ``count`` releases, each with this guarantee, durably, or raise and record nothing.

        Raises:
            BudgetError: the budget does not allow it.
        """
        ...


# The budget of the enclosing ``with dpselect.budget(...)``, for this thread of execution.
session: ContextVar[Spender | None] = ContextVar("dpselect_budget", default=None)


def require_spender(ledger: Any) -> Spender | None:
    """Return the ledger given, else that of the enclosing session, else ``None``.

    Raises:
        TypeError: something that keeps no budget.
    """
    if ledger is None:
        return session.get()
    if isinstance(ledger, Spender):
        return ledger
    raise TypeError("ledger must keep a budget: pass ledger=dpselect.Ledger.open(path, epsilon=...).")


def citing(book: Spender, facts: Mapping[str, str]) -> Spender:
    """Return the same budget, recording with each spend where the data came from, if it can: never another budget."""
    about = getattr(book, "about", None)
    cited: Spender = about(**facts) if about is not None and facts else book
    return cited

"""What one request is charged: its question is priced first, and paid for before any row is read.

Spend, then read and draw. A request that was cut short finds its rows in the ledger again and draws under them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dpselect.kernel.guarantee import Guarantee
from dpselect.ledger import Spend
from dpselect.web.server.account import OTHERWISE, Account
from dpselect.web.server.refusal import Conflict


class ChargedAccountant:
    """A budget that pays for one request: pass it as ``ledger=`` to any function of the library.

    What was paid for in :meth:`settle`, now or before a crash, is what releases may spend, in the same order; they get
    the rows of the true ledger, and anything else is refused.

    Args:
        account: of the dataset.
        request: the number of the request.
        analyst: whose share pays.
        metadata: where the rows are; recorded, so nothing private.
    """

    def __init__(self, account: Account, request: str, analyst: str, metadata: Mapping[str, str] | None = None) -> None:
        self._account, self._request, self._analyst = account, request, analyst
        self._metadata = {**(metadata or {})}
        self._spends: Sequence[Spend] = ()
        self._used, self._is_wrong = 0, False
        self.rows: list[int] = []

    @property
    def rule(self) -> str:
        """Return what the ledger adds up."""
        return self._account.rule

    def settle(self, spends: Sequence[Spend]) -> list[int]:
        """Pay for all spends of the request, or find them paid; return their rows.

        Raises:
            Refusal, BudgetError, ValueError, OSError: as :meth:`Account.pay`; nothing was spent.
        """
        self.rows = self._account.pay(self._request, self._analyst, spends, self._metadata)
        self._spends = [*spends]
        return self.rows

    def spend(self, guarantee: Guarantee, *, mechanism: str, count: int = 1, note: str = "") -> int:
        """Return the row that pays for the next spend of this request.

        Raises:
            Conflict: it was not settled, or as something else.
        """
        place = self._used
        asked = Spend(guarantee, mechanism, count, note)
        if place >= len(self.rows) or not asked.is_paid_by(self._spends[place].event()):
            self._is_wrong = True
            raise Conflict(OTHERWISE)
        self._used += 1
        return self.rows[place]

    def with_metadata(self, **_: str) -> ChargedAccountant:
        """Return this payment: what a spend records was recorded when it was settled."""
        return self

    def require_complete(self) -> None:
        """Refuse a draw that asked for another amount than was settled: it was another question (``Conflict``)."""
        if self._is_wrong or self._used != len(self.rows):
            raise Conflict(OTHERWISE)

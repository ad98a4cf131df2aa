"""One dataset as a server has it: its public facts, its account and its rows."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from dpselect.dataset import Dataset
from dpselect.kernel.errors import DPSelectError, PrivacyError
from dpselect.ledger import RequestAccountant, Spend
from dpselect.queries import Plan, Query, plan_of
from dpselect.web.server.dataset_budget import DatasetBudget
from dpselect.web.server.errors import InvalidQueryError, UnprotectedError
from dpselect.web.server.hosted_rows import HostedRows

# How many plans are remembered.
_PLANS = 256


class LedgerUnavailableError(DPSelectError):
    """The ledger did not answer after a draw that has not been seen."""


@dataclass(frozen=True)
class HostedDataset:
    """A dataset that a server answers queries about.

    Attributes:
        name: the curator's.
        description: what is public.
        account: what pays.
        rows: what is private.
    """

    name: str
    description: Dataset
    account: DatasetBudget
    rows: HostedRows
    # Plans of the last queries: they follow from public facts, and the same queries come again.
    _plans: OrderedDict[tuple[str, int], Plan] = field(default_factory=OrderedDict, compare=False)

    def plan(self, query: Query[Any], most: int) -> Plan:
        """Return what a query would cost, from public facts alone: no row is read, nothing is spent.

        Args:
            query: about this dataset.
            most: how many public candidates it may have.

        Raises:
            InvalidQueryError: it is not a query about this dataset; the message may be shown.
        """
        asked = query.canonical(), most
        plan = self._plans.get(asked)
        if plan is None:
            plan = self._plans[asked] = self._plan(query, most)
            while len(self._plans) > _PLANS:
                # Two threads may take the same one away.
                with suppress(KeyError):
                    self._plans.popitem(last=False)
        return plan

    def _plan(self, query: Query[Any], most: int) -> Plan:
        try:
            size = query.size(self.description)
            if size > most:
                raise InvalidQueryError(
                    f"This question has {size} public candidates and the server allows {most}: ask for fewer."
                )
            return plan_of(query, self.description, self.account.rule)
        except PrivacyError as error:
            raise UnprotectedError(str(error)) from None
        except (ValueError, TypeError) as error:
            raise InvalidQueryError.of(error) from None

    def pay(self, request: str, analyst: str, spends: Sequence[Spend]) -> RequestAccountant:
        """Pay for a request of an analyst, or find it paid; return what its release spends from.

        Raises:
            RefusalError, BudgetError, ValueError, OSError: as :meth:`DatasetBudget.pay`; nothing was spent.
        """
        rows = self.account.pay(request, analyst, spends, self.description.metadata)
        return RequestAccountant(self.account.rule, spends, rows)

    def answer(self, query: Query[Any], plan: Plan, payment: RequestAccountant) -> dict[str, Any]:
        """Read the rows, draw under what was planned and paid, and return the answer for programs.

        Raises:
            LedgerUnavailableError: the ledger cannot be read now, so that there is no certificate.
            Exception: anything, with a message that must not be shown, since it may follow from rows.
        """
        release = query.release(self.rows, payment)
        payment.require_complete()
        # That of the answer may have followed from rows.
        release = replace(release, error_bound=plan.error_bound)
        public = query.public(self.description) | self.description.condition | {"description": self.description.digest}
        try:
            certificate = release.certificate(
                question=query.words(), public=public, ledger=self.account.ledger, row=payment.rows[0]
            )
        except OSError:
            raise LedgerUnavailableError from None
        content = certificate.content
        return {
            **query.attachments(release),
            "answer": content["answer"],
            "mechanism": content["mechanism"],
            "guarantee": content["guarantee"],
            "accuracy": release.error_bound.describe(),
            "ledger_row": payment.rows[0],
            "certificate": {"certificate": content, "sha256": certificate.sha256},
        }

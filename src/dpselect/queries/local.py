"""A dataset of this machine: queries that are paid for from its own ledger."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from dpselect.dataset import Dataset
from dpselect.kernel.budget import Accountant, with_metadata
from dpselect.kernel.errors import BudgetError, PrivacyError
from dpselect.ledger import InMemoryLedger, RecordingAccountant, Spend
from dpselect.queries.base import Query
from dpselect.queries.plan import Plan, PrivateRows, plan_of
from dpselect.queries.registry import DatasetMethods
from dpselect.release.release import Release

T = TypeVar("T")
_OTHERWISE = (
    "This query spends another amount than its plan, so its price may follow from rows: let its release spend once, "
    "from its accountant, by public facts alone."
)


class LocalDataset(DatasetMethods):
    """A private table or graph of this machine with its public description. :func:`dpselect.open` returns one.

    Every query is a method: ``data.median("income", epsilon=1)``; ``data.by("region")`` has the same methods, whose
    releases have a dict of groups as their value, and ``data.plan`` has them, too, and spends nothing.

    Attributes:
        description: the public description.

    >>> from dpselect import Dataset
    >>> columns, budget = {"age": {"lower": 0, "upper": 120}}, {"epsilon": 3}
    >>> data = open(Dataset.of({"age": [*range(100)] * 9}, columns=columns, budget=budget))
    >>> data.plan.median("age", epsilon=1).guarantee.epsilon
    Fraction(1, 1)
    >>> abs(data.median("age", epsilon=1).value - 50) < 20
    True
    """

    def __init__(self, description: Dataset, ledger: Accountant | None = None) -> None:
        self.description = description
        self._ledger = ledger

    def __repr__(self) -> str:
        return f"LocalDataset({self.description!r})"

    @property
    def ledger(self) -> Accountant:
        """Return the ledger that pays; it is opened, or made, when it is first needed.

        A frame in memory whose budget names no ledger has one in memory.

        Raises:
            BudgetError: none is described and none was passed.
            DatasetError, ValueError, OSError: as :meth:`Dataset.open_ledger`.
        """
        if self._ledger is None:
            if self.description.budget is None:
                raise BudgetError("This dataset has no budget: describe [budget] with epsilon and ledger.")
            held = self.description.frame is not None and self.description.budget.ledger is None
            self._ledger = InMemoryLedger(self.description.terms()) if held else self.description.open_ledger()
        return self._ledger

    def plan_of(self, query: Query[Any]) -> Plan:
        """Return the price and the error of a query. No row is read and nothing is spent.

        Raises:
            ValueError: it is not a query about this dataset.
        """
        return plan_of(query, self.description, self._rule)

    def ask(self, query: Query[T]) -> Release[T]:
        """Return the release that answers a query, with its certificate.

        Its price is found first, without a row; it is spent, durably, before anything is drawn.

        Raises:
            PrivacyError: the query would spend another amount than its plan; nothing was spent for it.
            ValueError: it is not a query about this dataset; nothing was spent.
            BudgetError: the ledger does not allow it; nothing was spent.
            OSError: the source cannot be read.
        """
        plan = self.plan_of(query)
        payment = Payment(plan, with_metadata(self.ledger, self.description.metadata))
        accountant = RecordingAccountant(self._rule, payment)
        release = query.release(PrivateRows(self.description), accountant)
        payment.require_complete()
        return replace(
            release,
            # That of the answer may have followed from rows.
            error_bound=plan.error_bound,
            stated={
                "question": query.words(),
                "public": query.public(self.description) | {"description": self.description.digest},
                "ledger": self.ledger,
                "row": accountant.spends[0].row,
            },
        )

    @property
    def _rule(self) -> str:
        budget = self.description.budget
        return str(getattr(self._ledger, "rule", "sum" if budget is None else budget.rule))


class Payment:
    """Payment of one query: its planned spend, once, and no other.

    Args:
        plan: of the query.
        ledger: pays.
    """

    def __init__(self, plan: Plan, ledger: Accountant) -> None:
        self._due, self._ledger, self._is_wrong = [*plan.spends], ledger, False

    def __call__(self, spend: Spend) -> int:
        """Pay for a spend and return its row.

        Raises:
            PrivacyError: it is not the planned one; nothing was spent for it.
        """
        if self._is_wrong or not self._due or not spend.is_paid_by(self._due[0].event()):
            self._is_wrong = True
            raise PrivacyError(f"{_OTHERWISE} Nothing was spent for this.")
        self._due.pop(0)
        return int(spend.record(self._ledger) or 0)

    def require_complete(self) -> None:
        """Refuse an answer for which another amount was spent than planned (``PrivacyError``)."""
        if self._is_wrong or self._due:
            raise PrivacyError(f"{_OTHERWISE} The answer is withheld.")


def open(dataset: str | Path | Dataset, *, ledger: Accountant | None = None) -> LocalDataset:
    """Return a dataset of this machine by its public description; no row is read.

    Args:
        dataset: the path of a TOML file that :meth:`Dataset.load` reads, or a description.
        ledger: an accountant that pays instead of the ledger that the description names.

    Raises:
        FileNotFoundError: there is no such file.
        DatasetError: the description cannot be used.
    """
    if ledger is not None and not hasattr(ledger, "spend"):
        raise TypeError("ledger is an accountant: pass dps.Ledger.read(path), or name the ledger in [budget].")
    return LocalDataset(dataset if isinstance(dataset, Dataset) else Dataset.load(dataset), ledger)

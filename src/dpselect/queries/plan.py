"""Plans of queries: price, mechanism and error, from public facts alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpselect._display.html_table import table
from dpselect.certificates.certificate import promised
from dpselect.dataset import Dataset
from dpselect.kernel.guarantee import Guarantee
from dpselect.ledger import RecordingAccountant, Spend
from dpselect.mechanisms.error_bound import ErrorBound
from dpselect.queries.base import Query


@dataclass(frozen=True)
class SyntheticRows:
    """One row, or a graph without edges, that public facts allow: the price of a query does not depend on true rows.

    Attributes:
        dataset: its description.
    """

    dataset: Dataset

    def table(self, columns: Sequence[str]) -> Mapping[str, Any]:
        """Return the row."""
        cells = self.dataset.synthetic()
        return {name: cells[name] for name in columns}

    def graph(self) -> Any:
        """Return the graph."""
        return self.dataset.synthetic()


@dataclass(frozen=True)
class PrivateRows:
    """Rows or edges of a dataset; they are read when a query asks for them, after it was paid for.

    Attributes:
        dataset: its description.
    """

    dataset: Dataset

    def table(self, columns: Sequence[str]) -> Mapping[str, Any]:
        """Return cells by the names of their columns."""
        return self.dataset.rows(columns)

    def graph(self) -> Any:
        """Return the graph."""
        return self.dataset.edges()


@dataclass(frozen=True)
class Plan:
    """The price of a query and the error of its answer, whatever the data; a plan costs nothing.

    Attributes:
        mechanism: draws the answer.
        guarantee: would be promised, and paid.
        error_bound: how wrong the answer may be.
        protects: who would be protected, in words, where the guarantee alone does not tell.
        spends: rows that a ledger would record; empty for a plan of a server.
    """

    mechanism: str
    guarantee: Guarantee
    error_bound: ErrorBound
    protects: str | None = None
    spends: Sequence[Spend] = field(default=(), repr=False, compare=False)

    def as_json(self) -> dict[str, Any]:
        """Return the plan for programs."""
        return {
            "mechanism": self.mechanism,
            "guarantee": promised(self.guarantee, self.protects),
            "accuracy": self.error_bound.describe(),
            "error": self.error_bound.facts(),
        }

    def _repr_html_(self) -> str:
        promise = dict(self.guarantee.in_words())
        if self.protects is not None:
            promise["protected"] = self.protects
        rows = [("mechanism", self.mechanism), ("accuracy", self.error_bound.describe()), *promise.items()]
        return table("Plan", rows)


def plan_of(query: Query[Any], dataset: Dataset, rule: str = "sum") -> Plan:
    """Return the plan of a query, from public facts alone: no row is read and nothing is spent.

    Args:
        query: about the dataset.
        dataset: its description.
        rule: of the ledger that would pay.

    Raises:
        PrivacyError: a claim would be false.
        ValueError: it is not a query about this dataset; the message follows from public facts.
    """
    query.candidates(dataset)
    accountant = RecordingAccountant(rule)
    try:
        example = query.example(SyntheticRows(dataset), accountant)
    except TypeError as error:
        # Synthetic rows tell nothing.
        raise ValueError(str(error)) from None
    return Plan(example.mechanism, example.guarantee, example.error_bound, example._protects, (*accountant.spends,))

"""Plans of queries: price, mechanism and error, from public facts alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dpselect._display.html_table import table
from dpselect.certificates.certificate import guarantee_facts
from dpselect.dataset import Dataset, source_rows
from dpselect.kernel.errors import InputError, InputTypeError, PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.numbers import exact_epsilon
from dpselect.ledger import RecordingAccountant, Spend
from dpselect.mechanisms.error_bound import ErrorBound
from dpselect.queries.base import Query, QueryError
from dpselect.release.release import Release
from dpselect.views import Graph
from dpselect.views.row_source import RowSource


def require_described(dataset: Dataset, columns: Sequence[str]) -> None:
    """Refuse columns that a description does not have, and a graph (``QueryError``)."""
    if dataset.graph is not None:
        raise QueryError("This dataset is a graph, which has no columns: read data.graph().")
    if isinstance(columns, str):
        raise QueryError(f"data.table takes a list of columns: pass [{columns!r}].")
    there = [*dataset.columns, *(() if dataset.person is None else (dataset.person,))]
    for name in columns:
        if name not in there:
            raise QueryError(f"The description has no column {name!r}: it has {', '.join(there)}.")


def require_graph(dataset: Dataset) -> None:
    """Refuse a table where a graph is read (``QueryError``)."""
    if dataset.graph is None:
        raise QueryError("This dataset is a table, which has no edges: read data.table(columns).")


@dataclass(frozen=True)
class SyntheticRows:
    """One row, or a graph without edges, that public facts allow: the price of a query does not depend on true rows.

    Attributes:
        dataset: its description.
        workers: how many threads may compute.
    """

    dataset: Dataset
    workers: int = 1

    def table(self, columns: Sequence[str]) -> Mapping[str, Any]:
        """Return the row, as the library reads described cells."""
        require_described(self.dataset, columns)
        cells = self.dataset.synthetic()
        return {name: cells[name] for name in columns}

    def column(self, name: str) -> Any:
        """Return a column of numbers with one row."""
        return self.table([name])[name]

    def engine(self) -> Mapping[str, Any]:
        """Return the row: what it costs to ask an engine does not depend on where rows are."""
        return self.table([*self.dataset.columns, *([] if self.dataset.person is None else [self.dataset.person])])

    def graph(self, kind: Any = Graph) -> Any:
        """Return a graph without edges."""
        require_graph(self.dataset)
        return self.dataset.synthetic(kind)


@dataclass(frozen=True)
class PrivateRows:
    """Rows or edges of a dataset; they are read when a query asks for them, after it was paid for.

    Attributes:
        dataset: its description.
        workers: how many threads may compute.
    """

    dataset: Dataset
    workers: int = 1

    def table(self, columns: Sequence[str]) -> Mapping[str, Any]:
        """Return cells by the names of their columns, as they are written in the source."""
        require_described(self.dataset, columns)
        return self.dataset.rows(columns)

    def source(self, columns: Sequence[str]) -> RowSource:
        """Return the table that has some columns where it is, for what only counts."""
        require_described(self.dataset, columns)
        return source_rows.source(self.dataset)

    def column(self, name: str) -> Any:
        """Return a column of numbers: its cells, their counts, or where an engine counts them."""
        require_described(self.dataset, [name])
        return self.dataset.numbers(name)

    def engine(self) -> Any:
        """Return the engine where rows stay."""
        return self.dataset.open_engine()

    def graph(self, kind: Any = Graph) -> Any:
        """Return the graph as one of a kind."""
        require_graph(self.dataset)
        return self.dataset.edges(kind)


@dataclass(frozen=True)
class Plan:
    """The price of a query and the error of its answer, whatever the data; a plan costs nothing.

    Attributes:
        mechanism: draws the answer.
        guarantee: would be promised, and paid.
        error_bound: how wrong the answer may be.
        protects: who would be protected, in words, where the guarantee alone does not tell.
        spends: rows that a ledger would record; empty for a plan of a server.
        example: a release of synthetic rows, whose types, promise and error are those of a true one.
    """

    mechanism: str
    guarantee: Guarantee
    error_bound: ErrorBound
    protects: str | None = None
    spends: Sequence[Spend] = field(default=(), repr=False, compare=False)
    example: Release[Any] | None = field(default=None, repr=False, compare=False)

    def with_planned_error(self, release: Release[Any]) -> Release[Any]:
        """Return a release of true rows with the planned error; its own may have followed from rows.

        Raises:
            PrivacyError: it promises something else than what was paid.
        """
        if not isinstance(release, Release) or release.guarantee != self.guarantee:
            raise PrivacyError(
                "This query promises something else than its plan: return the release that was paid for. The answer "
                "is withheld."
            )
        return replace(release, error_bound=self.error_bound)

    def as_json(self) -> dict[str, Any]:
        """Return the plan for programs."""
        return {
            "mechanism": self.mechanism,
            "guarantee": guarantee_facts(self.guarantee, self.protects),
            "accuracy": self.error_bound.describe(),
            "error": self.error_bound.facts(),
        }

    def _repr_html_(self) -> str:
        return table("Plan", self._lines().items())

    def _lines(self) -> dict[str, str]:
        promise = dict(self.guarantee.in_words())
        if self.protects is not None:
            promise["protected"] = self.protects
        return {"mechanism": self.mechanism, "accuracy": self.error_bound.describe(), **promise}


def plan_of(query: Query[Any], dataset: Dataset, rule: str = "sum") -> Plan:
    """Return the plan of a query, from public facts alone: no row is read and nothing is spent.

    Args:
        query: about the dataset.
        dataset: its description.
        rule: of the ledger that would pay.

    Raises:
        PrivacyError: a claim would be false, or the query does not pay for its answer as a whole.
        ValueError: it is not a query about this dataset; the message follows from public facts.
        TypeError: not a query, or its class is not written as one.
    """
    if not isinstance(query, Query):
        raise InputTypeError("Pass a query, such as dps.queries.Median(column, epsilon=1).")
    query.size(dataset)
    accountant = RecordingAccountant(rule)
    try:
        example = query.example(SyntheticRows(dataset), accountant)
    except TypeError as error:
        # Synthetic rows tell nothing.
        raise InputError(str(error)) from None
    if not isinstance(example, Release):
        raise InputTypeError(f"{type(query).__name__}.release returns a Release, such as that of dps.select.")
    _require_paid(query, dataset, example, accountant.spends)
    shown = example.mechanism, example.guarantee, example.error_bound, example._protects
    return Plan(*shown, (*accountant.spends,), example)


def _require_paid(query: Query[Any], dataset: Dataset, example: Release[Any], spends: Sequence[Spend]) -> None:
    """Refuse a query that does not pay, once and from its accountant, for its whole answer.

    Raises:
        PrivacyError: it pays for less than it answers, for another relation, or more than its epsilon.
    """
    name = type(query).__name__
    if len(spends) != 1:
        raise PrivacyError(
            f"{name}.release spends {len(spends)} times from its accountant: it must spend once, as with "
            "ledger=accountant; several draws share one session of dps.open_session."
        )
    each, many, whole = spends[0].guarantee, spends[0].count, example.guarantee
    if (many * each.epsilon, many * each.delta, each.neighbours) != (whole.epsilon, whole.delta, whole.neighbours):
        raise PrivacyError(f"{name}.release spends another guarantee than that of its answer: return what was paid.")
    relation = query.neighbours(dataset)
    if example.guarantee.neighbours is not relation:
        raise PrivacyError(
            f"{name}.release protects {example.guarantee.neighbours.value} neighbours and this dataset has "
            f"{relation.value} neighbours: count as data.dataset.person says, or refuse it in candidates."
        )
    if example.guarantee.epsilon > exact_epsilon(query.epsilon):
        raise PrivacyError(f"{name}.release spends more than its epsilon: spend self.epsilon at most.")

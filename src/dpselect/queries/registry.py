"""The queries of the library: one line each, which is also the typed method of every dataset."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Protocol, TypeVar, overload

from dpselect.queries.base import Query, QueryError
from dpselect.queries.best import BestGroups
from dpselect.queries.histogram import Histogram
from dpselect.queries.median import Median
from dpselect.queries.most_common import MostCommon
from dpselect.queries.partitions import Partitions
from dpselect.queries.quantiles import Quantiles
from dpselect.queries.select import Select
from dpselect.queries.synthesize import SyntheticTable
from dpselect.queries.top_k import TopK
from dpselect.queries.train import Train

if TYPE_CHECKING:
    from dpselect.kernel.numbers import Epsilon
    from dpselect.queries.plan import Plan
    from dpselect.release.release import Release

P = ParamSpec("P")
T = TypeVar("T")


class AnyDataset(Protocol):
    """A dataset of this machine or of a server, that answers queries."""

    def ask(self, query: Query[T]) -> Release[T]:
        """Return the release that answers a query."""
        ...

    def plan_of(self, query: Query[Any]) -> Plan:
        """Return the price and the error of a query."""
        ...


class QueryMethod(Generic[P, T]):
    """A method of datasets that asks one class of queries, with its arguments."""

    def __init__(self, query: Callable[P, Query[T]]) -> None:
        self.query = query

    @overload
    def __get__(self, dataset: PlanView, owner: Any = None) -> Callable[P, Plan]: ...
    @overload
    def __get__(self, dataset: GroupView, owner: Any = None) -> Callable[P, Release[dict[Any, T]]]: ...
    @overload
    def __get__(self, dataset: QueryMethods, owner: Any = None) -> Callable[P, Release[T]]: ...

    def __get__(self, dataset: Any, owner: Any = None) -> Any:
        """Return the method of a dataset, with the signature of the query."""
        if dataset is None:
            return self

        def ask(*arguments: P.args, **named: P.kwargs) -> Any:
            return dataset._ask(self.query, *arguments, **named)

        ask.__name__ = ask.__qualname__ = self.query.name  # type: ignore[attr-defined]
        ask.__doc__ = self.query.__doc__
        ask.__wrapped__ = self.query  # type: ignore[attr-defined]
        return ask


class QueryMethods:
    """One method for each class of queries; its arguments are the fields of the query."""

    best = QueryMethod(BestGroups)
    median = QueryMethod(Median)
    quantiles = QueryMethod(Quantiles)
    histogram = QueryMethod(Histogram)
    most_common = QueryMethod(MostCommon)
    partitions = QueryMethod(Partitions)
    select = QueryMethod(Select)
    synthesize = QueryMethod(SyntheticTable)
    top_k = QueryMethod(TopK)
    train = QueryMethod(Train)

    def _ask(self, query: Callable[..., Query[Any]], /, *arguments: Any, **named: Any) -> Any:
        raise NotImplementedError


class DatasetMethods(QueryMethods):
    """Queries of a dataset, the same for one of this machine and one of a server."""

    def sql(self, text: str, *, epsilon: Epsilon, **options: Any) -> Any:
        """Return the release that answers one SELECT: the same query as by its own method, and paid for alike.

        Args:
            text: such as ``SELECT place FROM ratings GROUP BY place ORDER BY AVG(stars) DESC LIMIT 3``; FROM names the
                dataset, or ``dataset``. With EXPLAIN before it the plan is returned, and nothing is spent.
            epsilon: the price of the answer.
            options: fields of the query that SQL has no word for, such as ``prior="20:3"`` or ``delta=1e-6``.

        Raises:
            QueryError: it is not one of the forms; the sentence names the words that are allowed. Nothing was spent.
            ImportError: sqlglot is not installed.
            ValueError, BudgetError, OSError: as :meth:`ask`.

        >>> from dpselect import Dataset
        >>> from dpselect.queries import LocalDataset
        >>> columns, budget = {"place": ["A", "B", "C"]}, {"epsilon": 9}
        >>> data = LocalDataset(Dataset.of({"place": ["A"] * 99 + ["B"] * 3}, columns=columns, budget=budget))
        >>> data.sql("SELECT place FROM dataset GROUP BY place ORDER BY COUNT(*) DESC LIMIT 1", epsilon=2).value
        ('A',)
        """
        from dpselect.queries.sql.statement import ask_sql

        return ask_sql(self, text, {"epsilon": epsilon, **options})

    def by(self, column: str) -> GroupView:
        """Return the same dataset, answering in each public group of a column: the value of a release is a dict."""
        return GroupView(self, _require_column(column))  # type: ignore[arg-type]

    @property
    def plan(self) -> PlanView:
        """Return the same dataset, whose methods return the price and the error of a query and spend nothing."""
        return PlanView(self)  # type: ignore[arg-type]

    def _ask(self, query: Callable[..., Query[Any]], /, *arguments: Any, **named: Any) -> Any:
        return self.ask(query(*arguments, **named))  # type: ignore[attr-defined]


class PlanView(QueryMethods):
    """Plans of queries about a dataset; nothing is spent and no row is read."""

    def __init__(self, dataset: AnyDataset, column: str | None = None) -> None:
        self._dataset, self._column = dataset, column

    def sql(self, text: str, *, epsilon: Epsilon, **options: Any) -> Plan:
        """Return the plan of one SELECT, as EXPLAIN does."""
        from dpselect.queries.sql.statement import ask_sql

        plan: Plan = ask_sql(self._dataset, text, {"epsilon": epsilon, "by": self._column, **options}, planned=True)
        return plan

    def by(self, column: str) -> PlanView:
        """Return the plans of queries in each public group of a column."""
        return PlanView(self._dataset, _require_column(column))

    def _ask(self, query: Callable[..., Query[Any]], /, *arguments: Any, **named: Any) -> Plan:
        return self._dataset.plan_of(_in_groups(query, self._column, arguments, named))


class GroupView(QueryMethods):
    """Queries about a dataset in each public group of a column."""

    def __init__(self, dataset: AnyDataset, column: str) -> None:
        self._dataset, self._column = dataset, column

    @property
    def plan(self) -> PlanView:
        """Return the plans of these queries."""
        return PlanView(self._dataset, self._column)

    def _ask(self, query: Callable[..., Query[Any]], /, *arguments: Any, **named: Any) -> Any:
        return self._dataset.ask(_in_groups(query, self._column, arguments, named))


def _require_column(column: str) -> str:
    if not isinstance(column, str):
        raise QueryError("groups are those of a column: pass its name.", "by")
    return column


def _in_groups(
    query: Callable[..., Query[Any]], column: str | None, arguments: tuple[Any, ...], named: Mapping[str, Any]
) -> Query[Any]:
    """Return the query of each group of a column."""
    if column is None:
        return query(*arguments, **named)
    if "by" not in query.fields():  # type: ignore[attr-defined]
        raise QueryError("This query has no groups: ask it without by.")
    if "by" in named:
        raise QueryError("The groups are named already: leave out by.", "by")
    return query(*arguments, **named, by=column)


QUERIES: Mapping[str, type[Query[Any]]] = {
    name: each.query  # type: ignore[misc]
    for name, each in vars(QueryMethods).items()
    if isinstance(each, QueryMethod)
}


def query_of(content: Any, known: Mapping[str, type[Query[Any]]] = QUERIES) -> Query[Any]:
    """Return the query that a mapping, or its JSON, describes.

    Args:
        content: with the name of the query in ``query``, and its fields.
        known: classes of queries by their names.

    Raises:
        QueryError: there is no such query, or a field has a value that it cannot have.

    >>> query_of({"query": "median", "column": "age", "epsilon": 1})
    Median(epsilon=Fraction(1, 1), column='age', by=None, mechanism='permute-and-flip')
    """
    if isinstance(content, str):
        try:
            content = json.loads(content)
        except (ValueError, RecursionError):
            content = None
    if not isinstance(content, Mapping):
        raise QueryError('A query is an object, such as {"query": "median", "column": "age", "epsilon": 1}.')
    name = content.get("query")
    if not isinstance(name, str) or name not in known:
        raise QueryError(f"one of {', '.join(known)} is expected.", "query")
    return known[name].parse(content)

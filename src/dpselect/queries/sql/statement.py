"""One SELECT as one of the frozen queries: which form it has, and what the description says of its names."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from dpselect.dataset import Dataset, DatasetError
from dpselect.queries.base import Query, QueryError
from dpselect.queries.best import BestGroups
from dpselect.queries.histogram import Histogram
from dpselect.queries.median import Median
from dpselect.queries.most_common import MostCommon
from dpselect.queries.partitions import Partitions
from dpselect.queries.quantiles import Quantiles
from dpselect.queries.select import Select
from dpselect.queries.sql.condition_text import condition_text
from dpselect.queries.sql.kinds import SAID
from dpselect.queries.sql.nodes import (
    DescribedNames,
    dialect_of,
    exact,
    listed_parts,
    name_of,
    node_refusal,
    parse_select,
    parts_of,
    refusal,
    whole,
)
from dpselect.queries.sql.score_text import count, score_text
from dpselect.queries.sql.sql_plan import SqlPlan

# How every dataset is called; where it has a place or a name of its own, that too.
_NAME = "dataset"
_LOST = "decides which values are named and is not published: leave it out of SELECT"


class UnpublishedValueWarning(UserWarning):
    """Columns that a SELECT lists, and its answer does not publish."""


@dataclass(frozen=True)
class SqlStatement:
    """A SELECT that was read; all of it is public.

    Attributes:
        query: what it asks, the same object as without SQL.
        where: its condition, as descriptions write it; ``None`` without one.
        dataset: the description of the rows that fulfil it.
        explained: whether its plan is asked for, and not its answer.
        unpublished: what it lists and no answer publishes, in words; ``None`` where there is none.
    """

    query: Query[Any]
    where: str | None
    dataset: Dataset
    explained: bool
    unpublished: str | None

    @classmethod
    def parse(
        cls, text: str, dataset: Dataset | None, asked: Mapping[str, Any], name: str | None = None
    ) -> SqlStatement:
        """Return what a text asks of a dataset. No row is read and nothing is spent.

        Args:
            text: one SELECT, perhaps with EXPLAIN before it.
            dataset: its description.
            asked: epsilon, and fields of the query that SQL has no word for, such as ``prior``.
            name: of the dataset in FROM, beside those of its source and ``dataset``.

        Raises:
            QueryError: it is not one of the forms; the sentence names the words that are allowed.
            ImportError: sqlglot is not installed.

        >>> from dpselect.dataset import Dataset
        >>> columns = {"stars": {"lower": 1, "upper": 5}, "place": ["A", "B", "C"]}
        >>> ratings = Dataset(source="ratings.csv", columns=columns)
        >>> text = "SELECT place FROM ratings GROUP BY place ORDER BY AVG(stars) DESC LIMIT 2"
        >>> read = SqlStatement.parse(text, ratings, {"epsilon": 1, "prior": "5:3"})
        >>> read.query == BestGroups("avg(stars)", by="place", prior="5:3", k=2, epsilon=1)
        True
        """
        if dataset is None:
            raise QueryError("What is public of this dataset is not known here: ask by the method of a query.")
        if dataset.graph is not None:
            raise QueryError("This dataset is a graph, which has no columns: ask for its top_k nodes.")
        select, explained = parse_select(text, dialect_of(dataset))
        try:
            return _StatementReader(select, dataset, asked, name).statement(explained)
        except RecursionError:
            raise refusal("SQL has too many operators in a row") from None

    def warn(self) -> None:
        """Warn whoever called of what is listed and not published (:class:`UnpublishedValueWarning`)."""
        if self.unpublished is not None:
            warnings.warn(self.unpublished, UnpublishedValueWarning, stacklevel=4)


def ask_sql(dataset: Any, text: str, asked: Mapping[str, Any], *, planned: bool = False) -> Any:
    """Return the release that answers a SELECT, or its plan.

    Args:
        dataset: of this machine or of a server.
        text: of SQL.
        asked: as :meth:`SqlStatement.parse` takes it.
        planned: whether the plan is asked for, as EXPLAIN does.

    Raises:
        ImportError, QueryError: as :meth:`SqlStatement.parse`; nothing was read or spent.
        ValueError, BudgetError, OSError: as ``dataset.ask``.
    """
    statement = SqlStatement.parse(text, dataset.description, asked, dataset.name)
    rows = dataset.subset(statement.where)
    if planned or statement.explained:
        return SqlPlan.of(rows.plan_of(statement.query), statement.query, rows.description)
    statement.warn()
    return rows.ask(statement.query)


def table_names(dataset: Dataset, name: str | None) -> list[str]:
    """Return what FROM may call a dataset, the most likely name first."""
    place = dataset.table or PurePath(dataset.place.rpartition("/")[2]).name.partition(".")[0]
    return [*dict.fromkeys(each for each in (name, place, _NAME) if each)]


class _StatementReader:
    def __init__(self, select: Any, dataset: Dataset, asked: Mapping[str, Any], name: str | None) -> None:
        self._dataset, self._asked, self._names = dataset, asked, DescribedNames(dataset)
        self._unpublished: str | None = None
        parts = ("expressions", "from_", "where", "group", "order", "limit", "distinct")
        listed, source, where, group, order, limit, distinct = parts_of(select, *parts)
        self._require_table(source, name)
        self._where = None if where is None else condition_text(parts_of(where, "this")[0], dataset)
        if distinct is not None:
            parts_of(distinct)
        self._listed = [_without_alias(each) for each in listed or []]
        aliases = {str(each.alias): each.this for each in listed or [] if name_of(each) == "alias"}
        self._groups = [self._names.column(each) for each in listed_parts(group, "expressions")] if group else []
        self._distinct, self._limit = distinct is not None, limit
        self._order = None if order is None else _order(order, aliases)

    def statement(self, explained: bool) -> SqlStatement:
        """Return the whole statement."""
        query = self._query(*self._form())
        try:
            dataset = self._dataset if self._where is None else self._dataset.subset(self._where)
        except DatasetError as error:
            raise QueryError(f"WHERE: {error.reason}") from None
        return SqlStatement(query, self._where, dataset, explained, self._unpublished)

    def _require_table(self, source: Any, name: str | None) -> None:
        known = table_names(self._dataset, name)
        table = None if source is None else parts_of(source, "this")[0]
        if name_of(table) != "table":
            raise refusal("SELECT needs FROM") if source is None else node_refusal(table)
        this, schema = parts_of(table, "this", "db")
        if name_of(this) != "identifier":
            raise node_refusal(this)
        said = ".".join(str(each.this) for each in (schema, this) if each is not None)
        if said.casefold() not in {each.casefold() for each in known}:
            raise refusal(f"FROM names another table than this dataset, which is {known[0]}")

    def _form(self) -> tuple[type[Query[Any]], dict[str, Any]]:
        """Return the class of query, and its fields."""
        if self._order is not None:
            return self._ranking(*self._order)
        if self._limit is not None:
            raise refusal("LIMIT goes with ORDER BY")
        columns = [self._names.column(each) for each in self._listed if name_of(each) == "column"]
        counted = [each for each in self._listed if name_of(each) != "column"]
        if self._distinct and not (counted or self._groups) and len(columns) == 1:
            return Partitions, {"column": columns[0]}
        if self._distinct:
            raise refusal("DISTINCT is of one column alone, as in SELECT DISTINCT column")
        if any(each not in self._groups for each in columns):
            raise refusal("Rows are private, so a column in SELECT stands in GROUP BY, too")
        if not counted and len(self._groups) == 1:
            return Partitions, {"column": self._groups[0]}
        kinds = {name_of(each) for each in counted}
        if kinds == {"count"} and len(counted) == 1:
            return self._counts(counted[0])
        by = self._by()
        if kinds == {"median"} and len(counted) == 1:
            return Median, {"column": self._names.column(parts_of(counted[0], "this")[0]), **by}
        if kinds == {"withingroup"}:
            column, shares = self._shares(counted)
            return Quantiles, {"column": column, "q": shares, **by}
        if kinds & {"sum", "avg", "filter", "countif"}:
            raise refusal(
                "SUM, AVG and rates are not published, but ORDER BY one of them with LIMIT names the best groups"
            )
        if kinds and kinds <= {"count", "median", "withingroup"}:
            raise refusal("SELECT publishes one COUNT(*), one MEDIAN, or PERCENTILE_CONT of one column")
        raise node_refusal(counted[0]) if counted else refusal("SELECT publishes nothing")

    def _by(self) -> dict[str, str]:
        if len(self._groups) > 1:
            raise refusal("GROUP BY is of one column, and for COUNT(*) of two")
        return {"by": self._groups[0]} if self._groups else {}

    def _counts(self, counted: Any) -> tuple[type[Query[Any]], dict[str, Any]]:
        if name_of(parts_of(counted, "this")[0]) == "distinct":
            raise refusal("Counts are of rows, and COUNT(DISTINCT ..) goes with ORDER BY and LIMIT")
        if not self._is_count(counted) or len(self._groups) not in (1, 2):
            raise refusal("COUNT(*) is of each value of one column in GROUP BY, or of two")
        *by, column = self._groups
        if not by and not self._dataset.is_listed(column):
            self._unpublished = f"Counts of names that no list holds are not published: SELECT {column} alone."
            return Partitions, {"column": column}
        return Histogram, {"column": column, **({"by": by[0]} if by else {})}

    def _is_count(self, node: Any) -> bool:
        """Return whether a node counts the rows, or the persons where they are told apart."""
        if name_of(node) != "count":
            return False
        (of,) = parts_of(node, "this")
        if name_of(of) != "distinct":
            return count(node, self._names).condition is None
        persons = listed_parts(of, "expressions")
        if len(persons) != 1 or not self._names.is_person(persons[0]):
            raise refusal("COUNT(DISTINCT ..) is of the column that tells persons apart")
        return True

    def _shares(self, nodes: Sequence[Any]) -> tuple[str, list[float]]:
        """Return the column and the shares of PERCENTILE_CONT, in their order."""
        found = [self._share(each) for each in nodes]
        if len({column for column, _ in found}) != 1:
            raise QueryError("PERCENTILE_CONT is of one column in a SELECT: ask for the others in one of their own.")
        return found[0][0], [share for _, share in found]

    def _share(self, node: Any) -> tuple[str, float]:
        of, order = parts_of(node, "this", "expression")
        if name_of(of) != "percentilecont":
            raise node_refusal(of)
        column, descending = _order(order, {})
        if descending:
            raise refusal("PERCENTILE_CONT goes upwards, and DESC is one less its share")
        return self._names.column(column), float(exact(parts_of(of, "this")[0]))

    def _ranking(self, formula: Any, descending: bool) -> tuple[type[Query[Any]], dict[str, Any]]:
        """Return the query for what ORDER BY and LIMIT ask."""
        if self._limit is None:
            raise refusal("ORDER BY goes with LIMIT")
        k = whole(parts_of(self._limit, "expression")[0], "LIMIT") if name_of(self._limit) == "limit" else None
        if k is None:
            raise node_refusal(self._limit)
        if self._distinct or len(self._groups) != 1:
            raise refusal("ORDER BY is of the groups of one column in GROUP BY")
        (group,) = self._groups
        columns = {self._names.column(each) for each in self._listed if name_of(each) == "column"}
        others = [each for each in self._listed if name_of(each) != "column"]
        if columns != {group} or any(each != formula for each in others):
            raise QueryError(f"With LIMIT an answer names values of {group} alone: SELECT {group} FROM ..")
        if self._is_count(formula):
            if others:
                self._unpublished = f"COUNT(*) {_LOST}, or leave ORDER BY and LIMIT out for noisy counts."
            if descending:
                return MostCommon, {"column": group, "k": k}
            return Select, {"candidate": group, "score": "smallest-count", "k": k}
        score = score_text(formula, self._names)
        if others:
            self._unpublished = f"{score} {_LOST}."
        return BestGroups, {"score": score, "by": group, "k": k, "order": "highest" if descending else "lowest"}

    def _query(self, kind: type[Query[Any]], said: Mapping[str, Any]) -> Query[Any]:
        options = {name: value for name, value in self._asked.items() if value is not None}
        for name in options:
            if name in SAID:
                raise QueryError("SQL says this itself: leave it out.", name)
            if name not in kind.fields():
                raise QueryError(f"This SQL is answered by {kind.name}, which takes none: leave it out.", name)
        return kind.parse({**said, **options})


def _without_alias(node: Any) -> Any:
    """Return an expression without the name that AS gives it."""
    return parts_of(node, "this", "alias")[0] if name_of(node) == "alias" else node


def _order(order: Any, aliases: Mapping[str, Any]) -> tuple[Any, bool]:
    """Return the one expression of ORDER BY, and whether its largest value comes first."""
    ordered = listed_parts(order, "expressions")
    if len(ordered) != 1:
        raise refusal("ORDER BY takes one expression")
    by, descending = parts_of(ordered[0], "this", "desc")
    if name_of(by) == "column" and not by.args.get("table") and str(by.this.this) in aliases:
        by = aliases[str(by.this.this)]
    return by, bool(descending)

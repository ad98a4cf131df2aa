"""Plans of SQL: what is counted, how far one row or person moves it, and what that costs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any

from dpselect.dataset import Dataset
from dpselect.formulas.derived_sensitivity import ceiling
from dpselect.queries import columns
from dpselect.queries.base import Query
from dpselect.queries.best import BestGroups
from dpselect.queries.histogram import Histogram
from dpselect.queries.median import Median
from dpselect.queries.partitions import Partitions
from dpselect.queries.plan import Plan
from dpselect.queries.quantiles import Quantiles
from dpselect.queries.select import Select
from dpselect.release.best import GroupRanking


@dataclass(frozen=True)
class SqlPlan(Plan):
    """The plan of a query that SQL has asked, with what it rests on; all of it is public.

    Attributes:
        query: the same object as without SQL.
        statistics: what is counted, in words.
        sensitivity: how far one row, or one person, moves it, in words.
    """

    query: Query[Any] = field(kw_only=True)
    statistics: str = field(kw_only=True)
    sensitivity: str = field(kw_only=True)

    @classmethod
    def of(cls, plan: Plan, query: Query[Any], dataset: Dataset) -> SqlPlan:
        """Return the plan of a query with its statistics and their sensitivity."""
        planned = {each.name: getattr(plan, each.name) for each in fields(Plan)}
        statistics, sensitivity = statistics_of(query, dataset)
        return cls(**planned, query=query, statistics=statistics, sensitivity=sensitivity)

    def as_json(self) -> dict[str, Any]:
        """Return the plan for programs."""
        asked = {"query": self.query.as_json(), "statistics": self.statistics, "sensitivity": self.sensitivity}
        return super().as_json() | asked

    def _lines(self) -> dict[str, str]:
        asked = {"question": self.query.words(), "statistics": self.statistics, "sensitivity": self.sensitivity}
        return asked | super()._lines()


def statistics_of(query: Query[Any], dataset: Dataset) -> tuple[str, str]:
    """Return in words what a query counts, and how far one row or one person moves that.

    Args:
        query: of a kind that SQL may ask.
        dataset: its description.
    """
    person = dataset.person is not None
    rows = dataset.rows_per_person if person else 1
    who = "one person" if person else "one row"
    if isinstance(query, BestGroups):
        return _of_score(query, dataset, who)
    cells = query.size(dataset)
    if isinstance(query, Histogram):
        moves = f"{who} moves all of them together by at most {rows}" if rows > 1 else f"{who} moves one of them by 1"
        return f"the number of rows of each of {cells} values or bins", moves
    if isinstance(query, Partitions):
        return (
            f"the number of different persons of each name in {query.column}",
            f"{who} moves at most {query.per_person} of them by 1",
        )
    if isinstance(query, (Median, Quantiles)):
        grid = columns.size(dataset, query.column)
        return (
            f"how many rows lie below and above each of {grid} values of {query.column}{columns.by_words(query.by)}",
            f"{who} moves each of them by at most {rows}",
        )
    counted = "different persons" if person else "rows"
    column = query.candidate if isinstance(query, Select) else query.column  # type: ignore[attr-defined]
    return f"the number of {counted} of each value of {column}", f"{who} moves each of them by at most 1"


def _of_score(query: BestGroups, dataset: Dataset, who: str) -> tuple[str, str]:
    ranking = GroupRanking.of(
        query.score,
        dataset.columns,
        query.prior,
        query.order,
        dataset.person,
        dataset.rows_per_person,
        query.min_rows,
    )
    most = ceiling(ranking.formula, ranking.kinds)
    moves = f"by at most {most:.4g}" if math.isfinite(most) else "by as much as rows allow, without a public bound"
    return (
        f"{' and '.join(ranking.score.sums)} in each of {len(dataset.groups(query.by))} values of {query.by}",
        f"{who} moves the score {moves}. Groups are drawn by their margins: how many {who.split()[1]}s at least must "
        f"come or go before a group enters or leaves the list. {who.capitalize()} moves a margin by at most 1",
    )

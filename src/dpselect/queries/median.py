"""The median of a column of numbers."""

from __future__ import annotations

from typing import Any

from dpselect.dataset import Dataset
from dpselect.kernel.budget import Accountant
from dpselect.queries import columns
from dpselect.queries.base import Query, QueryData
from dpselect.queries.kinds import LISTED_COLUMN, ORDERED_COLUMN, argument
from dpselect.release.median import median
from dpselect.release.release import Release


class Median(Query[Any]):
    """The median of a column of numbers, of all rows or in each public group.

    Attributes:
        column: a column with bounds, of numbers or dates; of dates, the answer is the first day of a period.
        by: a column with a list of values, or of dates: one answer for each of them, all for one epsilon.

    >>> Median("income", epsilon=0.5).as_json()
    {'query': 'median', 'column': 'income', 'epsilon': '0.5'}
    """

    name = "median"

    column: str = argument(ORDERED_COLUMN, "a column of numbers or dates", kw_only=False)
    by: str | None = argument(
        LISTED_COLUMN, "one answer in each public group of this column", default=None, label="In groups of"
    )

    def candidates(self, dataset: Dataset) -> int:
        """Return the size of the grid, for each group."""
        return columns.size(dataset, self.column) * columns.group_count(dataset, self.by)

    def release(self, data: QueryData, accountant: Accountant) -> Release[Any]:
        """Return the release of :func:`dpselect.median`."""
        asked: dict[str, Any] = columns.bounds(data.dataset, self.column) | columns.grouping(data.dataset, self.by)
        cells: Any = columns.table(data, self.column, self.by)
        release: Release[Any] = median(cells, column=self.column, epsilon=self.epsilon, ledger=accountant, **asked)
        return release

    def words(self) -> str:
        """Return the query in words."""
        return f"What is the median of {self.column}{columns.by_words(self.by)}?"

    def public(self, dataset: Dataset) -> dict[str, Any]:
        """Return the grid, the groups and the rows per person."""
        return columns.bounds(dataset, self.column) | columns.grouping_facts(dataset, self.by)

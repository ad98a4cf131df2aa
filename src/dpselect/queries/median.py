"""The median of a column of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from dpselect.queries import columns
from dpselect.queries.base import Query, QueryData
from dpselect.queries.field_kinds import LISTED_COLUMN, MECHANISM, ORDERED_COLUMN, argument

if TYPE_CHECKING:
    from dpselect.dataset import Dataset
    from dpselect.kernel.privacy_filter import Accountant
    from dpselect.release.release import Release


class Median(Query[Any]):
    """The median of a column of numbers, of all rows or in each public group.

    Attributes:
        column: a column with bounds, of numbers or dates; of dates, the answer is the first day of a period.
        by: a column with a list of values, or of dates: one answer for each of them, all for one epsilon.
        mechanism: chooses among the values of the public grid.

    >>> Median("income", epsilon=0.5).as_json()
    {'query': 'median', 'column': 'income', 'mechanism': 'permute-and-flip', 'epsilon': '0.5'}
    """

    name = "median"
    examples: ClassVar[tuple[str, ...]] = (
        "median survey.toml income --epsilon 0.5",
        "median people.csv income --lower 0 --upper 200000 --step 100 --epsilon 0.5",
    )

    column: str = argument(ORDERED_COLUMN, "a column of numbers or dates", kw_only=False)
    by: str | None = argument(
        LISTED_COLUMN, "one answer in each public group of this column", default=None, label="In groups of"
    )
    mechanism: str = argument(
        MECHANISM, "the mechanism that chooses among the values", default="permute-and-flip", rare=True
    )

    def candidates(self, dataset: Dataset) -> int:
        """Return the size of the grid, for each group."""
        return columns.size(dataset, self.column) * columns.group_count(dataset, self.by)

    def release(self, data: QueryData, accountant: Accountant) -> Release[Any]:
        """Return the release of :func:`dpselect.median`, by any mechanism."""
        from dpselect.mechanisms import mechanism
        from dpselect.release.median import order_statistic

        asked = columns.numbers(data, self.column, self.by)
        release: Release[Any] = order_statistic(
            asked.pop("values"), mechanism=mechanism(self.mechanism), epsilon=self.epsilon, ledger=accountant, **asked
        )
        return release

    def headings(self) -> tuple[str, ...]:
        """Return what the value is."""
        return ("median",)

    def words(self) -> str:
        """Return the query in words."""
        return f"What is the median of {self.column}{columns.by_words(self.by)}?"

    def public(self, dataset: Dataset) -> dict[str, Any]:
        """Return the grid, the groups and the rows per person."""
        return columns.bounds(dataset, self.column) | columns.grouping_facts(dataset, self.by)

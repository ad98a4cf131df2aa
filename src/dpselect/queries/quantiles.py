"""Several quantiles of a column of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpselect.dataset import Dataset
from dpselect.histograms.quantiles import quantiles
from dpselect.kernel.budget import Accountant
from dpselect.queries import columns
from dpselect.queries.base import Query, QueryData, QueryError
from dpselect.queries.kinds import LISTED_COLUMN, ORDERED_COLUMN, PERCENTAGES, SHARES, argument
from dpselect.release.release import Release
from dpselect.utilities.shares import shares_of


class Quantiles(Query[tuple[Any, ...]]):
    """Several quantiles of a column of numbers at one price, of all rows or in each public group.

    Attributes:
        column: a column with bounds, of numbers or dates.
        q: shares of the rows, such as 0.25, 0.5 and 0.75; each once, as doubles.
        p: percentages instead of shares, such as 25, 50 and 75.
        by: a column with a list of values, or of dates: one answer for each of them, all for one epsilon.

    >>> Quantiles("age", p=[10, 90], epsilon=1).words()
    'What are the percentiles 10, 90 of age?'
    """

    name = "quantiles"

    column: str = argument(ORDERED_COLUMN, "a column of numbers or dates", kw_only=False)
    q: Sequence[float] | None = argument(
        SHARES, "shares of the rows, each once", default=None, label="Shares of the rows", example="0.25, 0.5, 0.75"
    )
    p: Sequence[float] | None = argument(
        PERCENTAGES,
        "percentages of the rows instead of shares",
        default=None,
        label="Percentages of the rows",
        example="25, 50, 75",
    )
    by: str | None = argument(
        LISTED_COLUMN, "one answer in each public group of this column", default=None, label="In groups of"
    )

    def require(self) -> None:
        """Refuse neither or both of shares and percentages, and one that is given twice."""
        try:
            shares_of(self.q, self.p)
        except ValueError as error:
            raise QueryError(str(error)) from None

    def candidates(self, dataset: Dataset) -> int:
        """Return how many quantiles there are, for each group."""
        return len(self._places) * columns.group_count(dataset, self.by)

    def release(self, data: QueryData, accountant: Accountant) -> Release[tuple[Any, ...]]:
        """Return the release of :func:`dpselect.quantiles` by halving, whose error is known beforehand."""
        asked: dict[str, Any] = columns.bounds(data.dataset, self.column) | columns.grouping(data.dataset, self.by)
        cells: Any = columns.table(data, self.column, self.by)
        release: Release[tuple[Any, ...]] = quantiles(
            cells,
            self.q,
            p=self.p,
            column=self.column,
            epsilon=self.epsilon,
            method="halving",
            ledger=accountant,
            **asked,
        )
        return release

    def words(self) -> str:
        """Return the query in words."""
        noun = "quantiles" if self.p is None else "percentiles"
        listed = ", ".join(f"{place:g}" for place in self._places)
        return f"What are the {noun} {listed} of {self.column}{columns.by_words(self.by)}?"

    def parts(self) -> Sequence[str]:
        """Return the shares, or the percentages."""
        return [f"{place:g}{'' if self.p is None else ' %'}" for place in self._places]

    def public(self, dataset: Dataset) -> dict[str, Any]:
        """Return the grid, the groups and the rows per person."""
        return columns.bounds(dataset, self.column) | columns.grouping_facts(dataset, self.by)

    @property
    def _places(self) -> Sequence[float]:
        return (self.q if self.p is None else self.p) or ()

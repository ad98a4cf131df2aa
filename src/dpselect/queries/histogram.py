"""The number of rows that each public value or bin of a column holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from dpselect.queries import columns
from dpselect.queries.base import Query, QueryData, QueryError
from dpselect.queries.field_kinds import COUNTED_COLUMN, EDGES, LISTED_COLUMN, argument, choice

if TYPE_CHECKING:
    from dpselect.dataset import Dataset
    from dpselect.kernel.privacy_filter import Accountant
    from dpselect.release.release import Release


class Histogram(Query[Any]):
    """The number of rows that each public value or bin of a column holds.

    Attributes:
        column: a column of values, numbers or dates.
        bins: of numbers, the edges of bins; without them those that are described, or else every step is a bin.
        by: a column with a list of values, or of dates: one histogram for each of them, all for one epsilon.
        negative: whether counts that noise made negative are kept, so that sums are right on average, or clipped to 0.
    """

    name = "histogram"
    examples: ClassVar[tuple[str, ...]] = (
        "histogram survey.toml region --epsilon 1",
        "histogram people.csv job --domain nurse,smith,clerk --epsilon 1",
        "histogram people.csv age --bins 0 18 65 120 --epsilon 1",
    )
    form = "counts"

    column: str = argument(COUNTED_COLUMN, "the column that is counted", kw_only=False)
    bins: Sequence[float] | None = argument(
        EDGES, "of numbers, the edges of bins; without them every step is a bin", default=None, label="Edges of bins",
        example="0, 18, 65, 120",
    )  # fmt: skip
    by: str | None = argument(
        LISTED_COLUMN, "one histogram in each public group of this column", default=None, label="In groups of"
    )
    negative: str = argument(
        choice("keep", "clip"),
        "counts that noise made negative: keep them, so that sums are right on average, or clip them to 0",
        default="keep", label="Counts below 0", rare=True,
    )  # fmt: skip

    def candidates(self, dataset: Dataset) -> int:
        """Return the number of values or bins, for each group."""
        if not columns.is_numeric(dataset, self.column):
            if self.bins is not None:
                raise QueryError("bins are of numbers and this column has none: leave them out.", "bins")
            cells = len(dataset.names(self.column))
        else:
            edges = self.bins or columns.edges(dataset, self.column)
            cells = (len(edges) or dataset.grid(self.column).size) - 1
        return cells * columns.group_count(dataset, self.by)

    def release(self, data: QueryData, accountant: Accountant) -> Release[Any]:
        """Return the release of :func:`dpselect.counts`."""
        from dpselect.release.counts import counts

        return counts(
            columns.table(data, self.column, self.by),
            epsilon=self.epsilon,
            column=self.column,
            negative=self.negative,
            ledger=accountant,
            **self._cells(data.dataset),
            **columns.grouping(data.dataset, self.by),
        )

    def words(self) -> str:
        """Return the query in words."""
        return f"How many rows hold each value of {self.column}{columns.by_words(self.by)}?"

    def public(self, dataset: Dataset) -> dict[str, Any]:
        """Return the values or edges, the groups and the rows per person."""
        return self._grid_facts(dataset) | columns.grouping_facts(dataset, self.by)

    def _cells(self, dataset: Dataset) -> dict[str, Any]:
        if not columns.is_numeric(dataset, self.column):
            return {"domain": dataset.names(self.column)}
        edges = [*(self.bins or columns.edges(dataset, self.column))]
        return {"bins": edges or dataset.grid(self.column).array().tolist()}

    def _grid_facts(self, dataset: Dataset) -> dict[str, Any]:
        if columns.is_numeric(dataset, self.column):
            return self._cells(dataset)
        return {"domain": columns.public_values(dataset, self.column)}

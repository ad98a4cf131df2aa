"""Partition selection: the names in a column without a public list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from dpselect.queries import columns
from dpselect.queries.base import Query, QueryData, QueryError
from dpselect.queries.field_kinds import DELTA, NAMES_COLUMN, argument, whole
from dpselect.queries.most_common import MOST_NAMES

if TYPE_CHECKING:
    from dpselect.dataset import Dataset
    from dpselect.kernel.numbers import Epsilon
    from dpselect.kernel.privacy_filter import Accountant
    from dpselect.release.release import Release


class Partitions(Query[tuple[Any, ...]]):
    """The names in a column without a public list that enough persons share (partition selection).

    Attributes:
        column: a column of names that is described as ``"unlisted"``, of a dataset that tells persons apart.
        per_person: how many names of one person count, chosen at random.
        delta: a small probability that a name is revealed that one person has.
    """

    name = "partitions"
    title = "Names that a column holds"
    form = "names"
    protects = (
        "whether any one person is in the table, with all of their rows. A name that one person has is revealed with "
        "a chance of delta at most."
    )
    examples: ClassVar[tuple[str, ...]] = (
        "partitions events.parquet product --person user --per-person 3 --epsilon 1 --delta 1e-6",
    )

    column: str = argument(NAMES_COLUMN, "a column of names", kw_only=False)
    per_person: int = argument(whole(1, MOST_NAMES), "how many names of one person count, chosen at random")
    delta: Epsilon | None = argument(DELTA, "far below one over the number of persons, such as 1e-6", default=None)

    def candidates(self, dataset: Dataset) -> int:
        """Return how many names of one person count; what has a public list, or no persons, is refused."""
        if dataset.is_listed(self.column):
            raise QueryError(
                f"{self.column} has public values: ask for their histogram, which needs no delta.", "column"
            )
        if dataset.person is None:
            raise QueryError("Names are revealed that enough persons have: describe the column that tells them apart.")
        return self.per_person

    def release(self, data: QueryData, accountant: Accountant) -> Release[tuple[Any, ...]]:
        """Return the release of :func:`dpselect.partitions`."""
        from dpselect.release.partition_selection import partitions

        return partitions(
            columns.cells(data, self.column),
            epsilon=self.epsilon,
            delta=self.delta or 0,
            person=data.dataset.person,
            key=self.column,
            keys_per_person=self.per_person,
            ledger=accountant,
        )

    def reach(self) -> str | None:
        """Return how many persons a name needs to be revealed."""
        from dpselect.kernel.numbers import exact_delta, exact_epsilon
        from dpselect.queries.reach import by_coins

        return by_coins("a name", self.per_person, exact_epsilon(self.epsilon), exact_delta(self.delta or 0))

    def words(self) -> str:
        """Return the query in words."""
        return f"Which names does {self.column} hold?"

    def public(self, dataset: Dataset) -> dict[str, Any]:  # noqa: ARG002
        """Return how many names of one person count."""
        return {"names per person": self.per_person}

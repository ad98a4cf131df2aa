"""The most common values of a column."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from dpselect.queries import columns
from dpselect.queries.base import Query, QueryData, QueryError
from dpselect.queries.field_kinds import CATEGORICAL_COLUMN, DELTA, NAMES_COLUMN, argument, whole

if TYPE_CHECKING:
    from dpselect.dataset import Dataset
    from dpselect.kernel.numbers import Epsilon
    from dpselect.kernel.privacy_filter import Accountant
    from dpselect.release.release import Release

# Shares of a price among so many keep exact sums short.
MOST_WINNERS = 100
# Of so many names a person may keep, or a list, each costs a share of delta.
MOST_NAMES = 10**6


class MostCommon(Query[Any]):
    """The k values that most rows, or most different persons, have.

    Attributes:
        column: a column with a list of values, of dates, whose periods are the values, or of names that no list holds.
        k: how many to name.
        by: a column with a list of values: k values in each of these groups, all for one epsilon.
        groups_per_person: with ``by``, where persons are told apart: in how many groups one counts.
        delta: for names that no list holds: a small probability that they are revealed all the same.
        kept: for these: how many of the most frequent names are candidates, above a threshold.
        items_per_person: for these: how many names of one person decide which may be revealed.
    """

    name = "most_common"
    title = "Most common values"
    protects = (
        "whether any one row is in the table, and rows are counted: enough where every person has one. Where persons "
        "are told apart, whether any one person is, with all of their rows, and different persons are counted."
    )
    examples: ClassVar[tuple[str, ...]] = (
        "most-common survey.toml region --epsilon 1",
        "most-common events.parquet product --person user --k 10 --domain products.txt --epsilon 1",
        "most-common events.parquet product --person user --kept 5 --delta 1e-6 --epsilon 1",
    )

    column: str = argument(replace(NAMES_COLUMN, dates=True), "a column of values", kw_only=False)
    k: int = argument(whole(1, MOST_WINNERS), "how many to name", default=1, label="How many")
    by: str | None = argument(
        CATEGORICAL_COLUMN, "k values in each public group of this column", default=None, label="In groups of"
    )
    groups_per_person: int | None = argument(
        whole(1, MOST_NAMES), "with by, in how many groups a person counts: each is drawn at its share of epsilon",
        default=None, rare=True,
    )  # fmt: skip
    delta: Epsilon | None = argument(
        DELTA, "for names that no list holds: far below one over the number of persons, such as 1e-6", default=None,
        rare=True,
    )  # fmt: skip
    kept: int | None = argument(
        whole(1, MOST_NAMES), "for these: name those of so many most frequent ones that come out above a threshold",
        default=None, rare=True,
    )  # fmt: skip
    items_per_person: int | None = argument(
        whole(1, MOST_NAMES), "for these: how many names of one person decide which may be revealed", default=None,
        rare=True,
    )  # fmt: skip

    def require(self) -> None:
        """Refuse values in groups of themselves."""
        if self.by == self.column:
            raise QueryError("Every group of a column by itself has one value: name another column of groups.", "by")

    def candidates(self, dataset: Dataset) -> int:
        """Return the number of values in all groups; more winners than values are refused."""
        if not dataset.is_listed(self.column):
            return self.kept or self.k
        size = columns.require_winners(self.k, len(dataset.names(self.column)), "public values")
        return size * columns.group_count(dataset, self.by)

    def release(self, data: QueryData, accountant: Accountant) -> Release[Any]:
        """Return the release of :func:`dpselect.most_common`."""
        from dpselect.release.most_common import most_common

        dataset = data.dataset
        asked: dict[str, Any] = {
            "epsilon": self.epsilon,
            "person": dataset.person,
            "item": self.column,
            "domain": dataset.names(self.column) if dataset.is_listed(self.column) else None,
            "by": self.by,
            "groups": None if self.by is None else [*dataset.groups(self.by)],
            "groups_per_person": self.groups_per_person,
            "delta": self.delta or 0,
            "kept": self.kept,
            "items_per_person": self.items_per_person,
        }
        release: Release[Any] = most_common(
            columns.events(data, self.column, self.by), self.k, ledger=accountant, **asked
        )
        unit = "records" if dataset.person is None else "persons"
        return replace(release, error_bound=replace(release.error_bound, unit=unit))

    def reach(self) -> str | None:
        """Return how many persons a name needs to be revealed, where no list holds it."""
        from dpselect.kernel.numbers import exact_delta, exact_epsilon
        from dpselect.queries.reach import by_coins, by_threshold

        if self.delta is None:
            return None
        epsilon, delta = exact_epsilon(self.epsilon), exact_delta(self.delta)
        if self.kept is not None:
            return by_threshold(self.k, self.kept, epsilon, delta)
        if self.items_per_person is not None:
            return by_coins("an item", self.items_per_person, epsilon / 2, delta)
        return None

    def words(self) -> str:
        """Return the query in words."""
        named = f"{self.k} values of {self.column} are" if self.k > 1 else f"value of {self.column} is"
        return f"Which {named} the most common{columns.by_words(self.by)}?"

    def public(self, dataset: Dataset) -> dict[str, Any]:
        """Return the values and the groups, or what reveals names that no list holds."""
        if dataset.is_listed(self.column):
            grouped = {} if self.by is None else {"groups": [*dataset.groups(self.by)]}
            return {"domain": columns.public_values(dataset, self.column)} | grouped
        return {"kept": self.kept} if self.kept is not None else {"items per person": self.items_per_person}

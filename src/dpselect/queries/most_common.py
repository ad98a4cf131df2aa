"""The most common values of a column."""

from __future__ import annotations

from typing import Any

from dpselect.dataset import Dataset
from dpselect.kernel.budget import Accountant
from dpselect.queries import columns
from dpselect.queries.base import Query, QueryData
from dpselect.queries.kinds import LISTED_COLUMN, argument, whole
from dpselect.release.most_common import most_common
from dpselect.release.release import Release

# Shares of a price among so many keep exact sums short.
MOST_WINNERS = 100


class MostCommon(Query[Any]):
    """The k values that most rows, or most different persons, have.

    Attributes:
        column: a column with a list of values, or of dates, whose periods are the values.
        k: how many to name.
    """

    name = "most_common"
    title = "Most common values"

    column: str = argument(LISTED_COLUMN, "a column of values", kw_only=False)
    k: int = argument(whole(1, MOST_WINNERS), "how many to name", default=1, label="How many")

    def candidates(self, dataset: Dataset) -> int:
        """Return the number of values; more winners than those are refused."""
        return columns.require_winners(self.k, len(dataset.names(self.column)), "public values")

    def release(self, data: QueryData, accountant: Accountant) -> Release[Any]:
        """Return the release of :func:`dpselect.most_common`."""
        return most_common(
            columns.table(data, self.column),
            self.k,
            epsilon=self.epsilon,
            person=data.dataset.person,
            item=self.column,
            domain=data.dataset.names(self.column),
            ledger=accountant,
        )

    def words(self) -> str:
        """Return the query in words."""
        if self.k == 1:
            return f"Which value of {self.column} is the most common?"
        return f"Which {self.k} values of {self.column} are the most common?"

    def public(self, dataset: Dataset) -> dict[str, Any]:
        """Return the values."""
        return {"domain": columns.listed(dataset, self.column)}

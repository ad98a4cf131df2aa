"""Several quantiles of a column of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from dpselect.queries import columns
from dpselect.queries.base import Query, QueryData, QueryError
from dpselect.queries.field_kinds import (
    LISTED_COLUMN,
    MECHANISM,
    ORDERED_COLUMN,
    PERCENTAGES,
    SHARES,
    argument,
    choice,
    whole,
)

if TYPE_CHECKING:
    from dpselect.dataset import Dataset
    from dpselect.kernel.privacy_filter import Accountant
    from dpselect.release.release import Release

# As dpselect.quantiles knows them.
_METHODS = ("auto", "halving", "joint", "tree")


class Quantiles(Query[tuple[Any, ...]]):
    """Several quantiles of a column of numbers at one price, of all rows or in each public group.

    Attributes:
        column: a column with bounds, of numbers or dates.
        q: shares of the rows, such as 0.25, 0.5 and 0.75; each once, as doubles.
        p: percentages instead of shares, such as 25, 50 and 75.
        by: a column with a list of values, or of dates: one answer for each of them, all for one epsilon.
        method: how they are drawn: one after the other, jointly, or read off a tree of counts.
        total: how many rows there are, if that is public.
        mechanism: of a single quantile: chooses among the values of the public grid, in the place of a method.

    >>> Quantiles("age", p=[10, 90], epsilon=1).words()
    'What are the percentiles 10, 90 of age?'
    """

    name = "quantiles"
    examples: ClassVar[tuple[str, ...]] = (
        "quantiles survey.toml income --p 25 50 75 --epsilon 1",
        "quantiles people.csv age --p 90 --lower 0 --upper 120 --epsilon 0.5",
    )

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
    method: str = argument(
        choice(*_METHODS),
        "draw one by one, jointly, or read off a tree of counts: auto draws four to 25 jointly where the number of "
        "rows is public, and takes the tree for fifty or more",
        default="auto", rare=True,
    )  # fmt: skip
    total: int | None = argument(
        whole(1, 2**62), "how many rows there are, if that is public; not in groups or of persons", default=None,
        label="Number of rows", rare=True,
    )  # fmt: skip
    mechanism: str | None = argument(
        MECHANISM, "of a single quantile, the mechanism that chooses it instead of a method", default=None, rare=True
    )

    def require(self) -> None:
        """Refuse neither or both of shares and percentages, one that is given twice, and what goes with one alone."""
        from dpselect.utilities.quantile_shares import shares_of

        try:
            shares_of(self.q, self.p)
        except ValueError as error:
            raise QueryError(error.args[0]) from None
        if self.mechanism is not None and (len(self._places) > 1 or self.method != "auto" or self.total is not None):
            raise QueryError("A mechanism chooses one quantile, without method and total: leave it out.", "mechanism")

    def candidates(self, dataset: Dataset) -> int:
        """Return how many quantiles there are, for each group."""
        return len(self._places) * columns.group_count(dataset, self.by)

    def release(self, data: QueryData, accountant: Accountant) -> Release[tuple[Any, ...]]:
        """Return the release of :func:`dpselect.quantiles`, or of one value that a mechanism chooses."""
        from dpselect.histograms.quantile_methods import quantiles

        asked = columns.numbers(data, self.column, self.by) | {"epsilon": self.epsilon, "ledger": accountant}
        values = asked.pop("values")
        if self.mechanism is not None:
            return self._release_one(values, asked)
        release: Release[tuple[Any, ...]] = quantiles(
            values, self.q, p=self.p, method=self.method, total=self.total, **asked
        )
        return release

    def _release_one(self, values: Any, asked: dict[str, Any]) -> Release[Any]:
        """Return the release of one quantile by the mechanism that is named."""
        from dpselect.histograms.quantile_methods import as_list
        from dpselect.mechanisms import mechanism
        from dpselect.release.median import order_statistic
        from dpselect.utilities.quantile_shares import shares_of

        (share,) = shares_of(self.q, self.p)
        release = order_statistic(values, share, mechanism=mechanism(str(self.mechanism)), **asked)
        return as_list(release, grouped=self.by is not None)

    def headings(self) -> tuple[str, ...]:
        """Return what each value is."""
        noun = "quantile" if self.p is None else "percentile"
        return tuple(f"{noun} {place:g}" for place in self._places)

    def facts(self, dataset: Dataset) -> dict[str, Any]:  # noqa: ARG002
        """Return the shares or percentages as text."""
        return {"q" if self.p is None else "p": [f"{place:g}" for place in self._places]}

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

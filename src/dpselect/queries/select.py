"""The best of the public values of a column, by a score that public facts bound."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from dpselect.queries import columns
from dpselect.queries.base import Query, QueryData, QueryError
from dpselect.queries.field_kinds import CATEGORICAL_COLUMN, NUMERIC_COLUMN, argument, choice, whole
from dpselect.queries.most_common import MOST_WINNERS

if TYPE_CHECKING:
    from dpselect.dataset import Dataset
    from dpselect.kernel.privacy_filter import Accountant
    from dpselect.queries.totals import ColumnTotals
    from dpselect.release.release import Release
    from dpselect.scores.scores import Scores

_SCORES = {
    "largest-count": "the largest count", "smallest-count": "the smallest count",
    "largest-total": "the largest total", "smallest-total": "the smallest total",
}  # fmt: skip
_MECHANISMS = ("permute-and-flip", "exponential", "noisy-max-laplace")


class Select(Query[Any]):
    """The k best of the public values of a column: those with most or fewest rows, or with most or least in total.

    Attributes:
        candidate: the column whose public values are chosen among.
        score: the order of the values. Counts are of rows, or of different persons where persons are protected.
        of: for a total: the column of numbers that is added up, within its public bounds.
        k: how many to name.
        mechanism: one that needs nothing but a public sensitivity.
    """

    name = "select"
    title = "Best values"
    examples: ClassVar[tuple[str, ...]] = (
        "select survey.toml region --score largest-total --of income --epsilon 1",
        "select votes.parquet --candidate page --score votes --sensitivity 1 --domain 1000 --epsilon 1",
    )

    candidate: str = argument(
        CATEGORICAL_COLUMN, "the column whose public values are chosen among", kw_only=False,
        label="Choose among the values of",
    )  # fmt: skip
    score: str = argument(choice(*_SCORES, labels=_SCORES), "the order of the values", label="Best is")
    of: str | None = argument(
        NUMERIC_COLUMN, "for a total, the column of numbers that is added up", default=None, label="Total of"
    )
    k: int = argument(whole(1, MOST_WINNERS), "how many to name", default=1, label="How many")
    mechanism: str = argument(choice(*_MECHANISMS), "the mechanism that draws", default=_MECHANISMS[0], rare=True)

    def require(self) -> None:
        """Refuse a total of nothing, and a column that is not added up."""
        if self._adds and self.of is None:
            raise QueryError("A total is of a column of numbers: name it by of.", "of")
        if not self._adds and self.of is not None:
            raise QueryError("Counts are of rows or persons: leave out of, or ask for a total.", "of")

    def candidates(self, dataset: Dataset) -> int:
        """Return the number of values; more winners than those are refused."""
        values = dataset.groups(self.candidate)
        if self._adds:
            self._totals(dataset).require()
        return columns.require_winners(self.k, len(values), "public values")

    def release(self, data: QueryData, accountant: Accountant) -> Release[Any]:
        """Return the release of :func:`dpselect.top_k` of these scores."""
        from dpselect.queries.winners import best

        scores = self._scores(data)
        scores = -scores if self.score.startswith("smallest") else scores
        release = best(scores, self.k, epsilon=self.epsilon, mechanism=self.mechanism, accountant=accountant)
        return replace(release, error_bound=replace(release.error_bound, **self._unit_facts(data.dataset)))

    def words(self) -> str:
        """Return the query in words."""
        order = self.score.partition("-")[0]
        score = f"total of {self.of}" if self._adds else "number of rows or persons"
        values = f"value of {self.candidate} has" if self.k == 1 else f"{self.k} values of {self.candidate} have"
        return f"Which {values} the {order} {score}?"

    def public(self, dataset: Dataset) -> dict[str, Any]:
        """Return the values, the bounds of the numbers that are added up and the rows per person."""
        shown: dict[str, Any] = {"domain": [*dataset.groups(self.candidate)], "score": self.score}
        if self.of is None:
            return shown
        return shown | columns.bounds(dataset, self.of) | columns.grouping_facts(dataset, None)

    @property
    def _adds(self) -> bool:
        return self.score.endswith("total")

    def _totals(self, dataset: Dataset) -> ColumnTotals:
        from dpselect.queries.totals import ColumnTotals

        assert self.of is not None
        bounds = columns.numeric_domain(dataset, self.of)
        values = dataset.groups(self.candidate)
        return ColumnTotals(self.candidate, values, self.of, bounds, dataset.person, dataset.rows_per_person)

    def _scores(self, data: QueryData) -> Scores:
        if self._adds:
            return self._totals(data.dataset).scores(columns.table(data, self.candidate, self.of))
        from dpselect import utilities

        return utilities.popularity(
            columns.table(data, self.candidate),
            person=data.dataset.person,
            item=self.candidate,
            domain=[*data.dataset.groups(self.candidate)],
        )

    def _unit_facts(self, dataset: Dataset) -> dict[str, Any]:
        """Return the unit of a score, and the rows that count where not all do."""
        if not self._adds:
            return {"unit": "rows" if dataset.person is None else "persons"}
        unit = self._totals(dataset).unit
        measured: dict[str, Any] = {
            "unit": f"in the total of {self.of}"
            if unit == 1
            else f"times {columns.plain(unit)} in the total of {self.of}"
        }
        if dataset.person is None:
            return measured
        from dpselect.certificates.contribution_text import SCOPE

        return measured | {"rows_per_person": dataset.rows_per_person, "scope": SCOPE}

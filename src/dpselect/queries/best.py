"""The best groups by a score that is written as a formula."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from dpselect.kernel.errors import InputError
from dpselect.kernel.format_exact import count_text
from dpselect.queries import columns
from dpselect.queries.base import Query, QueryData, QueryError
from dpselect.queries.field_kinds import CATEGORICAL_COLUMN, FieldKind, argument, choice, whole
from dpselect.queries.most_common import MOST_WINNERS

if TYPE_CHECKING:
    from dpselect.dataset import Dataset
    from dpselect.kernel.privacy_filter import Accountant
    from dpselect.release.best import GroupRanking
    from dpselect.release.release import Release

# As dpselect.best and its grammar know them: a page of help needs neither.
_ORDERS = ("highest", "lowest")
_MOST_LETTERS = 500


def _score(value: Any) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= _MOST_LETTERS or not value.isprintable():
        raise InputError(f"a score is a text of 1 to {_MOST_LETTERS} printable letters, such as avg(stars).")
    return value


def _prior(value: Any) -> str:
    from dpselect.formulas.grammar import Prior

    return str(Prior.parse(value))


_PRIORS = r"^([0-9]{1,9}(\.[0-9]{1,9})?|\.[0-9]{1,9}):-?([0-9]{1,12}(\.[0-9]{1,9})?|\.[0-9]{1,9})$(?!\n)"
SCORE = FieldKind(_score, {"type": "string", "minLength": 1, "maxLength": _MOST_LETTERS}, control="text")
PRIOR = FieldKind(
    _prior,
    {"type": "string", "pattern": _PRIORS, "maxLength": 44},
    control="text",
)

# So many groups are compared within a second.
_MANY = 2000


class BestGroups(Query[Any]):
    """The groups with the highest or the lowest average, rate, or other formula over counts.

    Attributes:
        score: such as ``avg(stars)`` or ``rate(infected = 'yes')``.
        by: the column whose public values are chosen among.
        prior: what averages and rates are given: ``20:3`` for twenty more rows of 3 in every group.
        min_rows: instead, up to how many rows smaller groups are filled with rows of the worst value.
        k: how many to name.
        order: which score is best.
    """

    name = "best"
    title = "Best groups"
    examples: ClassVar[tuple[str, ...]] = ("best survey.toml 'avg(income)' --by region --prior 20:30000 --epsilon 1",)

    needs_description = True

    score: str = argument(
        SCORE, "what groups are compared by: avg(stars), rate(infected = 'yes'), or a formula over counts",
        kw_only=False, example="avg(stars)",
    )  # fmt: skip
    by: str = argument(CATEGORICAL_COLUMN, "the column whose public values are chosen among", label="Choose among")
    prior: str | None = argument(
        PRIOR, "for averages and rates, rows that every group is given, and their value", default=None,
        example="20:3",
    )  # fmt: skip
    min_rows: int | None = argument(
        whole(1, 10**9), "instead of a prior, a minimum size: smaller groups are filled up with the worst value",
        default=None, label="Minimum size",
    )  # fmt: skip
    k: int = argument(whole(1, MOST_WINNERS), "how many to name", default=1, label="How many")
    order: str = argument(choice(*_ORDERS), "which score is best", default=_ORDERS[0], label="Best is")

    def require(self) -> None:
        """Refuse a score that cannot be read, an average without a prior, and a prior without an average."""
        from dpselect.formulas.derived_sensitivity import FormulaError
        from dpselect.formulas.grammar import Prior, group_score

        try:
            read = group_score(self.score, Prior.parse(self.prior or "1:0"))
            if read.ratios and self.prior is None and self.min_rows is None:
                group_score(self.score)
        except FormulaError as error:
            raise QueryError(error.args[0], "score") from None
        if self.prior is not None and not read.ratios:
            raise QueryError("A prior is for avg and rate, and this score has neither: leave it out.", "prior")
        if self.prior is not None and self.min_rows is not None:
            raise QueryError("A prior and a minimum size are two ways to do the same: leave one out.", "min_rows")

    def candidates(self, dataset: Dataset) -> int:
        """Return the number of groups; a score of other columns than described is refused, and a list of all groups."""
        from dpselect.formulas.derived_sensitivity import FormulaError

        groups = dataset.groups(self.by)
        try:
            self._ranking(dataset)
        except FormulaError as error:
            raise QueryError(error.args[0], "score") from None
        if self.k >= len(groups):
            raise QueryError(f"This has {len(groups)} groups: ask for fewer than that.", "k")
        return len(groups)

    def release(self, data: QueryData, accountant: Accountant) -> Release[Any]:
        """Return the release of :func:`dpselect.best`."""
        ranking, groups = self._ranking(data.dataset), data.dataset.groups(self.by)
        table = columns.table(data, *ranking.columns.columns, self.by)
        return ranking.release(table, self.k, self.epsilon, self.by, groups, accountant)

    def words(self) -> str:
        """Return the query in words."""
        who = f"{self.k} values of {self.by} have" if self.k > 1 else f"value of {self.by} has"
        given = "" if self.prior is None else f", with {self.prior} as rows and value of a prior"
        given += (
            ""
            if self.min_rows is None
            else f", of {count_text(self.min_rows, 'row')} or filled up to as many with the worst"
        )
        return f"Which {who} the {self.order} {self.score}{given}?"

    def public(self, dataset: Dataset) -> dict[str, Any]:
        """Return the groups, the domains of the columns, the score with its prior, and the rows per person."""
        from dpselect.dataset import NumericDomain

        shown = {
            name: columns.grid_bounds(each.domain)
            if isinstance(each.domain, NumericDomain)
            else {"values": [*each.domain]}
            for name, each in self._ranking(dataset).columns.columns.items()
        }
        prior: dict[str, Any] = {} if self.prior is None else {"prior": self.prior}
        prior |= {} if self.min_rows is None else {"minimum rows": self.min_rows}
        asked = {"score": self.score, "order": self.order, "columns": shown}
        return asked | prior | columns.grouping_facts(dataset, self.by)

    def is_long(self, dataset: Dataset) -> bool:
        """Return whether there are many groups, or a formula of which what rows reach takes a search."""
        from dpselect.formulas.margins import is_exact

        return len(dataset.groups(self.by)) > _MANY or not is_exact(self._ranking(dataset).formula)

    def _ranking(self, dataset: Dataset) -> GroupRanking:
        from dpselect.release.best import GroupRanking

        return GroupRanking.of(
            self.score,
            dataset.columns,
            self.prior,
            self.order,
            dataset.person,
            dataset.rows_per_person,
            self.min_rows,
        )

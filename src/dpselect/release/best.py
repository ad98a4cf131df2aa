"""The best groups of a table by a score that is written as a formula, in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpselect.certificates.contribution_text import SCOPE
from dpselect.dataset.description_parts import domain_of
from dpselect.formulas import group_scores
from dpselect.formulas.derived_sensitivity import require_value
from dpselect.formulas.grammar import GroupScore, Prior, group_score
from dpselect.formulas.margins import margins
from dpselect.formulas.rows import RowKinds
from dpselect.formulas.small_groups import fill_small_groups
from dpselect.kernel.errors import InputError
from dpselect.kernel.format_exact import format_exact
from dpselect.kernel.numbers import Epsilon, whole
from dpselect.kernel.privacy_filter import Accountant
from dpselect.release.group_sums import ScoredColumns
from dpselect.release.release import Release
from dpselect.release.select import top_k
from dpselect.scores.scores import Scores

ORDERS = ("highest", "lowest")


def best(
    table: Any,
    k: int = 1,
    *,
    epsilon: Epsilon,
    by: str,
    groups: Sequence[Any],
    score: str,
    columns: Mapping[str, Any],
    prior: str | None = None,
    min_rows: int | None = None,
    order: str = "highest",
    person: str | None = None,
    rows_per_person: int = 1,
    ledger: Accountant | None = None,
) -> Release[tuple[Any, ...]]:
    """Choose privately the k groups that are best by a score, such as an average or a rate.

    Groups are drawn by their margins: the number of rows that must come or go before a group changes sides of the list.
    Large groups have large margins. The sensitivity is derived from the score.

    Args:
        table: pandas, polars or arrow, a mapping of columns, the path of a file, a :class:`dpselect.data.TableFile`, a
            :class:`dpselect.data.Warehouse`, an Ibis table, or a URL that ends in ``?table=name``.
        k: how many groups to name, fewer than there are.
        epsilon: the budget, of the whole list.
        by: the column of groups.
        groups: the public groups; a group without rows is a candidate, too.
        score: over ``count()``, ``count(column = 'value')``, ``sum(column)``, ``avg(column)``,
            ``rate(column = 'value')`` and numbers, with + - * / and ``log``, ``sqrt``, ``square``, ``xlogx``, ``abs``,
            ``min``, ``max``, ``clip``, ``parallel``; in ``overall(..)`` rows of all groups count.
        columns: for each column of the score its public list of values, or ``{"lower": .., "upper": .., "step": ..}``;
            a row without a value in one of them does not count.
        prior: for averages and rates: ``"20:3"`` gives every group twenty more rows of 3, so that few rows say little.
        min_rows: instead of a prior, a public minimum size: smaller groups are filled up with rows of the worst value.
        order: ``"highest"`` or ``"lowest"`` score is best.
        person, rows_per_person: the column that tells persons apart, and how many rows of each count.
        ledger: where the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy for add-remove neighbours; with ``person``, for person neighbours.

    Raises:
        FormulaError: the score cannot be read, or has no value for some rows; nothing was spent.
        TypeError, ValueError: not a table; no such column; k is not from 1 to one less than the groups.
        BudgetError: the ledger does not allow it; nothing was spent.

    >>> rows = {"school": ["north"] * 400 + ["south"] * 300, "grade": [1, 2] * 200 + [4, 5] * 150}
    >>> best(rows, epsilon=2, by="school", groups=["north", "south", "west"], score="avg(grade)", prior="20:3",
    ...     columns={"grade": {"lower": 1, "upper": 6}}).value
    ('south',)

    Limits: The time of ``dps.best`` follows the rows. Margins double the number of rows that come or go until each
    group is settled, so large groups take more rounds; a score of several ratios, such as the difference of two rates,
    takes more for each of them. Scores whose digits cancel are computed in more decimals. What is answered, refused or
    spent does not depend on that time: do not let an adversary measure it.
    """
    asked = GroupRanking.of(score, columns, prior, order, person, rows_per_person, min_rows)
    asked.require(k, len(groups))
    return asked.release(table, k, epsilon, by, groups, ledger)


class GroupRanking:
    """A score that was read, with what follows from it; all of it is public.

    Attributes:
        score: what was read.
        columns: the columns that it reads.
        formula: over sums in whole units, of which larger is better.
        kinds: what rows add.
    """

    def __init__(self, score: GroupScore, columns: ScoredColumns, lowest: bool, person: str | None, rows: int) -> None:
        self.score, self.columns = score, columns
        self.formula = -columns.formula if lowest else columns.formula
        self.kinds = RowKinds.of(columns.kinds, rows_per_person=None if person is None else rows)
        self.person, self.rows_per_person = person, rows

    @classmethod
    def of(
        cls,
        score: str,
        columns: Mapping[str, Any],
        prior: str | Prior | None = None,
        order: str = "highest",
        person: str | None = None,
        rows_per_person: int = 1,
        min_rows: int | None = None,
    ) -> GroupRanking:
        """Return the ranking by a score.

        Raises:
            FormulaError: it cannot be read, or has no value for some rows.
            ValueError: there is no such order, the prior is not one, or there is a minimum size as well.
        """
        if order not in ORDERS:
            raise InputError("order is highest or lowest: say which score is best.")
        if min_rows is not None and prior is not None:
            raise InputError("A prior and a minimum size are two ways to do the same: leave one out.")
        least = None if min_rows is None else whole(min_rows, "min_rows", "how many rows a group has at least")
        read = group_score(score, None if prior is None else Prior.parse(prior), has_minimum=least is not None)
        if prior is not None and not read.ratios:
            raise InputError("A prior is for avg and rate, and this score has neither: leave it out.")
        domains = {name: domain_of((name,), each) for name, each in columns.items()}
        scored = ScoredColumns(read, domains)
        if prior is not None:
            _require_within(Prior.parse(prior), read, domains)
        made = cls(read, scored, order == "lowest", person, rows_per_person)
        if least is not None:
            made.formula = fill_small_groups(made.formula, made.kinds, least)
        require_value(made.formula, made.kinds)
        return made

    def require(self, k: int, groups: int) -> None:
        """Refuse a list of all groups (``ValueError``)."""
        if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k < groups:
            raise InputError(f"k is how many of {groups} groups to name: pass a number from 1 to {groups - 1}.")

    def margins(self, table: Any, k: int, by: str, groups: Sequence[Any]) -> Scores:
        """Return the margins of the groups of a table."""
        counts, metadata = self.columns.count(table, by, groups, self.person, self.rows_per_person)
        made = margins(self.formula, counts, self.kinds, k, candidates=[*groups])
        persons = {} if self.person is None else {"rows_per_person": str(self.rows_per_person)}
        made.metadata = {**metadata, "groups": str(len(groups)), **persons}
        return made

    def scores(self, table: Any, by: str, groups: Sequence[Any]) -> Scores:
        """Return the scores of the groups of a table, of which larger is better, with their derived sensitivity."""
        counts, _ = self.columns.count(table, by, groups, self.person, self.rows_per_person)
        return group_scores.scores(self.formula, counts, self.kinds, candidates=[*groups])

    def release(
        self, table: Any, k: int, epsilon: Epsilon, by: str, groups: Sequence[Any], ledger: Accountant | None
    ) -> Release[tuple[Any, ...]]:
        """Return the best groups of a table, drawn by permute-and-flip from their margins."""
        made = self.margins(table, k, by, groups)
        release = top_k(made, k, epsilon=epsilon, mechanism="permute-and-flip", ledger=ledger)
        who = "rows" if self.person is None else "persons"
        measured: dict[str, Any] = {"unit": who}
        if self.person is not None:
            measured |= {"rows_per_person": self.rows_per_person, "scope": SCOPE}
        return replace(release, error_bound=replace(release.error_bound, **measured))


def _require_within(prior: Prior, score: GroupScore, domains: Mapping[str, Any]) -> None:
    """Refuse a prior (``ValueError``) whose value is outside of what every average and rate can be."""
    ranges = []
    for each in score.ratios:
        domain = None if each.column is None else domains[each.column]
        ranges.append((0, 1) if domain is None else (domain.lower, domain.upper))
    if not any(lower <= prior.value <= upper for lower, upper in ranges):
        lower, upper = ranges[0]
        raise InputError(
            f"The rows of a prior have values from {format_exact(Fraction(lower))} to {format_exact(Fraction(upper))} "
            "here, as rows of the data have: pass another, such as 20:"
            f"{format_exact(Fraction(lower + upper) / 2)}."
        )

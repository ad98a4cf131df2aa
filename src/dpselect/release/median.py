"""The median of one column, in one call: rank scores, permute-and-flip, a release.

Limits: Groups and persons of a column need its table. ``by=`` and ``person=`` of medians and quantiles (``--by``,
``--person``) are columns of the same table, in memory, in a file or in its engine; a histogram has no rows. Quantiles
are then drawn by halving only, without ``total=``. K rows of a person count: the first by a declared ``order``, else by
the MD5 of what each counts for, which protects nothing and prefers no value. In an engine, text of an ``order`` is
compared by its collation. What is said about errors is about the rows that count. ``median-record`` and trees have no
groups. ``top_k_by_group`` and ``select --by`` trust that one record is behind the scores of one group, or one person
behind those of ``groups_per_person``; scores must fit memory. A stream (``above-threshold``) has no groups: its
questions may be about any.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, Unpack, overload

from numpy.typing import ArrayLike

from dpselect import utilities
from dpselect.kernel.numbers import Epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.mechanisms import Mechanism, permute_and_flip
from dpselect.release.by_group import UNIT, chosen_by_group
from dpselect.release.date_answers import public_periods, with_dates
from dpselect.release.release import Release
from dpselect.release.select import select
from dpselect.utilities.grid_counts import public_grid
from dpselect.views import Column, StoredColumn
from dpselect.views.column_arguments import ColumnArguments
from dpselect.views.column_rows import column_rows
from dpselect.views.contribution_bounds import ContributionBounds


@overload
def median(
    values: ArrayLike | Column | StoredColumn, *, by: None = None, groups: None = None, **asked: Unpack[ColumnArguments]
) -> Release[float]: ...


@overload
def median(
    values: ArrayLike | Column, *, by: Any, groups: Any, **asked: Unpack[ColumnArguments]
) -> Release[dict[Any, float]]: ...


def median(
    values: ArrayLike | Column | StoredColumn,
    *,
    column: Any = None,
    lower: Any = None,
    upper: Any = None,
    step: Any = None,
    grid: ArrayLike | None = None,
    epsilon: Epsilon,
    by: Any = None,
    groups: Any = None,
    person: Any = None,
    rows_per_person: int | None = None,
    ledger: Accountant | None = None,
) -> Release[float] | Release[dict[Any, float]]:
    """Choose the median of a column privately, among the values of a public grid.

    The mechanism is fixed, so nothing about it depends on the data: permute-and-flip on the scores of
    :func:`dpselect.utilities.median`, the best of which is, of two records in the middle, the upper. Take those and
    :func:`dpselect.select` for another mechanism.

    Args:
        values: shape (n,). Each moves to the nearest grid value, of two the lower; what is missing or not a number
            is left out. A column of an Ibis table is counted where it is.
        column: where ``values`` is a table in memory, a file or a table in its engine (as of :func:`dpselect.counts`),
            the name of its column; ``by`` and ``person`` are names then too.
        lower, upper, step: the public candidates lower, lower + step, ... up to upper; step is 1 between integers.
            Between dates it is ``"day"``, ``"week"``, ``"month"``, ``"quarter"`` or ``"year"``: a date counts in the
            one that holds it, and the answer is the first day of one.
        grid: the candidates themselves instead, strictly increasing, at least 2.
        epsilon: the budget, of all groups together.
        by: a column of groups, one cell per value: then the release has an answer for each of ``groups``, all for one
            epsilon, because a record is in one group.
        groups: the public list of groups. A record of any other group is left out.
        person: a column that tells persons apart, one cell per value: then a person is protected with all of their
            records. ``rows_per_person`` of each count in all groups together, at epsilon / K each, in whatever order.
        rows_per_person: K, public; 1 unless it is passed.
        ledger: where the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy, add-remove; for person neighbours where ``person`` is passed.

    Raises:
        PrivacyError: neither ``lower`` and ``upper`` nor ``grid``; groups without a public list.
        TypeError, ValueError: both, a bad grid, a column of another length, or an epsilon that is not positive and
            finite; nothing was spent.
        BudgetError: the ledger does not allow it; nothing was spent.

    >>> release = median(range(1001), lower=0, upper=1000, epsilon=10)
    >>> abs(release.value - 500) < 50, release.guarantee.epsilon
    (True, Fraction(10, 1))
    >>> halves = ["low" if value < 500 else "high" for value in range(1000)]
    >>> release = median(range(1000), lower=0, upper=999, epsilon=10, by=halves, groups=["low", "high"])
    >>> [abs(value - true) < 50 for value, true in zip(release.value.values(), (250, 750), strict=True)]
    [True, True]
    """
    return order_statistic(
        values, column=column, lower=lower, upper=upper, step=step, grid=grid, epsilon=epsilon, by=by, groups=groups,
        person=person, rows_per_person=rows_per_person, ledger=ledger,
    )  # fmt: skip


def order_statistic(
    values: Any,
    share: Fraction = Fraction(1, 2),
    *,
    mechanism: Mechanism | None = None,
    column: Any = None,
    epsilon: Epsilon,
    by: Any = None,
    groups: Any = None,
    person: Any = None,
    rows_per_person: int | None = None,
    ledger: Accountant | None = None,
    **grid: Any,
) -> Release[Any]:
    """Choose the value of any share of the records, by any mechanism on ranks; arguments and errors of :func:`median`.

    Args:
        values: as for :func:`median`, and so are arguments that are not named here.
        share: of the records that are below.
        mechanism: chooses; permute-and-flip unless it is passed.
    """
    chooser = mechanism or permute_and_flip()
    periods = public_periods(*map(grid.get, ("grid", "lower", "upper", "step")))
    values, rows = column_rows(values, column, by, groups, person, rows_per_person, periods)
    if periods is not None:
        grid = {"lower": 0, "upper": len(periods) - 1, "step": 1}
    return with_dates(_of_numbers(values, rows, share, chooser, grid, epsilon, ledger), periods)


def _of_numbers(
    values: Any,
    rows: ContributionBounds | None,
    share: Fraction,
    chooser: Mechanism,
    grid: dict[str, Any],
    epsilon: Epsilon,
    ledger: Accountant | None,
) -> Release[Any]:
    """Choose the value of a share of numbers, or of places, in every group or of all rows."""
    if rows is not None:
        points = public_grid(grid.pop("grid", None), **grid)
        return chosen_by_group(values, share, points, epsilon, chooser, rows, ledger)
    scores = utilities.percentile(values, 100 * share, **grid)
    release = select(scores, epsilon=epsilon, mechanism=chooser, ledger=ledger)
    return replace(release, error_bound=replace(release.error_bound, unit=UNIT))

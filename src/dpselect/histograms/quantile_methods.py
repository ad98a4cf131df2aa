"""Several quantiles of one column under one budget: one by one, by one joint draw, or read off a tree of counts.

Limits: Grids held in memory. ``quantiles`` takes an even grid of any size: integers within 2^61, and real numbers whose
bounds and step are multiples of one decimal that 53 bits can count. Other grids, those of the scores
(``utilities.percentile``, ``median``), and real numbers in an engine have at most 10,000,001 values. In
``utilities.percentile``, which chooses a single quantile, a share finer than one part in 10^8 counts as the nearest
that is not; several shares of ``quantiles`` are exact.

A number of records must be public to help. ``quantiles`` protects the number of records too. One that is public
(``total=``) nearly doubles the rate of a single share far from 1/2, and lets four to 25 quantiles be drawn jointly, on
at most 65,536 grid values and with at most 2^32 records. Without one ``method="joint"`` pays a tenth of epsilon for it;
``"auto"`` does not. A joint draw takes tenths of a second where halving takes thousandths: its time follows the grid,
at up to 2^18 sub-cells, not the records.

Quantiles are one spend. Their budgets differ by path, so a ledger of rhos counts epsilon tanh(epsilon / 2) for several,
as for any pure release.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Unpack, overload

from numpy.typing import ArrayLike

from dpselect.histograms.cumulative import release_of as release_of_tree
from dpselect.histograms.release_histogram import LEAST_EPSILON
from dpselect.kernel.errors import Advice, InputError
from dpselect.kernel.numbers import Epsilon, exact_epsilon, whole
from dpselect.kernel.privacy_filter import Accountant
from dpselect.release import quantiles as halving
from dpselect.release.date_answers import public_periods, with_dates
from dpselect.release.joint_quantiles import MOST_SHARES, MOST_TOTAL, MOST_VALUES
from dpselect.release.median import order_statistic
from dpselect.release.release import Release
from dpselect.utilities.grid_counts import public_values
from dpselect.utilities.quantile_shares import shares_of
from dpselect.views import Column, StoredColumn
from dpselect.views.column_arguments import ColumnArguments
from dpselect.views.column_rows import column_rows
from dpselect.views.contribution_bounds import ContributionBounds
from dpselect.views.grid import EvenGrid, Grid

HALVING, JOINT, TREE = "halving", "joint", "tree"
METHODS = ("auto", HALVING, JOINT, TREE)
# From so many quantiles on, on grids of at most so many values, the tree is level or better.
_MANY, _FINE = 50, 2**14
_VERY_MANY, _VERY_FINE = 200, 2**17
# Where records are few it is from here on: when epsilon n / (m + 1) is below so many times ln D.
_SEVERAL, _FEW = 25, 4
# On a grid of so many values a single quantile is chosen among them: in records to add or remove that errs less.
_WRITTEN_OUT = 10**6
# A joint draw is for so many quantiles or more, where the least gap between two is worth as much.
_JOINT = 4
# A column has at most so many records.
_MOST = 2**62


class _Arguments(ColumnArguments, total=False):
    method: str


@overload
def quantiles(
    values: ArrayLike | Column | StoredColumn,
    q: Iterable[Any] | None = None,
    *,
    p: Iterable[Any] | None = None,
    total: int | None = None,
    by: None = None,
    groups: None = None,
    **asked: Unpack[_Arguments],
) -> Release[tuple[float, ...]]: ...


@overload
def quantiles(
    values: ArrayLike | Column,
    q: Iterable[Any] | None = None,
    *,
    p: Iterable[Any] | None = None,
    total: None = None,
    by: Any,
    groups: Any,
    **asked: Unpack[_Arguments],
) -> Release[dict[Any, tuple[float, ...]]]: ...


def quantiles(
    values: ArrayLike | Column | StoredColumn,
    q: Iterable[Any] | None = None,
    *,
    p: Iterable[Any] | None = None,
    column: Any = None,
    grid: ArrayLike | None = None,
    lower: Any = None,
    upper: Any = None,
    step: Any = None,
    epsilon: Epsilon,
    method: str = "auto",
    total: int | None = None,
    by: Any = None,
    groups: Any = None,
    person: Any = None,
    rows_per_person: int | None = None,
    ledger: Accountant | None = None,
) -> Release[tuple[float, ...]] | Release[dict[Any, tuple[float, ...]]]:
    """Choose several quantiles privately; the value of the release has them in the order of ``q`` or ``p``.

    A single one is chosen as :func:`dpselect.median` chooses, on a grid of up to a million values. Several are drawn by
    halving, the middle one first, in time that does not depend on the grid. With a public number of records, four to 25
    that are far enough apart are drawn jointly; very many are read off a tree of counts, as of :func:`cumulative`.

    Args:
        values: shape (n,), or a column of an Ibis table. Each moves to the nearest grid value; others are left out.
        q: distinct shares of the records, 0 <= share <= 1: 0 is the minimum, 0.5 the median, 1 the maximum.
        p: instead of ``q``, distinct percentages, 0 <= p <= 100; half a per cent alone is ``q=[0.005]``.
        grid: the public candidates, strictly increasing, at least 2. A ``range`` may have any number of values.
        lower, upper, step: the same as an even grid, of any size, as of :func:`dpselect.median`.
        epsilon: the budget of all quantiles, and of all groups, together.
        method: ``"halving"``, ``"joint"``, ``"tree"`` or ``"auto"``: of several what :func:`quantile_method` says;
            the release has it. ``"joint"`` without a total pays a tenth of epsilon for a noisy one, which alone decides
            whether it is worth while or halving takes what is left.
        total: the number of records, if that is public; a wrong one costs accuracy and no privacy. Not with ``by`` or
            ``person``: fewer records count there.
        column, by, groups, person, rows_per_person: as of :func:`dpselect.median`.
        ledger: where the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy, add-remove, or of persons. Larger shares never get smaller values.

    Raises:
        PrivacyError: neither ``grid`` nor ``lower`` and ``upper``; groups without a public list.
        ValueError: no share, one given twice or outside [0, 1], or a bad grid or method; nothing was spent.

    >>> release = quantiles(range(1000), [0.9, 0.1, 0.5], lower=0, upper=10**9, epsilon=10)
    >>> [abs(found - true) < 30 for found, true in zip(release.value, (900, 100, 500), strict=True)]
    [True, True, True]
    """
    shares, periods = shares_of(q, p), public_periods(grid, lower, upper, step)
    points = public_values(grid, lower, upper, step) if periods is None else EvenGrid(0, 1, len(periods))
    if len(shares) == 1 and method == "auto" and total is None and points.size <= _WRITTEN_OUT:
        release = order_statistic(
            values, shares[0], column=column, grid=grid, lower=lower, upper=upper, step=step, epsilon=epsilon, by=by,
            groups=groups, person=person, rows_per_person=rows_per_person, ledger=ledger,
        )  # fmt: skip
        return as_list(release, grouped=by is not None)
    values, rows = column_rows(values, column, by, groups, person, rows_per_person, periods)
    return with_dates(_release(values, shares, points, epsilon, method, total, rows, ledger), periods)


def as_list(release: Release[Any], *, grouped: bool) -> Release[Any]:
    """Return a release of one quantile as one of several, whose value is a tuple, in every group if there are some."""
    several = {group: (each,) for group, each in release.value.items()} if grouped else (release.value,)
    return replace(release, value=several, single=False)


def quantile_method(
    quantiles: int,
    candidates: int,
    *,
    epsilon: Epsilon | None = None,
    records: int | None = None,
    gap: Epsilon | None = None,
) -> str:
    """Return which method is the more accurate for so many quantiles: ``"halving"``, ``"joint"`` or ``"tree"``.

    It sees public facts only. The error of halving grows with the logarithm of the number of quantiles and hardly with
    the grid, that of a tree of counts with the grid alone. A joint draw needs to know how many records there are, and
    that quantiles are far apart. The constants are read off measured tables.

    Args:
        quantiles: how many there are to choose.
        candidates: how many values the grid has.
        epsilon: of the release; used with ``records`` only.
        records: how many there are about, if that is public or was released; never the number in a private table.
        gap: the least between two neighbouring shares, 0 and 1 included; as if they were even unless it is named.

    Raises:
        ValueError: not whole numbers of at least 1; one of epsilon and records without the other.

    >>> quantile_method(3, 10**7), quantile_method(99, 4096), quantile_method(30, 4096, epsilon=0.1, records=1000)
    ('halving', 'tree', 'tree')
    >>> quantile_method(9, 4096, epsilon=1, records=1000), quantile_method(9, 4096, epsilon=0.1, records=1000)
    ('joint', 'halving')
    """
    many, size = whole(quantiles, "quantiles", "how many to choose"), whole(candidates, "candidates", "of the grid")
    if (many >= _MANY and size <= _FINE) or (many >= _VERY_MANY and size <= _VERY_FINE):
        return TREE
    if (epsilon is None) != (records is None):
        raise InputError("epsilon and records say together how hard a question is: pass both, or neither.")
    if epsilon is None:
        return HALVING
    known = exact_epsilon(epsilon) * whole(records, "records", "how many there are about")
    if many >= _SEVERAL and size <= _FINE and known / (many + 1) < _FEW * math.log(size):
        return TREE
    return JOINT if _joint(many, size, known, Fraction(1, many + 1) if gap is None else exact_epsilon(gap)) else HALVING


def _joint(many: int, size: int, known: Fraction, gap: Fraction) -> bool:
    """Return whether a joint draw is the better one; ``known`` is epsilon times records."""
    return _JOINT <= many <= MOST_SHARES and size <= MOST_VALUES and known * gap >= _FEW * math.log(size)


def _release(
    values: ArrayLike | Column | StoredColumn,
    shares: list[Fraction],
    grid: Grid,
    epsilon: Epsilon,
    method: str,
    total: int | None,
    rows: ContributionBounds | None,
    ledger: Accountant | None,
) -> Release[tuple[float, ...]] | Release[dict[Any, tuple[float, ...]]]:
    if method not in METHODS:
        raise InputError(Advice("{method} must be auto, halving, joint or tree."))
    if total is not None and whole(total, "total", "a public number of records") > _MOST:
        raise InputError("total must be at most 2^62: a public number of records.")
    if method == TREE and total is not None:
        raise InputError(Advice("A tree of counts has no use for {total=}: leave it out, or name no {method=}."))
    if rows is not None:
        _require_halving(method, total)
        return halving.grouped_of(values, shares, grid, epsilon, ledger, rows)
    gap = _least_gap(shares)
    if method == JOINT:
        pick = None if total is not None else lambda left, about: _joint(len(shares), grid.size, left * about, gap)
        return halving.joint_release_of(values, shares, grid, epsilon, ledger, total, pick)
    if method == "auto":
        method = _automatic(shares, grid.size, gap, exact_epsilon(epsilon), total)
    if method == JOINT:
        return halving.joint_release_of(values, shares, grid, epsilon, ledger, total)
    if method == HALVING:
        return halving.release_of(values, shares, grid, epsilon, ledger, total=total)
    curve = release_of_tree(values, grid, epsilon, ledger)
    return Release(curve.quantiles(shares), curve.mechanism, curve.guarantee, error_bound=curve.error_bound)


def _require_halving(method: str, total: int | None) -> None:
    """Refuse what is not for groups and persons, by public facts (``ValueError``)."""
    if method not in ("auto", HALVING):
        raise InputError(
            Advice("In groups, and where persons are protected, quantiles are drawn by halving: name no {method=}.")
        )
    if total is not None:
        raise InputError(
            Advice(
                "{total=} says how many records the whole column has, and where {by=|--by} or {person=} is passed "
                "fewer of them count: leave {total=} out."
            )
        )


def _automatic(shares: list[Fraction], size: int, gap: Fraction, epsilon: Fraction, total: int | None) -> str:
    # What is too little for a tree is not too little for halving; nothing else is better for shares at the very ends.
    if epsilon < LEAST_EPSILON:
        return HALVING
    known = total is not None and total <= MOST_TOTAL and gap > 0
    return quantile_method(
        len(shares), size, epsilon=epsilon if known else None, records=total if known else None, gap=gap or None
    )


def _least_gap(shares: list[Fraction]) -> Fraction:
    return min(b - a for a, b in pairwise([Fraction(0), *sorted(shares), Fraction(1)]))

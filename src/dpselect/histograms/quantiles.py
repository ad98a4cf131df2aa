"""Several quantiles of one column under one budget: drawn one by one, or read off a tree of counts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from numpy.typing import ArrayLike

from dpselect.histograms import cumulative as trees
from dpselect.histograms.release import LEAST_EPSILON
from dpselect.kernel.budget import Spender
from dpselect.kernel.errors import Advice
from dpselect.kernel.numbers import Epsilon, exact_epsilon, whole
from dpselect.release import quantiles as halving
from dpselect.release.select import Release
from dpselect.utilities.columns import public_values
from dpselect.utilities.shares import shares_of, shares_of_percentages
from dpselect.views import Column, StoredColumn
from dpselect.views.grid import Grid

HALVING, TREE = "halving", "tree"
METHODS = ("auto", HALVING, TREE)
# From so many quantiles on, on grids of at most so many values, the tree is level or better.
_MANY, _FINE = 50, 2**14
_VERY_MANY, _VERY_FINE = 200, 2**17
# Where records are few it is from here on: when epsilon n / (m + 1) is below so many times ln D.
_SEVERAL, _FEW = 25, 4
# A column has at most so many records.
_MOST = 2**62


def quantiles(
    values: ArrayLike | Column | StoredColumn,
    shares: Iterable[Any],
    *,
    grid: ArrayLike | None = None,
    lower: Any = None,
    upper: Any = None,
    step: Any = None,
    epsilon: Epsilon,
    method: str = "auto",
    total: int | None = None,
    ledger: Spender | None = None,
) -> Release[float]:
    """Choose several quantiles privately; ``candidates`` of the release are in the order of ``shares``.

    By recursive halving: the middle quantile is drawn first, by the exponential mechanism on ranks, then those below
    and above it. Time depends on the records and on the number of quantiles, not on the grid. Where there are very many
    quantiles they are read off a tree of counts instead, as of :func:`cumulative`.

    Args:
        values: shape (n,). Each moves to the nearest grid value, of two the lower; what is missing or spells no number
            is left out. A column of an Ibis table is counted where it is.
        shares: distinct shares of the records, 0 <= share <= 1: 0 is the minimum, 0.5 the median, 1 the maximum. One
            above 1 can only be a percentage and is refused: those go to :func:`percentiles`. Any digits are exact.
        grid: the public candidates, strictly increasing, at least 2. A ``range`` may have any number of values.
        lower, upper, step: the same as an even grid: lower, lower + step, ... up to upper; step is 1 between integers.
            It is never written out, so it may have any number of values too.
        epsilon: the budget of all quantiles together.
        method: ``"halving"``, ``"tree"`` or ``"auto"``, what :func:`quantile_method` says of the number of shares and
            of grid values. The release says which it was.
        total: how many records there are, if that is public; never counted in a private table. A wrong one costs
            accuracy and no privacy.
        ledger: where the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy, add-remove. Larger shares never get smaller values.

    Raises:
        PrivacyError: neither ``grid`` nor ``lower`` and ``upper``.
        ValueError: no share, one given twice or outside [0, 1], or a bad grid or method; nothing was spent.

    >>> release = quantiles(range(1000), [0.9, 0.1, 0.5], lower=0, upper=10**9, epsilon=30)
    >>> [abs(found - true) < 30 for found, true in zip(release.candidates, (900, 100, 500), strict=True)]
    [True, True, True]
    """
    points = public_values(grid, lower, upper, step)
    return _release(values, shares_of(shares), points, epsilon, method, total, ledger)


def percentiles(
    values: ArrayLike | Column | StoredColumn,
    p: Iterable[Any],
    *,
    grid: ArrayLike | None = None,
    lower: Any = None,
    upper: Any = None,
    step: Any = None,
    epsilon: Epsilon,
    method: str = "auto",
    total: int | None = None,
    ledger: Spender | None = None,
) -> Release[float]:
    """Choose several percentiles privately: the release of :func:`quantiles`, asked for in per cent.

    Args:
        p: distinct percentages, 0 <= p <= 100: 0 is the minimum, 50 the median, 100 the maximum. Several of which none
            exceeds 1 and not all are whole, such as [0.25, 0.5, 0.75], can only be shares and are refused: those go
            to :func:`quantiles`. So is a single one between 0 and 1, which may be either: half a per cent is
            ``quantiles(values, [0.005])``.

    The other arguments, the guarantee and what is raised are those of :func:`quantiles`.

    >>> release = percentiles(range(1000), [90, 10, 50], grid=range(1000), epsilon=30)
    >>> [abs(found - true) < 30 for found, true in zip(release.candidates, (900, 100, 500), strict=True)]
    [True, True, True]
    """
    points = public_values(grid, lower, upper, step)
    return _release(values, shares_of_percentages(p), points, epsilon, method, total, ledger)


def quantile_method(
    quantiles: int, candidates: int, *, epsilon: Epsilon | None = None, records: int | None = None
) -> str:
    """Return which method is the more accurate for so many quantiles: ``"halving"`` or ``"tree"``.

    It sees public facts only. The error of halving grows with the logarithm of the number of quantiles and hardly with
    the grid, that of a tree of counts with the grid alone. The constants are read off measured tables.

    Args:
        quantiles: how many there are to choose.
        candidates: how many values the grid has.
        epsilon: of the release; used with ``records`` only.
        records: how many there are about, if that is public or was released; never the number in a private table.

    Raises:
        ValueError: not whole numbers of at least 1; one of epsilon and records without the other.

    >>> quantile_method(3, 10**7), quantile_method(99, 4096), quantile_method(30, 4096, epsilon=0.1, records=1000)
    ('halving', 'tree', 'tree')
    """
    many, size = whole(quantiles, "quantiles", "how many to choose"), whole(candidates, "candidates", "of the grid")
    if (many >= _MANY and size <= _FINE) or (many >= _VERY_MANY and size <= _VERY_FINE):
        return TREE
    if (epsilon is None) != (records is None):
        raise ValueError("epsilon and records say together how hard a question is: pass both, or neither.")
    if epsilon is None or many < _SEVERAL or size > _FINE:
        return HALVING
    worth = exact_epsilon(epsilon) * whole(records, "records", "how many there are about") / (many + 1)
    return TREE if worth < _FEW * math.log(size) else HALVING


def _release(
    values: ArrayLike | Column | StoredColumn,
    shares: list[Fraction],
    grid: Grid,
    epsilon: Epsilon,
    method: str,
    total: int | None,
    ledger: Spender | None,
) -> Release[float]:
    if method not in METHODS:
        raise ValueError(Advice("{method} must be auto, halving or tree."))
    if total is not None and whole(total, "total", "a public number of records") > _MOST:
        raise ValueError("total must be at most 2^62: a public number of records.")
    if method == "auto":
        # What is too little for a tree is not too little for halving.
        small = exact_epsilon(epsilon) < LEAST_EPSILON
        method = (
            HALVING
            if small
            else quantile_method(len(shares), grid.size, epsilon=None if total is None else epsilon, records=total)
        )
    elif method == TREE and total is not None:
        raise ValueError(Advice("A tree of counts has no use for {total=}: leave it out, or name no {method=}."))
    if method == HALVING:
        return halving.release_of(values, shares, grid, epsilon, ledger, total=total)
    curve = trees.release_of(values, grid, epsilon, ledger)
    return Release(curve.quantiles(shares), curve.mechanism, curve.guarantee)

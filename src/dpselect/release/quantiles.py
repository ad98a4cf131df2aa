"""Several quantiles of one column under one budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from numpy.typing import ArrayLike

from dpselect.kernel.budget import Spender
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.kernel.ranks import CUTS, Ranks
from dpselect.release.opened import Door, opened
from dpselect.release.select import Release
from dpselect.utilities.columns import occupied, public_values
from dpselect.utilities.shares import shares_of, shares_of_percentages
from dpselect.views import Column, StoredColumn
from dpselect.views.grid import Grid

HALVING = "recursive halving"


def quantiles(
    values: ArrayLike | Column | StoredColumn,
    shares: Iterable[Any],
    *,
    grid: ArrayLike | None = None,
    lower: Any = None,
    upper: Any = None,
    step: Any = None,
    epsilon: Epsilon,
    ledger: Spender | None = None,
) -> Release[float]:
    """Choose several quantiles privately; ``candidates`` of the release are in the order of ``shares``.

    By recursive halving: the middle quantile is drawn first, by the exponential mechanism on ranks, then those below
    and above it. Time depends on the records and on the number of quantiles, not on the grid.

    Args:
        values: shape (n,). Each moves to the nearest grid value, of two the lower; what is missing or spells no number
            is left out. A column of an Ibis table is counted where it is.
        shares: distinct shares of the records, 0 <= share <= 1: 0 is the minimum, 0.5 the median, 1 the maximum. One
            above 1 can only be a percentage and is refused: those go to :func:`percentiles`. Any digits are exact.
        grid: the public candidates, strictly increasing, at least 2. A ``range`` may have any number of values.
        lower, upper, step: the same as an even grid: lower, lower + step, ... up to upper; step is 1 between integers.
            It is never written out, so it may have any number of values too.
        epsilon: the budget of all quantiles together.
        ledger: where the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy, add-remove. Larger shares never get smaller values.

    Raises:
        PrivacyError: neither ``grid`` nor ``lower`` and ``upper``.
        ValueError: no share, one given twice or outside [0, 1], or a bad grid; nothing was spent.

    >>> release = quantiles(range(1000), [0.9, 0.1, 0.5], lower=0, upper=10**9, epsilon=30)
    >>> [abs(found - true) < 30 for found, true in zip(release.candidates, (900, 100, 500), strict=True)]
    [True, True, True]
    """
    points = public_values(grid, lower, upper, step)
    return release_of(values, shares_of(shares), points, epsilon, ledger)


def percentiles(
    values: ArrayLike | Column | StoredColumn,
    p: Iterable[Any],
    *,
    grid: ArrayLike | None = None,
    lower: Any = None,
    upper: Any = None,
    step: Any = None,
    epsilon: Epsilon,
    ledger: Spender | None = None,
) -> Release[float]:
    """Choose several percentiles privately: the release of :func:`quantiles`, asked for in per cent.

    Args:
        p: distinct percentages, 0 <= p <= 100: 0 is the minimum, 50 the median, 100 the maximum. Several of which none
            exceeds 1 and not all are whole, such as [0.25, 0.5, 0.75], can only be shares and are refused: those go
            to :func:`quantiles`. A single one may be as small as it likes.

    The other arguments, the guarantee and what is raised are those of :func:`quantiles`.

    >>> release = percentiles(range(1000), [90, 10, 50], grid=range(1000), epsilon=30)
    >>> [abs(found - true) < 30 for found, true in zip(release.candidates, (900, 100, 500), strict=True)]
    [True, True, True]
    """
    points = public_values(grid, lower, upper, step)
    return release_of(values, shares_of_percentages(p), points, epsilon, ledger)


def release_of(
    values: ArrayLike | Column | StoredColumn,
    shares: Sequence[Fraction],
    grid: Grid,
    epsilon: Epsilon,
    ledger: Spender | None,
    cuts: int = CUTS,
    door: Door = opened,
) -> Release[float]:
    """Release behind a given door and, for an audit, with a given number of sub-cells per grid value."""
    total, increasing = exact_epsilon(epsilon), sorted(shares)
    places, counts, metadata = occupied(values, grid)
    ranks = Ranks(places, counts, grid.size, cuts)
    # One share is one draw of the exponential mechanism; what several lose adds up.
    promise = Guarantee(total, Neighbours.ADD_REMOVE, bounded_range=len(shares) == 1)
    with door(promise, mechanism=HALVING, ledger=ledger, metadata=metadata, note="quantiles") as draws:
        chosen = dict(zip(increasing, draws.halving(ranks, increasing, total), strict=True))
    return Release(tuple(grid.value(chosen[share]) for share in shares), HALVING, promise)

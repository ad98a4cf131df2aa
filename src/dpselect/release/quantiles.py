"""Several quantiles of one column under one budget, by recursive halving."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from numpy.typing import ArrayLike

from dpselect.kernel.budget import Spender
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.kernel.ranks import CUTS, Ranks
from dpselect.release.opened import Door, opened
from dpselect.release.select import Release
from dpselect.utilities.columns import occupied
from dpselect.views import Column, StoredColumn
from dpselect.views.grid import Grid

HALVING = "recursive halving"


def release_of(
    values: ArrayLike | Column | StoredColumn,
    shares: Sequence[Fraction],
    grid: Grid,
    epsilon: Epsilon,
    ledger: Spender | None,
    cuts: int = CUTS,
    door: Door = opened,
    total: int | None = None,
) -> Release[float]:
    """Release behind a given door and, for an audit, with a given number of sub-cells per grid value."""
    price, increasing = exact_epsilon(epsilon), sorted(shares)
    places, counts, metadata = occupied(values, grid)
    ranks = Ranks(places, counts, grid.size, cuts)
    # One share is one draw of the exponential mechanism; what several lose adds up.
    promise = Guarantee(price, Neighbours.ADD_REMOVE, bounded_range=len(shares) == 1)
    with door(promise, mechanism=HALVING, ledger=ledger, metadata=metadata, note="quantiles") as draws:
        chosen = dict(zip(increasing, draws.halving(ranks, increasing, price, total), strict=True))
    return Release(tuple(grid.value(chosen[share]) for share in shares), HALVING, promise)

"""Several quantiles of one column under one budget, by recursive halving or by one joint draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.bound import Bound, require_rate
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.kernel.ranks import CUTS, Ranks
from dpselect.mechanisms.error_bound import NoBound
from dpselect.release.by_group import asked_of_all, group_guarantee, of_rows, release_groups
from dpselect.release.joint_quantiles import MOST_TOTAL, require_joinable
from dpselect.release.open_session import SessionFactory, open_session
from dpselect.release.rank_bound import RankBound
from dpselect.release.release import Release
from dpselect.release.session import Session
from dpselect.utilities.grid_counts import occupied_places
from dpselect.views import Column, StoredColumn
from dpselect.views.contribution_bounds import ContributionBounds
from dpselect.views.grid import Grid

Integers = NDArray[np.int64]
HALVING, JOINT = "recursive halving", "joint quantiles"
# What the number of records takes of epsilon where it is not public.
COUNTING = Fraction(1, 10)
BY_JOINT = (
    "joint draws aim at ranks that a number of records gives, and no worst case of theirs is known; method halving has "
    "one"
)
# From what is left of epsilon, and the number of records as it was released: whether to draw jointly.
Pick = Callable[[Fraction, int], bool]


def release_of(
    values: ArrayLike | Column | StoredColumn,
    shares: Sequence[Fraction],
    grid: Grid,
    epsilon: Epsilon,
    ledger: Accountant | None,
    cuts: int = CUTS,
    session_factory: SessionFactory = open_session,
    total: int | None = None,
) -> Release[tuple[float, ...]]:
    """Release with a given session factory and, for an audit, with a given number of sub-cells per grid value."""
    price, increasing = exact_epsilon(epsilon), sorted(shares)
    places, counts, metadata = occupied_places(values, grid)
    ranks = Ranks(places, counts, grid.size, cuts)
    # One share is one draw of the exponential mechanism; what several lose adds up.
    promise = Guarantee(price, Neighbours.ADD_REMOVE, bounded_range=len(shares) == 1)
    with session_factory(promise, mechanism=HALVING, ledger=ledger, metadata=metadata, note="quantiles") as draws:
        chosen = dict(zip(increasing, draws.halving(ranks, increasing, price, total), strict=True))
    error_bound = RankBound(tuple(increasing), grid.size, price, total, cuts)
    return Release(tuple(grid.value(chosen[share]) for share in shares), HALVING, promise, error_bound=error_bound)


def grouped_of(
    values: ArrayLike | Column | StoredColumn,
    shares: Sequence[Fraction],
    grid: Grid,
    epsilon: Epsilon,
    ledger: Accountant | None,
    rows: ContributionBounds,
    cuts: int = CUTS,
    session_factory: SessionFactory = open_session,
) -> Release[tuple[float, ...]] | Release[dict[Any, tuple[float, ...]]]:
    """Release in every group, or of the rows that count, with a given session factory; proof: ``by_group.md``."""
    increasing = sorted(shares)

    def ask(draws: Session, places: Integers, counts: Integers, price: Fraction) -> tuple[float, ...]:
        chosen = draws.halving(Ranks(places, counts, grid.size, cuts), increasing, price)
        named = dict(zip(increasing, chosen, strict=True))
        return tuple(grid.value(named[share]) for share in shares)

    promise, answers = asked_of_all(ask, rows, values, grid, epsilon, HALVING, ledger, "quantiles", session_factory)
    error = RankBound(tuple(increasing), grid.size, group_guarantee(epsilon, rows)[1], None, cuts)
    return release_groups(answers, rows, HALVING, promise, of_rows(error, rows))


def joint_release_of(
    values: ArrayLike | Column | StoredColumn,
    shares: Sequence[Fraction],
    grid: Grid,
    epsilon: Epsilon,
    ledger: Accountant | None,
    total: int | None,
    pick: Pick | None = None,
    cuts: int | None = None,
    session_factory: SessionFactory = open_session,
) -> Release[tuple[float, ...]]:
    """Release jointly; without a public total after a noisy one, which alone decides, by ``pick``, for halving."""
    price, increasing = exact_epsilon(epsilon), sorted(shares)
    require_joinable(len(shares), grid.size, total)
    if total is None:
        require_rate(price * COUNTING)
    places, many, metadata = occupied_places(values, grid)
    counts = np.zeros(grid.size, dtype=np.int64)
    counts[places] = many
    promise = Guarantee(price, Neighbours.ADD_REMOVE, bounded_range=total is not None)
    name = JOINT if pick is None else f"{JOINT} or {HALVING}"
    with session_factory(promise, mechanism=name, ledger=ledger, metadata=metadata, note="quantiles") as draws:
        if total is None:
            noisy = draws.counts(np.array([many.sum()]), price * COUNTING, Bound(1))
            total, price = min(max(int(noisy[0]), 1), MOST_TOTAL), price * (1 - COUNTING)
        if pick is None or pick(price, total):
            chosen, name = draws.joint_quantiles(counts, increasing, price, total, cuts), JOINT
        else:
            chosen, name = draws.halving(Ranks(places, many, grid.size, cuts or CUTS), increasing, price), HALVING
    named = dict(zip(increasing, chosen, strict=True))
    values_chosen = tuple(grid.value(named[share]) for share in shares)
    return Release(values_chosen, f"{name}, about {total} records", promise, error_bound=NoBound(BY_JOINT))

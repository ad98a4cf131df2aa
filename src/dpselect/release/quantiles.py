"""Several quantiles of one column under one budget, by recursive halving.

The middle percentile is chosen first; the records below it and those above it are then two disjoint problems of half as
many percentiles each. k percentiles take L = floor(log2 k) + 1 levels, and a record is in one problem per level: each
level spends epsilon / L.

Ties are broken by counting: the records of one value are spread evenly over the cells that its grid step is cut into,
so that a long run of equal values can be cut anywhere. One record more is one more in one cell, so neighbours stay
neighbours, and the work depends on the cells, not on the records.

References: Kaplan, Schnapp and Stemmer 2022, Algorithm 1, who break ties at random; its single quantile here is
``utilities.percentile``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.budget import Spender
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.mechanisms import mechanism as named
from dpselect.mechanisms.kinds import Mechanism, require_mechanism
from dpselect.release.draws import Draws
from dpselect.release.opened import Door, opened
from dpselect.release.select import Release, of_list
from dpselect.utilities.columns import counted, public_grid
from dpselect.utilities.percentile import rank_scores
from dpselect.utilities.shares import shares_of, shares_of_percentages
from dpselect.views import Column, StoredColumn
from dpselect.views.grid import Numbers

Integers = NDArray[np.int64]

# Cells a grid value is cut into for ties, at most, and cells altogether.
_CUTS, _CELLS = 2**10, 2**20


def quantiles(
    values: ArrayLike | Column | StoredColumn,
    shares: Iterable[Any],
    *,
    grid: ArrayLike | None = None,
    lower: Any = None,
    upper: Any = None,
    step: Any = None,
    epsilon: Epsilon,
    mechanism: Mechanism | None = None,
    ledger: Spender | None = None,
) -> Release[float]:
    """Choose several quantiles privately; ``candidates`` of the release are in the order of ``shares``.

    Args:
        values: shape (n,). Each moves to the nearest grid value, of two the lower; what is missing or spells no number
            is left out. A column of an Ibis table is counted where it is.
        shares: distinct shares of the records, 0 <= share <= 1: 0 is the minimum, 0.5 the median, 1 the maximum. One
            above 1 can only be a percentage and is refused: those go to :func:`percentiles`.
        grid: the public candidates, strictly increasing, at least 2.
        lower, upper, step: the same as an even grid: lower, lower + step, ... up to upper; step is 1 between integers.
        epsilon: the budget of all quantiles together.
        mechanism: permute-and-flip unless given; it gets rank scores, of sensitivity 1.
        ledger: where the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy, add-remove. Larger shares never get smaller values.

    Raises:
        PrivacyError: neither ``grid`` nor ``lower`` and ``upper``.
        ValueError: no share, one given twice or outside [0, 1], or a bad grid; nothing was spent.

    >>> release = quantiles(range(1000), [0.9, 0.1, 0.5], lower=0, upper=999, epsilon=30)
    >>> [abs(found - true) < 30 for found, true in zip(release.candidates, (900, 100, 500), strict=True)]
    [True, True, True]
    """
    points = public_grid(grid, lower, upper, step)
    chosen = named("permute-and-flip") if mechanism is None else require_mechanism(mechanism)
    return release_of(values, shares_of(shares), points, epsilon, chosen, ledger)


def percentiles(
    values: ArrayLike | Column | StoredColumn,
    p: Iterable[Any],
    *,
    grid: ArrayLike | None = None,
    lower: Any = None,
    upper: Any = None,
    step: Any = None,
    epsilon: Epsilon,
    mechanism: Mechanism | None = None,
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
    points = public_grid(grid, lower, upper, step)
    chosen = named("permute-and-flip") if mechanism is None else require_mechanism(mechanism)
    return release_of(values, shares_of_percentages(p), points, epsilon, chosen, ledger)


def release_of(
    values: ArrayLike | Column | StoredColumn,
    shares: Sequence[Fraction],
    points: Numbers,
    epsilon: Epsilon,
    mechanism: Mechanism,
    ledger: Spender | None,
    cuts: int | None = None,
    door: Door = opened,
) -> Release[float]:
    """Release behind a given door and, for an audit, with a given number of cells per grid value."""
    counts, metadata = counted(values, points)
    total = exact_epsilon(epsilon)
    levels = len(shares).bit_length()
    example = rank_scores(counts, shares[0], points)
    mechanism.prepared(example, total / levels)
    each = mechanism.guarantee(example, total / levels)
    # A bounded range is shown for one draw only; see the proof beside this file.
    promise = of_list(each, total, levels)
    cuts = cuts or max(1, min(_CUTS, 2 ** ((_CELLS // points.size).bit_length() - 1)))
    places: dict[Fraction, int] = {}
    drawn = mechanism.described(example)
    with door(each, mechanism=drawn, ledger=ledger, metadata=metadata, count=levels, note="quantiles") as draws:
        _halve(_cut(counts, cuts), sorted(shares), places, partial(_chosen, each.epsilon, mechanism), draws)
    found = tuple(points[places[share] // cuts].item() for share in shares)
    return Release(found, drawn, promise)


def _halve(
    cells: Integers,
    shares: list[Fraction],
    places: dict[Fraction, int],
    choose: Callable[[Draws, Integers, Fraction], int],
    draws: Draws,
    start: int = 0,
    low: Fraction = Fraction(0),
    high: Fraction = Fraction(1),
) -> None:
    """Choose the cell of the middle share, then those of the shares below and above it, among the cells on that side.

    Args:
        cells: counts of records; these hold the shares from ``low`` to ``high``. They are as before at the end.
        shares: increasing.
        places: gets the place of the cell of every share, counted from ``start``.
        choose: draws, cells and a share of their records to the place of a cell.
        draws: for this part of the records.
        start: the place of the first cell.
        low, high: shares.
    """
    if not shares:
        return
    middle = len(shares) // 2
    share = shares[middle]
    within = ((share - low) / (high - low)).limit_denominator(10**8)
    place = choose(draws, cells, within)
    places[share] = start + place
    # The chosen cell stays a candidate on both sides; its records go below, so that no record is in both.
    with draws.disjoint(2) as (below, above):
        _halve(cells[: place + 1], shares[:middle], places, choose, below, start, low, share)
        kept, cells[place] = int(cells[place]), 0
        _halve(cells[place:], shares[middle + 1 :], places, choose, above, start + place, share, high)
        cells[place] = kept


def _chosen(epsilon: Fraction, mechanism: Mechanism, draws: Draws, cells: Integers, share: Fraction) -> int:
    return draws.choose(rank_scores(cells, share, None), epsilon, mechanism=mechanism)


def _cut(counts: Integers, cuts: int) -> Integers:
    """Return counts over cells: the records of each value spread over its ``cuts`` cells as evenly as can be.

    A record more of a value is a record more in one cell: the cells take turns, in an order that stays even.
    """
    turns = _turns(cuts)
    return (counts[:, None] // cuts + (turns < counts[:, None] % cuts)).ravel()


def _turns(cuts: int) -> Integers:
    """Return when it is each cell's turn, for a power of two: its bits reversed.

    >>> _turns(8)
    array([0, 4, 2, 6, 1, 5, 3, 7])
    """
    turns = np.zeros(1, dtype=np.int64)
    while turns.size < cuts:
        turns = np.concatenate([2 * turns, 2 * turns + 1])
    return turns

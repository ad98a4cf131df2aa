"""A whole distribution for one price: noisy counts of nested blocks, made to agree and to increase."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpselect.histograms.count_arrays import COUNT_CLIP, MOST_CELLS, Floats, Integers
from dpselect.histograms.hb import estimate, least_rate
from dpselect.histograms.release_histogram import release_histogram
from dpselect.kernel.errors import InputError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.kernel.privacy_filter import Accountant
from dpselect.mechanisms.error_bound import ErrorBound, NoBound
from dpselect.release.open_session import SessionFactory, open_session
from dpselect.release.release import Release
from dpselect.release.session import Session
from dpselect.utilities.grid_counts import occupied_places, public_values
from dpselect.utilities.quantile_shares import shares_of
from dpselect.views import Column, StoredColumn
from dpselect.views.grid import Grid

TREE = "tree of counts"
BY_TREE = (
    "the noise of blocks is mixed until they agree, and no worst case of that is known; quantiles by halving have one"
)
# A certificate lists the counts of so many grid values; of more it says a hash, in float64 and little-endian.
_MOST_LISTED = 1000


@dataclass(frozen=True, repr=False, eq=False)
class CumulativeHistogram(Release[Floats]):
    """A release of how many records there are up to each grid value; questions about it cost nothing.

    Its value is the noisy numbers of records, shape of the grid; they never decrease, and none is negative.

    Attributes:
        grid: the public grid.
    """

    grid: Grid = field(kw_only=True)
    error_bound: ErrorBound = field(default=NoBound(BY_TREE), kw_only=True)
    # Arrays have neither one truth nor a hash.
    __eq__, __hash__ = object.__eq__, object.__hash__

    @property
    def _answer(self) -> dict[str, Any]:
        answer: dict[str, Any] = {"total": self.total}
        if self.grid.size <= _MOST_LISTED:
            curve = zip(map(self.grid.value, range(self.grid.size)), self.value.tolist(), strict=True)
            answer["value and records up to it"] = [list(each) for each in curve]
        else:
            quartiles = (0.25, 0.5, 0.75)
            answer |= {"quartiles": list(self.quantiles(quartiles)), "SHA-256 of counts": _digest(self.value)}
        return answer

    @property
    def total(self) -> float:
        """Return the noisy number of records."""
        return float(self.value[-1])

    def quantile(self, share: Any) -> int | float:
        """Return the grid value that holds a share of the records, 0 <= share <= 1: 0.5 is the median.

        Raises:
            TypeError, ValueError: not a share.
        """
        return self.quantiles([share])[0]

    def quantiles(self, shares: Iterable[Any]) -> tuple[int | float, ...]:
        """Return the grid values of several distinct shares, in their order.

        Raises:
            TypeError, ValueError: not shares; one above 1 can only be a percentage: divide it by 100.
        """
        return tuple(self._quantile(share) for share in shares_of(shares))

    def _quantile(self, share: Fraction) -> int | float:
        # The record of rank floor(share n) + 1, that of share 1 the last.
        rank = float(share) * self.total
        place = int(self.value.searchsorted(rank, side="left" if share == 1 else "right"))
        return self.grid.value(min(place, self.grid.size - 1))

    def share_below(self, value: float) -> float:
        """Return the share of records whose grid value is below a number; 0 where no records are left of the noise.

        >>> from dpselect import budget
        >>> with budget(epsilon=10**4):
        ...     release = cumulative([1, 2, 2, 4], lower=0, upper=5, epsilon=10**4)
        >>> round(release.share_below(2), 3), round(release.share_below(4), 3), release.quantile(0.5)
        (0.25, 0.75, 2)
        """
        places = int(np.searchsorted(self.grid.array(), value, side="left"))
        return float(self.value[places - 1]) / self.total if places and self.total else 0.0

    def __repr__(self) -> str:
        return f"CumulativeHistogram({self.grid.size} values, {self.guarantee})"


def _digest(counts: Floats) -> str:
    return hashlib.sha256(counts.astype("<f8").tobytes()).hexdigest()


def cumulative(
    values: ArrayLike | Column | StoredColumn,
    *,
    grid: ArrayLike | None = None,
    lower: Any = None,
    upper: Any = None,
    step: Any = None,
    epsilon: Epsilon,
    ledger: Accountant | None = None,
) -> CumulativeHistogram:
    """Release how many records there are up to each grid value; then every quantile and every share costs nothing.

    Counts of nested blocks with geometric noise, the least-squares histogram that agrees with all of them, and the
    least-squares curve through its sums that never decreases. For many quantiles it is better than drawing them
    (:func:`dpselect.accuracy.quantile_method`), for one or a few it is worse.

    Args:
        values: shape (n,). Each moves to the nearest grid value, of two the lower; what is missing or not a number
            is left out. A column of an Ibis table is counted where it is.
        grid: the public values, strictly increasing, 2 to 2^22 of them.
        lower, upper, step: the same as an even grid: lower, lower + step, ... up to upper; step is 1 between integers.
        epsilon: the budget, for any number of questions; at least 1/10000.
        ledger: where the spend is recorded, as one entry, before anything is drawn.

    Guarantee: epsilon-differential privacy, one record more or fewer: a record is in one block of each level.

    Raises:
        PrivacyError: neither ``grid`` nor ``lower`` and ``upper``.
        TypeError, ValueError: a bad grid, or one of more than 2^22 values; a bad epsilon; nothing was spent.
        BudgetError: the ledger does not allow it; nothing was spent.

    >>> from dpselect import budget
    >>> with budget(epsilon=100):
    ...     release = cumulative(range(1000), lower=0, upper=999, epsilon=100)
    >>> [abs(release.quantile(share) - 1000 * share) < 30 for share in (0.1, 0.5, 0.9)]
    [True, True, True]

    Source: Hay, Rastogi, Miklau and Suciu 2010 (blocks that agree); isotonic regression is ours.

    Limits: A tree of counts is held in memory. ``cumulative`` takes at most 2^22 values, and draws noise for each,
    however few are occupied.
    """
    return release_of(values, public_values(grid, lower, upper, step), epsilon, ledger)


def release_of(
    values: ArrayLike | Column | StoredColumn,
    grid: Grid,
    epsilon: Epsilon,
    ledger: Accountant | None,
    session_factory: SessionFactory = open_session,
) -> CumulativeHistogram:
    """Release with a given session factory."""
    if grid.size > MOST_CELLS:
        raise InputError(f"A tree of counts has at most {MOST_CELLS} values, not {grid.size}: choose a larger step.")
    places, many, metadata = occupied_places(values, grid)
    cells = np.zeros(grid.size, dtype=np.int64)
    cells[places] = np.minimum(many, COUNT_CLIP)
    promise = Guarantee(exact_epsilon(epsilon), Neighbours.ADD_REMOVE)
    counts = release_histogram(
        TREE, curve, least_rate, cells, epsilon, ledger, session_factory=session_factory, metadata=metadata
    )
    return CumulativeHistogram(counts, TREE, promise, grid=grid)


def curve(counts: Integers, epsilon: Fraction, draws: Session) -> Floats:
    """Return the increasing curve of least squares through the sums of a noisy histogram, cut at 0."""
    from scipy.optimize import isotonic_regression

    increasing: Floats = isotonic_regression(np.maximum(np.cumsum(estimate(counts, epsilon, draws)), 0)).x
    return increasing

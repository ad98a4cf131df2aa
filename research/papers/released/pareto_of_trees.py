"""The Pareto score of trees by true positive and true negative rate, dampened: as programmed and as described.

With S(t) the sum of 1 / max(P - j, 1) over j <= t, t + 1 records move a rate by at most S(t). Another tree is gained as
a dominator at the first t at which it may be level in both rates, and lost at the first at which it may not be; the
sensitivity of Definition 4.5 at t is how many were gained or lost by then, so all of local dampening follows from these
times. The text has "level" (at least as large), the program "ahead" (larger) in the sensitivity and "level" in the
score, which overlooks a tie within reach (errata).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from research.papers.released.fence import fenced

Floats = NDArray[np.float64]
_INSTEAD = "dpselect.multiobjective.pareto"
# Rates and sums of moves are nearer than this to each other only where they are equal.
_TIE = 1e-12


@dataclass(frozen=True)
class ParetoOfTrees:
    """How trees are scored, in units of what one record moves.

    Attributes:
        sensitivity: ``"local"``, ``"trees"`` (their number less one, as described), or ``"records"`` (their number less
            one, as programmed: private where there are more records than trees).
        compared: ``"level"``, or ``"ahead"`` as programmed.
        unsound: ``"reproduction"``, for whatever is as programmed.

    Raises:
        PrivacyError: what the program has, without ``unsound="reproduction"``.
    """

    sensitivity: str = "local"
    compared: str = "level"
    unsound: str | None = None

    def __post_init__(self) -> None:
        if self.sensitivity == "records" or self.compared == "ahead":
            fenced(self.unsound, _INSTEAD)

    def units(self, rates: Floats, positives: int, negatives: int) -> Floats:
        """Return the score of every tree, shape (trees,).

        Args:
            rates: true positive and true negative rates, shape (trees, 2).
            positives, negatives: records of either class.
        """
        score = ranks(rates)
        if self.sensitivity == "local":
            return dampened(score, crossings(rates, positives, negatives, self.compared))
        bound = positives + negatives - 1 if self.sensitivity == "records" else len(rates) - 1
        return np.asarray(score / bound)


def ranks(rates: Floats) -> Floats:
    """Return minus the number of other trees that are at least as good in both rates.

    >>> ranks(np.array([[0.9, 0.2], [0.5, 0.1], [0.2, 0.8]])).tolist()
    [0.0, -1.0, 0.0]
    """
    level = (rates[None, :, :] >= rates[:, None, :]).all(axis=2)
    return np.asarray(1.0 - level.sum(axis=1))


def crossings(rates: Floats, positives: int, negatives: int, compared: str) -> Floats:
    """Return for every tree when others join or leave its dominators, shape (trees, trees - 1), in order."""
    lead = rates[None, :, :] - rates[:, None, :]
    now = (lead >= 0 if compared == "level" else lead > 0).all(axis=2)
    gained, lost = np.zeros(now.shape), np.full(now.shape, np.inf)
    # Ties are ties in spite of rounding: level is reached a little earlier, and ahead a little later.
    sooner = _TIE if compared == "level" else -_TIE
    for objective, records in enumerate((positives, negatives)):
        reach = 2 * moved(records)
        gained = np.maximum(gained, np.searchsorted(reach, -lead[:, :, objective] - sooner))
        lost = np.minimum(lost, np.searchsorted(reach, lead[:, :, objective] + sooner))
    times = np.where(now, lost, gained)
    np.fill_diagonal(times, np.inf)
    return np.sort(times, axis=1)[:, :-1]


@lru_cache(maxsize=8)
def moved(records: int) -> Floats:
    """Return S(t): how far t + 1 records of a class can move its rate, until that is everything."""
    return np.cumsum(1.0 / np.maximum(records - np.arange(records + 3), 1))


def dampened(score: Floats, times: Floats) -> Floats:
    """Return D of scores that are at most 0, whose sensitivity at t is the number of times up to t; D(0) is +T.

    >>> dampened(np.array([0.0, -3.0]), np.array([[4.0, 9.0], [1.0, 2.0]])).tolist()
    [4.0, -3.0]
    """
    many = np.arange(1, times.shape[1] + 1)
    passed = many * times - np.cumsum(times, axis=1)
    last = (passed <= -score[:, None]).sum(axis=1) - 1
    rows = np.arange(score.size)
    ends = times[rows, last] + (-score - passed[rows, last]) / (last + 1)
    return np.where(score == 0, times[:, 0], -ends)

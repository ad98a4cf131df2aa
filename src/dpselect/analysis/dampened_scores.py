"""Dampened scores, candidate by candidate, and the order that dampening inverts: for public or made-up data."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputTypeError
from dpselect.mechanisms.base import UnitMechanism
from dpselect.mechanisms.local_dampening import local_dampening
from dpselect.mechanisms.shifted_local_dampening import shifted_local_dampening
from dpselect.scores.scores import Scores

# Candidates that are looked at; ticks that two of them must differ by, as rounding moves each by fewer.
SHOWN, _ROUNDING = 8, 8


@dataclass(frozen=True, eq=False)
class DampenedScores:
    """Effective scores of the best few candidates, the best first.

    Attributes:
        places: of these candidates among all, shape (c,).
        values: their scores, shape (c,).
        classic, shifted: what local dampening and its shifted form rank, in units of one neighbour, shape (c,).
    """

    places: NDArray[np.intp]
    values: NDArray[np.float64]
    classic: NDArray[np.float64]
    shifted: NDArray[np.float64]


@dataclass(frozen=True)
class Inversion:
    """Two candidates of which the worse one is ranked before the better one.

    Attributes:
        better, worse: by their places among those shown.
        lead: by how much the score of the better one is higher.
    """

    better: int
    worse: int
    lead: float


def best_places(scores: Scores, shown: int = SHOWN) -> NDArray[np.intp]:
    """Return the places of the best few candidates, ties in the public order, shape (c,)."""
    best: NDArray[np.intp] = np.argsort(-scores.values, kind="stable")[:shown]
    return best


def dampen_scores(scores: Scores, direction: str = "growing", shown: int = SHOWN) -> DampenedScores:
    """Return what both forms of dampening make of the best few candidates.

    Args:
        scores: of a public or made-up database.
        direction: of the shift, as for ``dpselect.mechanism("shifted-local-dampening")``.
        shown: how many candidates.

    Raises:
        PrivacyError: the sensitivity has no public reach, or is a smooth bound alone.
        ValueError: another direction.

    >>> from dpselect.scores.sensitivity import element
    >>> at = element(lambda t: [(1, 2)[min(t, 1)], 4], ceiling=4, reach=2)
    >>> dampen_scores(Scores([3.0, 4.0], at)).classic
    array([1., 2.])
    """
    places = best_places(scores, shown)
    classic, shifted = (
        _units(each, scores)[places] for each in (local_dampening(), shifted_local_dampening(direction))
    )
    return DampenedScores(places, scores.values[places].astype(np.float64), classic, shifted)


def inversions(values: NDArray[np.float64], units: NDArray[np.float64]) -> Sequence[Inversion]:
    """Return the pairs whose order effective scores turn round, the largest lead first.

    >>> inversions(np.array([4.0, 3.0, 1.0]), np.array([1.0, 2.0, 0.5]))
    [Inversion(better=0, worse=1, lead=1.0)]
    """
    found = [
        Inversion(one, other, float(values[one] - values[other]))
        for one, other in itertools.permutations(range(values.size), 2)
        if values[one] > values[other] and units[other] - units[one] > _ROUNDING * 2.0**-20
    ]
    return sorted(found, key=lambda pair: -pair.lead)


def _units(mechanism: object, scores: Scores) -> NDArray[np.float64]:
    if not isinstance(mechanism, UnitMechanism):
        raise InputTypeError("Dampening ranks unit scores.")
    unit = mechanism.effective(scores)
    result: NDArray[np.float64] = unit.ticks / float(unit.per_unit)
    return result

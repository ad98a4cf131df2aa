"""Lists of names that no public list declares, with no bound on how many a person has: those above a threshold.

The most frequent names and a threshold, high enough above the next one, are candidates of one list in one pass; the
names above the threshold leave. Proof: ``limited_domain.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bound import Bound, require_rate
from dpselect.kernel.errors import Advice, InputError, PrivacyError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.limited_domain import domain_threshold
from dpselect.kernel.numbers import whole

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class LimitedDomain:
    """A threshold, from public numbers alone. Make one with :func:`limited_domain`.

    Attributes:
        k: how many names there may be in the list.
        kept: how many names are candidates, at least k.
        height: how far above the next name the threshold is.
        rate: of the noise, for each person.
        guarantee: of the whole list.
    """

    k: int
    kept: int
    height: int
    rate: Fraction
    guarantee: Guarantee


def limited_domain(k: Any, kept: Any, guarantee: Guarantee, bound: Bound) -> LimitedDomain:
    """Return the threshold of a list, before anything is spent.

    Args:
        k, kept: as for :class:`LimitedDomain`.
        guarantee: with a delta.
        bound: of one number of persons; one neighbour moves all of them the same way.

    Raises:
        PrivacyError: no delta.
        ValueError: bad numbers, or an epsilon at which noise would not fit an integer.
    """
    most = whole(k, "k", "how many names there may be")
    stand = whole(kept, "kept", "how many of the most frequent names are candidates")
    if stand < most:
        raise InputError(
            f"kept must be at least k, which is {most}: how many of the most frequent names are candidates."
        )
    if not guarantee.delta:
        raise PrivacyError(
            Advice("Names without a list cannot be revealed without a delta: pass {delta=1e-6|--delta 1e-6}, or less.")
        )
    rate = guarantee.epsilon / (most * bound.total)
    require_rate(rate)
    height = math.ceil(bound.total) + domain_threshold(stand, guarantee.epsilon, guarantee.delta, rate)
    return LimitedDomain(most, stand, height, rate, guarantee)


def above_threshold_of(persons: Integers, wall: LimitedDomain) -> tuple[Integers, Integers]:
    """Return the positions of the candidates, best first, and the ticks of these and of the threshold behind them.

    Args:
        persons: of each name, in a public order of the names, which breaks ties; names of nobody are not candidates.
    """
    order = np.argsort(-persons, kind="stable")[: wall.kept + 1]
    order = order[persons[order] > 0]
    floor = int(persons[order[wall.kept]]) if order.size > wall.kept else 0
    positions = order[: wall.kept].astype(np.int64)
    return positions, np.append(persons[positions], floor + wall.height)

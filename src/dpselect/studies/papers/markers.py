"""What the experiments of 002 share: the published smooth bounds of the TDT, simulated studies, and chances of success.

Theorems 4 and 5 bound the sensitivity of a table x by GS exp(-beta d(x)), d the distance to the tables whose local
sensitivity is the global one (4) or above the threshold 6 (5), and beta the largest number with which that is a bound.
Both are computed here over all tables; beta does not depend on epsilon, so the share l of epsilon that it costs does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

import dpselect as dps
from dpselect.mechanisms.kinds import Mechanism
from dpselect.utilities.tdt import tdt_sensitivity

THRESHOLD = 6.0
EPSILONS = (3.0, 6.0, 9.0, 12.0, 15.0, 18.0, 21.0)
Study = tuple[NDArray[np.int64], NDArray[np.int64], int]


def simulated(markers: int, rng: np.random.Generator, families: int = 150) -> Study:
    """Return b, c and N of a study of 002, section V-A: s from Binomial(2N, 2/3), b from Binomial(s, 1/2)."""
    total = rng.binomial(2 * families, 2 / 3, markers)
    b = rng.binomial(total, 0.5)
    return b, total - b, families


@lru_cache(maxsize=8)
def bound(families: int, theorem: int) -> tuple[NDArray[np.int64], float]:
    """Return the distance of every table (b, c) to the sensitive ones, and beta."""
    from scipy.ndimage import binary_dilation

    size = 2 * families + 1
    b, c = np.indices((size, size))
    inside = b + c <= 2 * families
    local = np.zeros((size, size))
    high, low = np.maximum(b, c)[inside], np.minimum(b, c)[inside]
    local[inside] = tdt_sensitivity(high, low, families).at(0)
    ceiling = 8 * (families - 1) / families
    sensitive = inside & (local >= ceiling * (1 - 1e-12) if theorem == 4 else local > THRESHOLD)
    distance = np.where(sensitive, 0, -1)
    db, dc = np.indices((5, 5)) - 2
    # One family changes (b, c) by at most two in each, and in their sum.
    step = np.abs(db + dc) <= 2
    reached, t = sensitive, 0
    while (distance[inside] < 0).any():
        t += 1
        wider = binary_dilation(reached, step) & inside
        distance[wider & ~reached] = t
        reached = wider
    rest = inside & (distance > 0) & (local > 0)
    beta = float(np.min(np.log(ceiling / local[rest]) / distance[rest]))
    return distance, beta


def published(study: Study, epsilon: float, *, theorem: int, sides: int, gamma: int = 4) -> NDArray[np.float64]:
    """Return the law of smooth private selection with the smooth bound of Theorem 4 or 5.

    Raises:
        ValueError: beta alone would cost all of epsilon.
    """
    b, c, families = study
    distance, beta = bound(families, theorem)
    share = (len(b) if sides == 2 else len(b) - 1) * (gamma - 1) * beta / epsilon
    if share >= 1:
        raise ValueError("beta costs all of epsilon.")
    ceiling = 8 * (families - 1) / families
    largest = ceiling * float(np.exp(-beta * distance[b, c].min()))
    # With a constant bound the mechanism of the library adds S / (k alpha) Z, k = 1 - phi: the published noise.
    scores = dps.utilities.tdt(b, c, families=families)
    scores = dps.Scores(scores.values, largest, neighbours="family", zero=scores.zero)
    mechanism = dps.mechanism("smooth-private-selection", phi=max(share, 1e-12), gamma=gamma, sides=sides)
    law: NDArray[np.float64] = np.asarray(mechanism.law(scores, epsilon))
    return law


def law_of(name: str, study: Study, epsilon: float) -> NDArray[np.float64]:
    """Return the law of a series of the pictures, by its name."""
    b, c, families = study
    if name in PUBLISHED:
        theorem, sides = PUBLISHED[name]
        return published(study, epsilon, theorem=theorem, sides=sides)
    make, flat = OURS[name]
    scores = dps.utilities.tdt(b, c, families=families)
    if flat:
        shared = dps.sensitivity.flatten(scores.sensitivity)
        scores = dps.Scores(scores.values, shared, neighbours="family", zero=scores.zero)
    law: NDArray[np.float64] = np.asarray(make().law(scores, epsilon))
    return law


def chance(law: NDArray[np.float64], study: Study) -> float:
    """Return the probability that a most significant marker is named."""
    values = dps.utilities.tdt(study[0], study[1], families=study[2]).values
    return float(law[values == values.max()].sum())


def _named(name: str, **given: object) -> Callable[[], Mechanism]:
    return lambda: dps.mechanism(name, **given)


EM, PF = "EM", "PF"
PUBLISHED = {
    "SPS (I) Th.4, two-sided": (4, 2),
    "SPS (II) Th.4, one-sided": (4, 1),
    "SPS (III) Th.5, two-sided": (5, 2),
    "SPS (IV) Th.5, one-sided": (5, 1),
}
# Name: the mechanism, and whether all candidates share one sensitivity.
OURS: dict[str, tuple[Callable[[], Mechanism], int]] = {
    EM: (_named("exponential"), 0),
    PF: (_named("permute-and-flip"), 0),
    "SPS, exact smooth bound": (_named("smooth-private-selection", gamma=4), 0),
    "local-dampening-flip, shared": (_named("local-dampening-flip"), 1),
    "local-dampening-t, shared": (_named("local-dampening-t"), 1),
    "smooth-noisy-max, sound": (_named("smooth-noisy-max"), 1),
}

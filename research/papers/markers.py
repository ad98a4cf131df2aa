"""What the experiments of Yamamoto and Shibuya 2024 share: smooth bounds of the TDT, simulated studies, and laws.

Theorems 4 and 5 bound the sensitivity of a table x by GS exp(-beta d(x)), d the distance to the tables whose local
sensitivity is the global one (4) or above the threshold 6 (5), and beta the largest number with which that is a bound.
Both are computed here over all tables; beta does not depend on epsilon, so the share l of epsilon that it costs does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

import dpselect as dps
from dpselect.kernel.errors import InputError
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.smooth.smooth_private_selection import steepest
from dpselect.papers.yamamoto_and_shibuya_2024 import distance_to_sensitive
from research.engine.experiment import Point
from research.engine.series import PRIVACY, Series
from research.papers.released import truncated_noise

# Families of the tables on which losses are measured.
LINE = 150
EPSILONS = (3.0, 6.0, 9.0, 12.0, 15.0, 18.0, 21.0)
Study = tuple[NDArray[np.int64], NDArray[np.int64], int]


def simulated(markers: int, rng: np.random.Generator, families: int = 150) -> Study:
    """Return b, c and N of a study of Yamamoto and Shibuya 2024: s from Binomial(2N, 2/3), b from Binomial(s, 1/2)."""
    total = rng.binomial(2 * families, 2 / 3, markers)
    b = rng.binomial(total, 0.5)
    return b, total - b, families


def as_released(study: Study, epsilon: float, *, theorem: int, sides: int, gamma: int = 4) -> NDArray[np.float64]:
    """Return the law of the authors' notebooks: beta capped, and noise that ends at 10."""
    b, c, families = study
    distance, beta = distance_to_sensitive(families, theorem)
    beta, k = truncated_noise.capped(beta, epsilon, gamma, len(b) if sides == 2 else len(b) - 1)
    largest = 8 * (families - 1) / families * float(np.exp(-beta * distance[b, c].min()))
    alpha = epsilon / (2 * float(steepest(gamma)))
    values = dps.utilities.tdt(b, c, families=families).values
    return truncated_noise.law(values * (k * alpha / largest), gamma, sides)  # type: ignore[arg-type]


def published(study: Study, epsilon: float, *, theorem: int, sides: int, gamma: int = 4) -> NDArray[np.float64]:
    """Return the law of smooth private selection with the smooth bound of Theorem 4 or 5.

    Raises:
        ValueError: beta alone would cost all of epsilon.
    """
    b, c, families = study
    distance, beta = distance_to_sensitive(families, theorem)
    share = (len(b) if sides == 2 else len(b) - 1) * (gamma - 1) * beta / epsilon
    if share >= 1:
        raise InputError("beta costs all of epsilon.")
    ceiling = 8 * (families - 1) / families
    largest = ceiling * float(np.exp(-beta * distance[b, c].min()))
    # With a constant bound the mechanism of the library adds S / (k alpha) Z, k = 1 - phi: the published noise.
    scores = dps.utilities.tdt(b, c, families=families)
    scores = dps.Scores(scores.values, largest, neighbours="family", zero=scores.zero)
    mechanism = dps.mechanism("smooth-private-selection", phi=max(share, 1e-12), gamma=gamma, sides=sides)
    law: NDArray[np.float64] = np.asarray(mechanism.pmf(scores, epsilon))
    return law


def law_of(name: str, study: Study, epsilon: float) -> NDArray[np.float64]:
    """Return the law of a series of the pictures, by its name."""
    b, c, families = study
    if (plain := name.removesuffix(RELEASED)) in PUBLISHED:
        theorem, sides = PUBLISHED[plain]
        return (published if plain == name else as_released)(study, epsilon, theorem=theorem, sides=sides)
    make, flat = OURS[name]
    scores = dps.utilities.tdt(b, c, families=families)
    if flat:
        shared = dps.sensitivity.flatten(scores.sensitivity)
        scores = dps.Scores(scores.values, shared, neighbours="family", zero=scores.zero)
    law: NDArray[np.float64] = np.asarray(make().pmf(scores, epsilon))
    return law


def loss(law: Callable[[Study], NDArray[np.float64]]) -> float:
    """Return the exact loss of naming one of two markers, along two lines of neighbouring tables of 150 families.

    On the first the other marker is empty and all transmissions are of one allele; on the second all families count
    and the marker goes from even to one allele alone. It is a lower bound over all tables.
    """
    first = [(b, 0, 0, 0) for b in range(2 * LINE + 1)]
    second = [(LINE + turned, LINE - turned, LINE, LINE) for turned in range(LINE + 1)]
    worst = 0.0
    for line in (first, second):
        with np.errstate(divide="ignore"):
            logs = np.log([law((np.array([b, d]), np.array([c, e]), LINE)) for b, c, d, e in line])
        # One family moves a count by one or by two.
        for step in (1, 2):
            one, two = logs[step:], logs[:-step]
            with np.errstate(invalid="ignore"):
                worst = max(worst, float(np.abs(np.where(one == two, 0.0, one - two)).max()))
    return worst


def losses(name: str) -> list[Point]:
    """Return the losses of a series at three budgets."""
    return [Point(PRIVACY, name, e, loss(partial(law_of, name, epsilon=e)) / e) for e in EPSILONS[::3]]


def chance(law: NDArray[np.float64], study: Study) -> float:
    """Return the probability that a most significant marker is named."""
    values = dps.utilities.tdt(study[0], study[1], families=study[2]).values
    return float(law[values == values.max()].sum())


def _named(name: str, **given: object) -> Callable[[], Mechanism]:
    return lambda: dps.mechanism(name, **given)


EM, PF, SNM = "EM", "PF", "smooth-noisy-max, sound"
EXACT, HEAVY = "SPS, exact smooth bound", "local-dampening-t, shared"
# What ends the name of a series of the authors' notebooks.
RELEASED = ", as released"
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
    EXACT: (_named("smooth-private-selection", gamma=4), 0),
    HEAVY: (_named("local-dampening-t"), 1),
    SNM: (_named("smooth-noisy-max"), 1),
}
SERIES = (
    Series(EM, "as described", "exponential"),
    Series(PF, "as described", "permute-and-flip"),
    *(Series(name + RELEASED, "as released", "smooth private selection") for name in PUBLISHED),
    *(Series(name, "as described", "smooth private selection") for name in PUBLISHED),
    Series(EXACT, "sound", "smooth private selection"),
    Series(HEAVY, "sound", "local dampening, heavy tails"),
    Series(SNM, "sound", "smooth noisy max, t"),
)
LOSSES_ON = (
    "The losses are of naming one of two markers along two lines of neighbouring tables of 150 families, exact at "
    "epsilon 3, 12 and 21; they are at least that much elsewhere. Noise that ends at 10 makes outcomes "
    "impossible, and no epsilon covers that."
)

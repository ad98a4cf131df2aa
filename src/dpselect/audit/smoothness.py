"""Check whether a claimed smooth bound is smooth, and a bound, on every database of a universe.

References: Nissim, Raskhodnikova and Smith 2007, Definition 2.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.audit.universe import Universe
from dpselect.kernel.errors import InputError
from dpselect.scores.scores import Scores, require_scores
from dpselect.scores.sensitivity import smooth as bound_of

# Two floats this close are the same number computed in two ways.
_RELATIVE, _ABSOLUTE = 1e-9, 1e-12


@dataclass(frozen=True)
class Smoothness:
    """The verdict of enumeration on one smooth bound at one beta.

    Attributes:
        universe: on which databases.
        beta: for which the bound was asked.
        pairs: how many ordered pairs of neighbours were compared.
        smooth: it bounds every move of a score, and differs between neighbours by a factor of e^beta at most.
        counterexample: the one on the smallest database in words, or ``""``.
        largest_step: the largest ratio of the bounds of two neighbours; to be compared with e^beta.
    """

    universe: str
    beta: float
    pairs: int
    smooth: bool
    counterexample: str
    largest_step: float

    def __str__(self) -> str:
        verdict = "smooth" if self.smooth else f"NOT smooth: {self.counterexample}"
        return (
            f"{verdict}\n{self.pairs} pairs of neighbours of {self.universe}; bounds differ by a factor of at most "
            f"{self.largest_step:.4g}, and e^beta is {math.exp(self.beta):.4g}"
        )


def smooth(utility: Callable[[Any], Scores], universe: Universe, beta: float | Fraction) -> Smoothness:
    """Check the smooth bound that comes with a utility, on every database of a universe.

    For ``sensitivity.smooth_bound``, of which :func:`admissible` cannot see values at a distance; any sensitivity with
    a ceiling will do. Check it for the betas that will be used: ``mechanism.beta(scores, epsilon, k)``.

    Args:
        utility: database to Scores.
        universe: from ``dpselect.audit.universe``.
        beta: for which the bound must be smooth.

    Raises:
        ValueError, TypeError: beta is not positive, or the utility gives no Scores, or other candidates or another
            ceiling on other databases.

    >>> import dpselect as dps
    >>> def heads(records):
    ...     known = dps.sensitivity.smooth_bound(lambda beta: 2.0 ** -len(records), ceiling=1)
    ...     return dps.Scores([2.0 ** -len(records), 0.0], known)
    >>> coins = dps.audit.multisets([0, 1], 4)
    >>> smooth(heads, coins, 0.7).smooth, smooth(heads, coins, 0.6).smooth
    (True, False)
    """
    scores = [require_scores(utility(database)) for database in universe]
    for x, score in enumerate(scores):
        if list(score.candidates) != list(scores[0].candidates):
            raise InputError(f"The candidates on {universe.words(x)} are not those on {universe.words(0)}.")
        if score.sensitivity.ceiling != scores[0].sensitivity.ceiling:
            raise InputError(f"The ceiling is public, and it is another on {universe.words(x)}: make it a constant.")
    values = np.array([score.values for score in scores], dtype=np.float64)
    bounds = np.array([float(bound_of(score.sensitivity, beta)) for score in scores])
    # Both ends of each pair, since a bound must hold at both.
    pairs = np.concatenate((universe.pairs(), universe.pairs()[:, ::-1]))
    here, there = pairs.T
    moves = np.abs(values[here] - values[there]).max(axis=1)
    steps = bounds[there] / bounds[here]
    low = moves > bounds[here] * (1 + _RELATIVE) + _ABSOLUTE
    steep = steps > math.exp(beta) * (1 + _RELATIVE)
    example = ""
    if (low | steep).any():
        worst = min(np.flatnonzero(low | steep).tolist(), key=lambda pair: (universe.sizes[here[pair]], *pairs[pair]))
        one, other = universe.words(here[worst]), universe.words(there[worst])
        example = (
            f"one step from {one} to {other} moves a score by {moves[worst]:g}, and the bound on {one} is "
            f"{bounds[here[worst]]:g}."
            if low[worst]
            else f"the bound is {bounds[here[worst]]:g} on {one} and {bounds[there[worst]]:g} on {other}, one step "
            f"away: a factor of {steps[worst]:.4g}, above e^beta = {math.exp(beta):.4g}."
        )
    return Smoothness(
        repr(universe), float(beta), len(pairs), not example, example, float(max(steps.max(initial=1), 1))
    )

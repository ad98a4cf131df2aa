"""The public parameters of smooth mechanisms that err least on data that may be looked at.

A share phi of epsilon pays for the moving scale: with more of it the bound is smaller, and the noise of a bound larger.
Which is better depends on the scores, and so does the noise.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.analysis.accuracy import expected_error
from dpselect.kernel.errors import PrivacyError
from dpselect.mechanisms import mechanism
from dpselect.mechanisms.base import Mechanism
from dpselect.scores.scores import Scores

# Shares that are tried first; then twice those halfway to the neighbours of the best.
_SHARES, _ROUNDS = (0.02, 0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95), 2
# Beyond so many different scores laws take long, and the share is the declared one.
_MOST = 2000

FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "smooth-noisy-max": ("smooth-noisy-max", {}),
    'smooth-noisy-max, noise="cauchy-2"': ("smooth-noisy-max", {"noise": "cauchy-2"}),
    'smooth-noisy-max, noise="cauchy-4"': ("smooth-noisy-max", {"noise": "cauchy-4"}),
    'smooth-noisy-max, noise="exponential"': ("smooth-noisy-max", {"noise": "exponential"}),
    "smooth-private-selection": ("smooth-private-selection", {}),
    "smooth-private-selection, gamma=2": ("smooth-private-selection", {"gamma": 2}),
    "smooth-private-selection, gamma=6": ("smooth-private-selection", {"gamma": 6}),
}


@dataclass(frozen=True)
class TunedNoise:
    """The best share of one noise.

    Attributes:
        name: the mechanism and its noise.
        mechanism: with the share.
        error: the exact expected error, ``nan`` where it does not apply.
        why: why it does not apply, or "".
    """

    name: str
    mechanism: Mechanism
    error: float
    why: str = ""


def tune_shares(scores: Scores, epsilon: Fraction, names: Iterable[str] = FAMILIES) -> list[TunedNoise]:
    """Return each noise with its best share, the best first; what does not apply last."""
    found = [_best(name, scores, epsilon) for name in names]
    return sorted(found, key=lambda each: (bool(each.why), each.error))


def _best(name: str, scores: Scores, epsilon: Fraction) -> TunedNoise:
    which, parameters = FAMILIES[name]
    try:
        if np.unique(scores.values).size > _MOST:
            default = mechanism(which, **parameters)
            return TunedNoise(name, default, expected_error(scores, epsilon=epsilon, mechanism=default))
        errors: dict[float, float] = {}
        tried: list[float] = list(_SHARES)
        for _ in range(1 + _ROUNDS):
            for phi in tried:
                errors[phi] = expected_error(scores, epsilon=epsilon, mechanism=mechanism(which, **parameters, phi=phi))
            ordered = sorted(errors)
            at = ordered.index(min(ordered, key=errors.__getitem__))
            near = ordered[max(at - 1, 0) : at + 2]
            tried = [round((one + other) / 2, 4) for one, other in itertools.pairwise(near)]
        best = min(errors, key=errors.__getitem__)
        return TunedNoise(name, mechanism(which, **parameters, phi=best), errors[best])
    except (PrivacyError, ValueError) as reason:
        return TunedNoise(name, mechanism(which, **parameters), math.nan, str(reason))

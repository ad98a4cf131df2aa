"""Risk in words: how often the best attack on one record is right, from the trade-off curve of what was promised.

Proof: ``attack.md``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpselect.kernel.guarantee import BOUNDED_RANGE, LAPLACE, Guarantee

# Far more than the error of what follows.
_UP = 1 + 1e-12


def attack_success(guarantee: Guarantee, count: int = 1) -> float:
    """Return with what chance the best attacker is right who must say whether one record is in the data.

    Before the answer both are as likely; then the attacker sees it, and knows all other records. It is 1/2 where the
    answer says nothing. It is not the chance that somebody is identified.

    Args:
        guarantee: of each release.
        count: how many releases, whose promises add up.

    >>> import dpselect as dps
    >>> [round(attack_success(dps.Guarantee(epsilon, "add-remove")), 2) for epsilon in (0.5, 1, 2, 4)]
    [0.62, 0.73, 0.88, 0.98]
    >>> round(attack_success(dps.Guarantee.from_rho(0.1, 1e-6, "add-remove")), 2)
    0.61
    """
    return min(1.0, (1 + _distance(guarantee, count)) / 2 * _UP)


def _distance(guarantee: Guarantee, count: int) -> float:
    """Return the largest total variation distance between the laws of what is released on two neighbours."""
    if (rho := guarantee.stated_rho) is not None:
        total = float(count * rho)
        return min(math.sqrt(total / 2), math.sqrt(-math.expm1(-total)))
    epsilon, delta = float(count * guarantee.epsilon), min(1.0, float(count * guarantee.delta))
    # Intervals of several releases do not add up to one, for those that have bounded range.
    shape = min(guarantee.shape, BOUNDED_RANGE if count == 1 else LAPLACE) if not delta else 0
    if shape == BOUNDED_RANGE:
        return math.tanh(epsilon / 4)
    if shape == LAPLACE:
        return -math.expm1(-epsilon / 2)
    return delta + (1 - delta) * math.tanh(epsilon / 2)


def in_words(success: float) -> str:
    """Return the chance of an attack as a sentence, in per cent rounded up."""
    per_cent = min(100, math.ceil(Fraction(success) * 100))
    return f"who knows all else and guesses between two neighbouring datasets is right at most {per_cent} % of the time"


def risk_of(promised: Mapping[str, Any]) -> str:
    """Return the sentence for a promise as certificates hold it, or "" where somebody wrote something else there."""
    try:
        relation, delta = promised["neighbours"], Fraction(promised["delta"])
        if promised["rho"] is None:
            guarantee = Guarantee(Fraction(promised["epsilon"]), relation, delta)
        else:
            guarantee = Guarantee.from_rho(Fraction(promised["rho"]), delta, relation)
    except (ValueError, TypeError, ZeroDivisionError):
        return ""
    return in_words(attack_success(guarantee))

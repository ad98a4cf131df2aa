"""The inverse sensitivity mechanism: a candidate's score is minus the number of changes that would make it best.

q(x, r) = -(least number of steps from x to a database on which r is best), supplied by the utility as
``Scores.distance``. Drawn by permute-and-flip.

Neighbours: those of the scores. Guarantee: epsilon-DP, with no sensitivity to bound; the score has range bound 2
whatever the utility's was. Where the distance can be computed it is the score to use: local dampening gives a
lower bound on it.

References: Asi and Duchi 2020 (instance optimality); drawn there by the exponential mechanism.
"""

from __future__ import annotations

from fractions import Fraction

from dpselect.kernel.errors import Advice, PrivacyError
from dpselect.kernel.units import UnitScores, exact_ticks
from dpselect.mechanisms.base import Mechanism, UnitMechanism
from dpselect.mechanisms.sampler import PERMUTE_AND_FLIP
from dpselect.scores.scores import Scores


def inverse_sensitivity() -> Mechanism:
    """Return the inverse sensitivity mechanism.

    >>> import dpselect as dps
    >>> votes = dps.Scores([7, 4, 1], sensitivity=1, distance=[0, 3, 6])
    >>> dps.mechanism("inverse-sensitivity").pmf(votes, 1).round(3)
    array([0.867, 0.11 , 0.023])
    """
    return UnitMechanism(
        "inverse-sensitivity",
        "Where the utility knows how many changes would make each candidate best.",
        _effective,
        PERMUTE_AND_FLIP,
    )


def _effective(scores: Scores) -> UnitScores:
    if scores.distance is None:
        raise PrivacyError(
            Advice(
                "This mechanism needs the number of changes that would make each candidate best: "
                "{pass distance=, use a utility that knows it, or use local-dampening|take another, such as --"
                "mechanism local-dampening-flip}."
            )
        )
    return exact_ticks(-scores.distance, Fraction(1), range_bound=2)

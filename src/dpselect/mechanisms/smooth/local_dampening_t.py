"""Local dampening drawn with heavy tails: argmax of D(r) + c |T_r|, T_r Student t with three degrees of freedom.

c = (b + 2/T) / shift(epsilon), T the ticks per unit and b = 2 (1 only where delta is constant): sliding the noise
by one span costs at most epsilon, for any number of candidates.

Neighbours: those of the scores. Guarantee: epsilon-DP of what is drawn when delta is admissible. Where scores lie a
unit or two apart it errs less than permute-and-flip from about epsilon = 5 on.

References: ours; the dampened score is that of Farias et al. 2023, Definition 3.3.1.
"""

from __future__ import annotations

from dpselect.mechanisms.base import Mechanism, UnitMechanism
from dpselect.mechanisms.local_dampening import damp_scores
from dpselect.mechanisms.sampler import STUDENT


def local_dampening_t() -> Mechanism:
    """Return local dampening with one-sided Student-t noise.

    >>> import dpselect as dps
    >>> shared = dps.sensitivity.local(lambda t: 1 + t, ceiling=50)
    >>> scores = dps.Scores([3.0, 1.0, 0.0], sensitivity=shared)
    >>> dps.mechanism("local-dampening-flip").pmf(scores, 10).round(4)
    array([0.9966, 0.0034, 0.    ])
    >>> dps.mechanism("local-dampening-t").pmf(scores, 10).round(4)
    array([9.997e-01, 3.000e-04, 0.000e+00])
    """
    return UnitMechanism(
        "local-dampening-t",
        "Local dampening with heavy tails, for epsilon of about 5 and more.",
        damp_scores,
        STUDENT,
    )

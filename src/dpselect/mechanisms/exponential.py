"""The exponential mechanism: Pr[r] proportional to exp(epsilon u(r) / (b Du)).

b is the range bound: 2, or 1 when one added record moves every score the same way. Report-noisy-max with
Gumbel noise is this law, so it has no file of its own.

Neighbours: those of the scores. Guarantee: epsilon-DP, with bounded range: many selections compose
better than epsilon each.

References: McSherry and Talwar 2007; Dong, Durfee and Rogers 2020 (bounded range); Durfee and Rogers 2019
(Gumbel noise); Farias et al. 2023, Definition 3.6.1; Chaves 2024, Definition 3.6.
"""

from __future__ import annotations

from dpselect.mechanisms.base import Mechanism, UnitMechanism
from dpselect.mechanisms.sampler import EXPONENTIAL
from dpselect.mechanisms.scaling import scale


def exponential() -> Mechanism:
    """Return the exponential mechanism on u / Du.

    >>> import dpselect as dps
    >>> scores = dps.Scores([2, 0], sensitivity=1, kind="integer")
    >>> dps.mechanism("exponential").pmf(scores, 1).round(4)
    array([0.7311, 0.2689])
    """
    return UnitMechanism(
        "exponential",
        "The classic: its many releases compose best under (epsilon, delta).",
        scale,
        EXPONENTIAL,
    )

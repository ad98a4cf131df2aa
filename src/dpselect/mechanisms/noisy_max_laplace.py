"""Report noisy max with Laplace noise: argmax of u(r) + Laplace of scale b Du / epsilon.

The noise is refined until the winner is certain, so no tie is ever broken by rounding.

Neighbours: those of the scores. Guarantee: epsilon-DP, counted without bounded range. Permute-and-flip has
a smaller expected error; this mechanism is here because it is widely used and to be compared with.

References: Dwork and Roth 2014, section 3.3; Chaves 2024, section 3.4.
"""

from __future__ import annotations

from dpselect.mechanisms.base import Mechanism, UnitMechanism
from dpselect.mechanisms.sampler import LAPLACE
from dpselect.mechanisms.scaling import scale


def noisy_max_laplace() -> Mechanism:
    """Return report-noisy-max with Laplace noise on u / Du.

    The law is an integral with a panel for every distinct score, refused beyond 10,000 of them.

    >>> import dpselect as dps
    >>> scores = dps.Scores([2, 0], sensitivity=1, kind="integer")
    >>> dps.mechanism("noisy-max-laplace").pmf(scores, 1).round(4)
    array([0.7241, 0.2759])

    Limits: Laplace law. Refused beyond 10,000 distinct scores.
    """
    return UnitMechanism(
        "noisy-max-laplace",
        "The textbook noisy max, for comparison: permute-and-flip errs less.",
        scale,
        LAPLACE,
    )

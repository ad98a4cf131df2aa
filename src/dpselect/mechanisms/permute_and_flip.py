"""Permute-and-flip: visit candidates in random order, flip each one's coin, return the first head.

The coin of r is Bernoulli(exp(-epsilon (max u - u(r)) / (b Du))). It is drawn here by flipping every coin and
returning a uniform head, which is the same law. Report-noisy-max with exponential noise is this law too.

Neighbours: those of the scores. Guarantee: epsilon-DP. Not bounded range: compose it by epsilon.

References: McKenna and Sheldon 2020; Ding et al. 2021 (exponential noise); Chaves 2024, Algorithm 1 and
Theorems 3.9, 3.10, 3.11.
"""

from __future__ import annotations

from dpselect.mechanisms.base import Mechanism, UnitMechanism
from dpselect.mechanisms.sampler import PERMUTE_AND_FLIP
from dpselect.mechanisms.scaling import scale, scale_measure


def permute_and_flip() -> Mechanism:
    """Return permute-and-flip on u / Du: never a larger expected error than the exponential mechanism.

    >>> import dpselect as dps
    >>> scores = dps.Scores([2, 0], sensitivity=1, kind="integer")
    >>> dps.mechanism("permute-and-flip").pmf(scores, 1).round(4)
    array([0.8161, 0.1839])
    """
    return UnitMechanism(
        "permute-and-flip",
        "The default: never worse than the exponential mechanism for one selection.",
        scale,
        PERMUTE_AND_FLIP,
        measures=scale_measure,
    )

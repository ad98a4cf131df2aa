"""Scores divided by their global sensitivity: the transformation of the classic mechanisms."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from dpselect.kernel.errors import Advice, PrivacyError
from dpselect.kernel.units import UnitScores, exact_ticks
from dpselect.mechanisms.gaps import gap_ticks
from dpselect.scores.scores import Scores


def scale(scores: Scores) -> UnitScores:
    """Return u / ceiling as unit scores; the range bound of the utility survives a constant divisor.

    Integer scores stay integers: one tick is 1 / ceiling of a unit, exactly. Real scores are measured from the best,
    so that large ones are told apart as well as small ones.

    Raises:
        PrivacyError: the sensitivity has no public ceiling.
    """
    ceiling = scores.sensitivity.ceiling
    if math.isinf(ceiling):
        raise PrivacyError(
            Advice(
                "This mechanism divides by the global sensitivity and none is known: "
                "{pass a public ceiling=, or use local-dampening|take another, such as --mechanism "
                "local-dampening-flip}."
            )
        )
    if scores.values.dtype.kind == "i":
        return exact_ticks(scores.values.astype(np.int64, copy=False), Fraction(ceiling), scores.range_bound)
    return gap_ticks(scores.values, ceiling, scores.range_bound)

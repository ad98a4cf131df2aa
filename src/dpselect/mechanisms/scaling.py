"""Scores divided by their global sensitivity: the transformation of the classic mechanisms."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpselect.kernel.errors import Advice, PrivacyError
from dpselect.kernel.units import TICKS, UnitScores, exact_ticks
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


@dataclass(frozen=True)
class Measure:
    """The meaning of ticks for scores, a public fact.

    Attributes:
        worth: one tick, in units of the scores.
        rounding: ticks by which a difference of two may exceed that of their scores.
    """

    worth: Fraction
    rounding: int

    def lead(self, ticks: int) -> int | float:
        """Return a difference of ticks in units of the scores, never more than it is: an int of integer scores."""
        if not self.rounding:
            return int(ticks * self.worth)
        exact = max(ticks - self.rounding, 0) * self.worth
        nearest = float(min(exact, Fraction(sys.float_info.max)))
        return nearest if nearest <= exact else math.nextafter(nearest, 0.0)


def scale_measure(scores: Scores) -> Measure:
    """Return what the ticks of :func:`scale` say: integer scores are their own ticks, real ones are floored."""
    if scores.values.dtype.kind == "i":
        return Measure(Fraction(1), 0)
    return Measure(Fraction(scores.sensitivity.ceiling) / TICKS, 2)


def scaled_if_fixed(scores: Scores) -> Measure | None:
    """Return what ticks say of mechanisms that only divide where one constant is the sensitivity."""
    return scale_measure(scores) if scores.sensitivity.fixed else None

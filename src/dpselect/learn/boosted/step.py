"""One step of a part: the posterior mean of its Newton step, given noisy sums and what the survey told."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpselect.views.gradient_sums import SCORE_UNIT

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# How wrong the survey's guess of a part's Hessian is taken to be, and how far below it the estimate may go.
_UNSURE, _LEAST = 0.6, 0.15


@dataclass(frozen=True, eq=False)
class Step:
    """What steps depend on besides the sums; all of it public or released.

    Attributes:
        records: about how many there are.
        curvature: about the Hessian of one, shape (outputs,).
        rate: how much of a step is taken; twice that is the longest.
        pull: the deviation of the gradients' noise over all rounds, times how strongly it draws steps to zero.
        deviation: of the noise of Hessians.
    """

    records: float
    curvature: Floats
    rate: float
    pull: float
    deviation: float

    def hessians(self, noisy: Floats, shares: Floats) -> Floats:
        """Return noisy Hessians, shape (parts, outputs), made better by the expected ones, with what pulls to zero."""
        expected = np.maximum(self.records * shares, 1.0)[:, None] * self.curvature
        one, other = 1 / (_UNSURE * expected) ** 2, 1 / (self.deviation**2 + 1e-12)
        mean = np.maximum((expected * one + noisy * other) / (one + other), _LEAST * expected)
        return np.asarray(mean + 1 + self.pull**2 / mean)

    def values(self, gradients: Floats, hessians: Floats) -> Integers:
        """Return what is added to scores, in their units, shape (parts, outputs)."""
        longest = 2 * self.rate
        steps = np.clip(-self.rate * gradients / hessians, -longest, longest)
        return np.rint(steps * SCORE_UNIT).astype(np.int64)

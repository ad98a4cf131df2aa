"""Scores in units of noise."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, repr=False, eq=False)
class SmoothScores:
    """Scores in units of noise whose scale moves with the database: u / (c S), floored to ticks of 2^-30.

    They are not unit scores, because S moves too; only heavy-tailed noise with a dilation bound may be added, and
    its draws are idealised.

    Attributes:
        ticks: shape (m,), int64.
        rate: what one tick is worth, in units of noise.
    """

    ticks: NDArray[np.int64]
    rate: Fraction = Fraction(1, 2**30)

    def __len__(self) -> int:
        return int(self.ticks.size)

    def __repr__(self) -> str:
        return f"SmoothScores(candidates={len(self)})"

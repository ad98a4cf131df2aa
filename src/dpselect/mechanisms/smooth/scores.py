"""Scores whose noise has a scale of its own for each database."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, repr=False, eq=False)
class SmoothScores:
    """Scores in ticks of a public size, and what a tick is worth in units of noise of a private scale.

    They are not unit scores, because the scale is private; only noise with a dilation bound may be added.

    Attributes:
        ticks: shape (m,), int64.
        rate: what one tick is worth, in units of noise: private.
        beta: for which the bound behind the scale is smooth: public; ``None`` where the scale follows none.
    """

    ticks: NDArray[np.int64]
    rate: Fraction
    beta: Fraction | None = None

    def __len__(self) -> int:
        return int(self.ticks.size)

    def __repr__(self) -> str:
        return f"SmoothScores(candidates={len(self)})"

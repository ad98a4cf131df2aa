"""The weighted sum 3 TPR + 2 TNR of trees, dampened: as programmed and as described.

A record moves the sum by at most 3 / P + 2 / N, the sum of the text (Theorem 5.4). The program adds the sensitivity of
the first objective twice and never that of the second (errata): too little where there are fewer negatives.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from research.papers.released.fence import fenced

Floats = NDArray[np.float64]
WEIGHTS = (3.0, 2.0)


@dataclass(frozen=True)
class WeightedTrees:
    """How trees are scored, in units of what one record moves.

    Attributes:
        sensitivity: ``"local"``, or ``"global"`` for the sum of the weights.
        summed: ``"both"``, or ``"first twice"`` as programmed.
        unsound: ``"reproduction"``, for what is as programmed.

    Raises:
        PrivacyError: what the program has, without ``unsound="reproduction"``.
    """

    sensitivity: str = "local"
    summed: str = "both"
    unsound: str | None = None

    def __post_init__(self) -> None:
        if self.summed == "first twice":
            fenced(self.unsound, "dpselect.multiobjective.aggregate")

    def units(self, rates: Floats, positives: int, negatives: int) -> Floats:
        """Return the score of every tree, shape (trees,).

        Args:
            rates: true positive and true negative rates, shape (trees, 2).
            positives, negatives: records of either class.
        """
        fitness = rates @ np.array(WEIGHTS)
        if self.sensitivity == "global":
            return np.asarray(fitness / sum(WEIGHTS))
        second = positives if self.summed == "first twice" else negatives
        sums = _sums(positives, second)
        return np.asarray(np.interp(fitness, sums, np.arange(sums.size)))


@lru_cache(maxsize=8)
def _sums(first: int, second: int) -> Floats:
    """Return how far 0, 1, ... records can move the sum, beyond which it never is."""
    t = np.arange(max(first, second) + int(sum(WEIGHTS)) + 1)
    steps = WEIGHTS[0] / np.maximum(first - t, 1) + WEIGHTS[1] / np.maximum(second - t, 1)
    return np.concatenate(([0.0], np.cumsum(steps)))

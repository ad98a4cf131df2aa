"""A smooth bound that doubles within one step, at a beta for which it may grow by a sixteenth."""

import numpy as np

from dpselect import Scores, audit, sensitivity

DETECTOR = "smoothness"
UNIVERSE = audit.multisets([0, 1], 4)
BETA = 0.06


def verdict(factor: float) -> str:
    """A score that moves by less and less with more records, and a bound that falls by this factor for each."""

    def utility(records) -> Scores:
        size = len(records)
        known = sensitivity.smooth_bound(lambda beta: factor**-size, ceiling=1)
        return Scores([2.0**-size, 0.0], known)

    return audit.smooth(utility, UNIVERSE, BETA).counterexample


def detect() -> str:
    """Twice as large with one record fewer."""
    return verdict(2.0)


def repaired() -> str:
    """By e^beta."""
    return verdict(float(np.exp(BETA)))

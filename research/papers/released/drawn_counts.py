"""The six markers of Yamamoto and Shibuya 2024, Table II: counts drawn at random to fit six statistics.

The program draws c evenly from 0 to 215, takes for b the whole number above the root that gives the statistic, and
draws again while b + c exceeds 430. The first statistic belongs to ten times the P value that its source prints.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

FAMILIES = 215
STATISTICS = (29.83, 29.96, 33.76, 31.74, 30.52, 32.67)
Study = tuple[NDArray[np.int64], NDArray[np.int64], int]

# The counts that a later notebook of the authors shows.
NOTEBOOK: Study = (
    np.array([264, 207, 170, 248, 225, 219]),
    np.array([152, 109, 78, 137, 122, 114]),
    FAMILIES,
)


def drawn(rng: np.random.Generator) -> Study:
    """Return one such table: b, c and the number of families."""
    b, c = [], []
    for statistic in STATISTICS:
        while True:
            less = int(rng.integers(0, FAMILIES + 1))
            more = int((2 * less + statistic + math.sqrt(statistic * (statistic + 8 * less))) / 2) + 1
            if less + more <= 2 * FAMILIES:
                break
        b.append(more)
        c.append(less)
    return np.array(b), np.array(c), FAMILIES

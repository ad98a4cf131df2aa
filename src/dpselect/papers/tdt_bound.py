"""Smooth bounds of the TDT by Theorems 4 and 5 of Yamamoto and Shibuya 2024, over all tables of a study.

A table (b, c) of one marker is sensitive if its local sensitivity is the global one (Theorem 4), or above a public
threshold (Theorem 5; 6 in the paper). The bound of a study is GS exp(-beta d): d is the distance of its nearest marker
to the sensitive tables, and beta the largest number with which that is a bound for every table.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpselect.papers.bound_by_distance import largest_beta
from dpselect.utilities.tdt import tdt_sensitivity

THRESHOLD = 6.0


@lru_cache(maxsize=8)
def distance_to_sensitive(families: int, theorem: int) -> tuple[NDArray[np.int64], float]:
    """Return the distance of every table (b, c) to the sensitive ones, shape (2 N + 1, 2 N + 1), and beta.

    Tables that cannot occur, b + c > 2 N, have the distance -1.

    >>> distance, beta = distance_to_sensitive(10, 5)
    >>> distance.shape, distance[20, 0].item(), distance[9, 9].item(), round(beta, 4)
    ((21, 21), 0, 3, 0.1501)
    """
    from scipy.ndimage import binary_dilation

    size = 2 * families + 1
    b, c = np.indices((size, size))
    inside = b + c <= 2 * families
    local = np.zeros((size, size))
    local[inside] = tdt_sensitivity(np.maximum(b, c)[inside], np.minimum(b, c)[inside], families).at(0)
    ceiling = 8 * (families - 1) / families
    sensitive = inside & (local >= ceiling * (1 - 1e-12) if theorem == 4 else local > THRESHOLD)
    distance = np.where(sensitive, 0, -1)
    db, dc = np.indices((5, 5)) - 2
    # One family changes (b, c) by at most two in each, and in their sum.
    step = np.abs(db + dc) <= 2
    reached, t = sensitive, 0
    while (distance[inside] < 0).any():
        t += 1
        wider = binary_dilation(reached, step) & inside
        distance[wider & ~reached] = t
        reached = wider
    rest = inside & (distance > 0) & (local > 0)
    return distance, largest_beta(distance[rest], local[rest], ceiling=ceiling)

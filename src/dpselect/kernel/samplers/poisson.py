"""Exact Poisson numbers from fair choices. Proof: ``ordered_groups.md``."""

from __future__ import annotations

import numpy as np

from dpselect.kernel.bernoulli_exp import Entropy
from dpselect.kernel.samplers.permute_and_flip import uniform


def poisson(halves: int, entropy: Entropy) -> int:
    """Return a Poisson number of mean halves / 2: the sum of so many of mean 1/2, which go with 1 / (2^n n!)."""
    total, fresh = 0, halves
    while fresh:
        left, fresh, n = fresh, 0, 0
        while left:
            n += 1
            # Half stop before n, one in 2 n goes on, and the rest starts afresh.
            drawn = uniform(np.full(left, 2 * n), entropy)
            stopped, on = int((drawn < n).sum()), int((drawn == n).sum())
            total, fresh, left = total + stopped * (n - 1), fresh + left - stopped - on, on
    return total

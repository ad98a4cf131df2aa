"""Permute-and-flip on clipped gaps: integers, one Fraction and a public clip in, the position of the winner out.

The coin of candidate r is Bernoulli(exp(-min(rate (max ticks - ticks_r), clip))).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import Entropy, below, flip

# Candidates handled at a time: small enough to stay in cache, large enough to hide the cost of a call.
_CHUNK = 2**15
# More than any gap of 64-bit ticks.
_BEYOND = 2**63 - 1


def clipped_flip(ticks: NDArray[np.int64], rate: Fraction, clip: Fraction, entropy: Entropy) -> int:
    """Draw by flipping every coin and taking a uniform head, as permute-and-flip does.

    A candidate at or beyond the clip flips the coin of the clip itself, decided in integers.
    """
    top, reach = ticks.max(), min(-(-clip // rate), _BEYOND)
    heads = []
    for start in range(0, ticks.size, _CHUNK):
        gaps = top - ticks[start : start + _CHUNK]
        near, far = np.flatnonzero(gaps < reach), np.flatnonzero(gaps >= reach)
        ones = np.ones(far.size, dtype=np.int64)
        heads += [start + near[flip(gaps[near], rate, entropy)], start + far[flip(ones, clip, entropy)]]
    winners = np.concatenate(heads)
    return int(winners[below(winners.size, entropy)])

"""Permute-and-flip: integers and one Fraction in, the position of the winner out.

The coin of candidate r is Bernoulli(exp(-rate (max ticks - ticks_r))).

References: McKenna and Sheldon 2020.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import Entropy, below, flip, positions

# Candidates handled at a time: small enough to stay in cache, large enough to hide the cost of a call.
_CHUNK = 2**15


def permute_and_flip(ticks: NDArray[np.int64], rate: Fraction, entropy: Entropy) -> int:
    """Draw by flipping every coin and taking a uniform head.

    A random order that is independent of the coins meets its first head at a uniformly random head, so this
    is permute-and-flip. The best candidate always shows heads. Time does not depend on an early exit.
    """
    top = ticks[ticks.argmax()]
    if ticks.size <= _CHUNK:
        winners = flip(top - ticks, rate, entropy)
    else:
        starts = range(0, ticks.size, _CHUNK)
        winners = np.concatenate([start + flip(top - ticks[start : start + _CHUNK], rate, entropy) for start in starts])
    return int(winners[below(winners.size, entropy)])


def permute_and_flip_rows(
    ticks: NDArray[np.int64], valid: NDArray[np.bool_], rate: Fraction, entropy: Entropy
) -> NDArray[np.int64]:
    """Draw once for every row of (rows, m) ticks, among its valid candidates (at least one per row)."""
    top = np.where(valid, ticks, np.iinfo(np.int64).min).max(axis=1, keepdims=True)
    cells = np.flatnonzero(valid)
    flat = np.zeros(valid.size, dtype=np.bool_)
    gaps = np.broadcast_to(top, ticks.shape).ravel()[cells] - ticks.ravel()[cells]
    flat[cells[flip(gaps, rate, entropy)]] = True
    heads = flat.reshape(valid.shape)
    order = heads.cumsum(axis=1)
    # The uniform ordinal among each row's heads.
    ordinal = uniform(order[:, -1], entropy) + 1
    winners: NDArray[np.int64] = (heads & (order == ordinal[:, None])).argmax(axis=1)
    return winners


def uniform(bounds: NDArray[np.int64], entropy: Entropy) -> NDArray[np.int64]:
    """Return an independent uniform integer in [0, bound) for every bound, shape of the bounds."""
    drawn = np.zeros(bounds.size, dtype=np.int64)
    for bound in np.unique(bounds[bounds > 1]).tolist():
        waiting = np.flatnonzero(bounds == bound)
        while waiting.size:
            found = positions(waiting.size, bound, entropy)
            drawn[waiting[: found.size]] = found
            waiting = waiting[found.size :]
    return drawn

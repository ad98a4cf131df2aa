"""Exact two-sided geometric noise for released counts: Pr[z] proportional to exp(-epsilon |z| / sensitivity).

It is the difference of two geometric numbers, and these are made of uniform bits and exact coins, so the noise follows
its law exactly.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import Entropy, flip
from dpselect.kernel.bound import require_rate

# Numbers that are drawn at a time, so that they stay in the cache.
_CHUNK = 2**15
Integers = NDArray[np.int64]


def noise(count: int, rate: Fraction, entropy: Entropy) -> Integers:
    """Return independent integers z with probability proportional to exp(-rate |z|), shape (count,).

    Raises:
        ValueError: the rate is 2^-40 or less.

    >>> from dpselect.kernel.bernoulli_exp import new_entropy
    >>> noise(2, Fraction(50), new_entropy()).tolist()
    [0, 0]
    """
    require_rate(rate)
    return geometric(count, rate, entropy) - geometric(count, rate, entropy)


def geometric(count: int, rate: Fraction, entropy: Entropy) -> Integers:
    """Return independent numbers k >= 0 with probability proportional to exp(-rate k), shape (count,).

    The low bits of such a number are independent of the rest: uniform bits, accepted by a coin exp(-rate * bits). The
    rest is how many coins in a row come up heads.
    """
    unit = 1 << (math.ceil(1 / rate) - 1).bit_length()
    total = np.zeros(count, dtype=np.int64)
    for start in range(0, count, _CHUNK):
        waiting = running = np.arange(start, min(start + _CHUNK, count))
        while waiting.size and unit > 1:
            low = np.frombuffer(entropy(8 * waiting.size), dtype=np.int64) & (unit - 1)
            accepted = np.zeros(waiting.size, dtype=np.bool_)
            accepted[flip(low, rate, entropy)] = True
            total[waiting[accepted]] = low[accepted]
            waiting = waiting[~accepted]
        while running.size:
            running = running[flip(np.full(running.size, unit), rate, entropy)]
            total[running] += unit
    return total

"""Exact two-sided geometric noise for released counts: Pr[z] proportional to exp(-epsilon |z| / sensitivity).

It is the difference of two geometric numbers. The low bits of a geometric number are independent coins, the rest is
geometric again with a larger rate: both are made of exact coins, so the noise follows its law exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bound import require_rate
from dpselect.kernel.coins import GUARD, PREFIX, Entropy, exponential_between, flip, words

Integers = NDArray[np.int64]
# Numbers that are drawn at a time, so that they stay in the cache.
_CHUNK = 2**15


def noise(count: int, rate: Fraction, entropy: Entropy) -> Integers:
    """Return independent integers z with probability proportional to exp(-rate |z|), shape (count,).

    Raises:
        ValueError: the rate is 2^-40 or less.

    >>> from dpselect.kernel.coins import new_entropy
    >>> noise(2, Fraction(50), new_entropy()).tolist()
    [0, 0]
    """
    require_rate(rate)
    return geometric(count, rate, entropy) - geometric(count, rate, entropy)


def geometric(count: int, rate: Fraction, entropy: Entropy) -> Integers:
    """Return independent numbers k >= 0 with probability proportional to exp(-rate k), shape (count,)."""
    coins, above = _low_bits(rate)
    total = np.zeros(count, dtype=np.int64)
    for start in range(0, count, _CHUNK):
        part = total[start : start + _CHUNK]
        for bit, coin in enumerate(coins):
            part += coin.flip(part.size, entropy).astype(np.int64) << bit
    # What is above the low bits: how many coins in a row come up heads.
    running = np.arange(count)
    while running.size:
        running = running[flip(np.ones(running.size, dtype=np.int64), above, entropy)]
        total[running] += 2 ** len(coins)
    return total


@dataclass(frozen=True)
class _Odds:
    """A coin Bernoulli(1 / (1 + e^rate)) for 0 < rate < 1, compared with a uniform number as the coins of ``coins``.

    Attributes:
        rate: exact.
        heads: 32-bit prefixes below this are certain heads.
        tails: prefixes from here on are certain tails.
    """

    rate: Fraction
    heads: int
    tails: int

    @classmethod
    def of(cls, rate: Fraction) -> _Odds:
        threshold = PREFIX / (1 + math.exp(float(rate)))
        return cls(rate, int(threshold * (1 - 3 * GUARD)), int(threshold * (1 + GUARD)) + 1)

    def flip(self, count: int, entropy: Entropy) -> NDArray[np.bool_]:
        """Return which of independent coins come up heads, shape (count,)."""
        prefix = words(count, entropy)
        heads: NDArray[np.bool_] = prefix < self.heads
        undecided = (prefix < self.tails) & ~heads
        for at in np.flatnonzero(undecided).tolist() if undecided.any() else ():
            heads[at] = self.settled(int(prefix[at]), entropy)
        return heads

    def settled(self, prefix: int, entropy: Entropy) -> bool:
        """Finish a coin that 32 bits did not decide: more bits, then exact comparison."""
        bits, digits = 32, 40
        while True:
            prefix, bits = prefix << 64 | int.from_bytes(entropy(8), "big"), bits + 64
            # x / (1 + x) grows with x.
            low, high = (each / (1 + each) for each in exponential_between(self.rate, digits))
            if Fraction(prefix + 1, 2**bits) <= low:
                return True
            if Fraction(prefix, 2**bits) >= high:
                return False
            digits += 20


@lru_cache(maxsize=64)
def _low_bits(rate: Fraction) -> tuple[tuple[_Odds, ...], Fraction]:
    """Return the coins of the low bits, rates below 1, and the rate of the coins above: public, and often asked for."""
    coins = list[_Odds]()
    while rate < 1:
        coins.append(_Odds.of(rate))
        rate *= 2
    return tuple(coins), rate

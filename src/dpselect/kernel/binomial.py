"""The number of n equal coins that show heads: exact binomial numbers, without a coin at a time.

n uniform numbers are compared with p = exp(-x) bit by bit, all at once. Those that agree with p so far are open.
Where p has a 1, an open number with a 0 is below p, heads; where p has a 0, an open number with a 1 is above,
tails. How many open numbers show a 0 is a fair binomial number: the ones among as many random bits. About half
stay open at each bit, so n coins take about 2n random bits and the memory of one block. Proof:
``samplers/group_draws.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import Entropy, exponential_between, flip

Integers = NDArray[np.int64]
# Coins flipped one by one at a time, and bytes of fair bits counted at a time.
_CHUNK, _BLOCK = 2**16, 2**16
# From this many equal coins on, counting is faster than flipping.
_MANY = 2**11
_STEP = 64


def heads(gaps: Integers, counts: Integers, rate: Fraction, entropy: Entropy) -> Integers:
    """Return, for every group, how many of its ``counts`` coins Bernoulli(exp(-gap * rate)) show heads, shape (g,)."""
    shown = np.zeros(gaps.size, dtype=np.int64)
    many = counts >= _MANY
    for group in np.flatnonzero(many).tolist():
        shown[group] = binomial(int(counts[group]), int(gaps[group]) * rate, entropy)
    few = np.flatnonzero(~many)
    ends = counts[few].cumsum()
    for start in range(0, int(ends[-1]) if few.size else 0, _CHUNK):
        first, last = ends.searchsorted([start, min(start + _CHUNK, int(ends[-1])) - 1], side="right")
        here = np.diff(np.clip(ends[first : last + 1], start, start + _CHUNK), prepend=start)
        owners = np.repeat(few[first : last + 1], here)
        np.add.at(shown, owners[flip(gaps[owners], rate, entropy)], 1)
    return shown


def binomial(count: int, exponent: Fraction, entropy: Entropy) -> int:
    """Return how many of ``count`` coins Bernoulli(exp(-exponent)) show heads, exponent >= 0, exactly.

    >>> from dpselect.kernel.bernoulli_exp import new_entropy
    >>> binomial(10**6, Fraction(0), new_entropy()), binomial(10**6, Fraction(10**6), new_entropy())
    (1000000, 0)
    """
    if not exponent:
        return count
    shown, left = 0, count
    for bit in bits(exponent):
        zeros = fair(left, entropy)
        # An open number with a 0 is below p where p has a 1, and stays open where p has a 0.
        shown, left = (shown + zeros, left - zeros) if bit else (shown, zeros)
        if not left:
            break
    return shown


def bits(exponent: Fraction) -> Iterator[int]:
    """Yield the binary digits of exp(-exponent) after the point, for exponent > 0.

    exp of a rational other than 0 is irrational, so the enclosure always comes off the boundary in the end.
    """
    known, digits = 0, 40
    while True:
        low, high = exponential_between(exponent, digits)
        scale = 2 ** (known + _STEP)
        if (block := int(low * scale)) != int(high * scale):
            digits += 20
            continue
        yield from (block >> place & 1 for place in reversed(range(_STEP)))
        known += _STEP
        digits += 20


def fair(count: int, entropy: Entropy) -> int:
    """Return how many of ``count`` fair bits are 1."""
    ones = 0
    while count > 0:
        size = min(count, 8 * _BLOCK)
        drawn = int.from_bytes(entropy((size + 7) // 8), "little")
        # Of the last byte only the bits that were asked for count.
        ones += (drawn & ((1 << size) - 1) if size % 8 else drawn).bit_count()
        count -= size
    return ones

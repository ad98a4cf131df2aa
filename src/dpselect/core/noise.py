"""Exact two-sided geometric noise for released counts: Pr[z] proportional to exp(-epsilon |z| / sensitivity).

It is the difference of two geometric numbers. The low bits of a geometric number are independent coins, the rest is
geometric again with a larger rate: both are made of exact coins, so the noise follows its law exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.core.coins import Entropy, flip

Integers = NDArray[np.int64]
# A geometric number of more bits than this is not drawn: epsilon would be below 2^-40.
_MOST_BITS = 40


def noisy_counts(counts: Integers, epsilon: Fraction, sensitivity: int, stream: Callable[[], Entropy]) -> Integers:
    """Return integers plus independent noise, of the shape of ``counts``.

    Guarantee: epsilon-differential privacy when one neighbour moves the counts by ``sensitivity`` in all.

    Raises:
        ValueError: epsilon / sensitivity is 2^-40 or less.

    >>> from dpselect.core.coins import fresh
    >>> noisy_counts(np.array([10, 20]), Fraction(50), 1, fresh).tolist()
    [10, 20]
    """
    rate = epsilon / sensitivity
    require_rate(rate)
    entropy = stream()
    noise = geometric(counts.size, rate, entropy) - geometric(counts.size, rate, entropy)
    return counts + noise.reshape(counts.shape)


def require_rate(rate: Fraction) -> None:
    """Refuse a rate at which noise would not fit an integer: check it before anything is spent.

    Raises:
        ValueError: it is 2^-40 or less.
    """
    if not rate > Fraction(1, 2**_MOST_BITS):
        raise ValueError(
            "epsilon is too small for counts, as the noise would not fit an integer: pass a larger one, or let fewer "
            "questions share it."
        )


def geometric(count: int, rate: Fraction, entropy: Entropy) -> Integers:
    """Return independent numbers k >= 0 with probability proportional to exp(-rate k), shape (count,)."""
    bits = 0
    while rate * 2**bits < 1:
        bits += 1
    total = np.zeros(count, dtype=np.int64)
    for bit in range(bits):
        total[_odds(count, rate * 2**bit, entropy)] += 2**bit
    # What is above the low bits: how many coins in a row come up heads.
    running, high = np.arange(count), rate * 2**bits
    while running.size:
        running = running[flip(np.ones(running.size, dtype=np.int64), high, entropy)]
        total[running] += 2**bits
    return total


def log_law(values: Integers, rate: Fraction) -> NDArray[np.float64]:
    """Return ln Pr of noise values.

    >>> float(np.exp(log_law(np.arange(-60, 61), Fraction(1))).sum().round(12))
    1.0
    """
    x = float(rate)
    return np.asarray(np.log(np.tanh(x / 2)) - x * np.abs(values))


def _odds(count: int, rate: Fraction, entropy: Entropy) -> NDArray[np.intp]:
    """Return where independent coins Bernoulli(1 / (1 + e^rate)) come up heads.

    A fair coin says tails, or a coin of e^-rate says heads; if neither, begin again.
    """
    heads = np.zeros(count, dtype=bool)
    undecided = np.arange(count)
    while undecided.size:
        fair = np.frombuffer(entropy(undecided.size), dtype=np.uint8) & 1
        undecided = undecided[fair == 1]
        won = flip(np.ones(undecided.size, dtype=np.int64), rate, entropy)
        heads[undecided[won]] = True
        undecided = np.delete(undecided, won)
    return np.flatnonzero(heads)

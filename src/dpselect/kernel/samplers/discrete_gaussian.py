"""Exact discrete Gaussian noise for released sums: Pr[z] proportional to exp(-z^2 / (2 variance)).

A two-sided geometric number is proposed and accepted by one coin, which is exact: so is the law.

References: Canonne, Kamath and Steinke 2020, algorithm 3.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import GUARD, LEAST_EXPONENT, PREFIX, Entropy, settle, words
from dpselect.kernel.bound import require_variance
from dpselect.kernel.samplers.discrete_laplace import geometric

# Proposals that are made at a time, so that they stay in the cache.
_CHUNK = 2**15
# Floating point takes at least this variance: up to it, all but zero are certain tails or undecided coins.
_LEAST_VARIANCE = Fraction(1, 2**500)
Integers = NDArray[np.int64]


def gaussian(count: int, variance: Fraction, entropy: Entropy) -> Integers:
    """Return independent integers z with probability proportional to exp(-z^2 / (2 variance)), shape (count,).

    Args:
        count: how many.
        variance: positive; exact. The numbers have this variance to a part in 10^6 from 1 on, and less below 1.
        entropy: where the bits come from.

    Raises:
        ValueError: the variance is 2^80 or more.

    >>> from dpselect.kernel.bernoulli_exp import new_entropy
    >>> gaussian(2, Fraction(1, 200), new_entropy()).tolist()
    [0, 0]
    """
    require_variance(variance)
    # A power of two above sigma, and at most twice that: the low bits of proposals are then bits of the stream.
    scale = 1 << math.isqrt(int(variance)).bit_length()
    drawn = [np.empty(0, dtype=np.int64)]
    missing = count
    while missing:
        sizes = geometric(min(2 * missing + 16, _CHUNK), Fraction(1, scale), entropy)
        sizes = sizes[_accept(sizes, variance, scale, entropy)]
        negative = (np.frombuffer(entropy(sizes.size), dtype=np.uint8) & 1).astype(np.bool_)
        # Zero has one sign.
        signed = np.where(negative, -sizes, sizes)[~negative | (sizes > 0)][:missing]
        drawn.append(signed)
        missing -= signed.size
    return np.concatenate(drawn)


def _accept(sizes: Integers, variance: Fraction, scale: int, entropy: Entropy) -> NDArray[np.bool_]:
    """Flip one coin Bernoulli(exp(-(size - variance / scale)^2 / (2 variance))) for every size, as
    ``bernoulli_exp.flip``.
    """
    near = max(variance, _LEAST_VARIANCE)
    beside = sizes - float(near / scale)
    exponents = beside * beside / -float(2 * near)
    thresholds = np.exp(np.maximum(exponents, LEAST_EXPONENT)) * (PREFIX * (1 + GUARD))
    prefixes = words(sizes.size, entropy)
    accepted: NDArray[np.bool_] = prefixes + 1.0 <= thresholds * (1 - 3 * GUARD)
    for i in np.flatnonzero(~accepted & (prefixes <= thresholds)).tolist():
        gap, rate = _exponent(int(sizes[i]), variance, scale)
        accepted[i] = settle(gap, rate, int(prefixes[i]), entropy)
    return accepted


def _exponent(size: int, variance: Fraction, scale: int) -> tuple[int, Fraction]:
    """Return the exponent of one coin, exact: an integer, and what it is multiplied by."""
    over, under = variance.numerator, variance.denominator
    return (size * scale * under - over) ** 2, Fraction(1, 2 * over * under * scale**2)

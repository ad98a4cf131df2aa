"""The chance that a name may be revealed, which follows how many persons have it, as an integer over 2^128.

References: Desfontaines, Voss, Gipson and Mandayam 2022, whose optimal chances these are, rounded downwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import exponential_between
from dpselect.kernel.errors import InputError

Integers = NDArray[np.int64]
_BITS = 128
CERTAIN = 2**_BITS
# What e^epsilon is rounded down to, and a limit far beyond use: a smaller factor keeps less.
_FACTOR_BITS = 96


def require_delta(delta: Fraction) -> None:
    """Refuse a delta, that of one name, so small that no chance of the table would be above 0 (``ValueError``)."""
    if delta * CERTAIN < 1:
        raise InputError("delta is too small: for each name that a person may have, it is 2^-128 at least.")


def keep_probabilities(epsilon: Fraction, delta: Fraction) -> Iterator[int]:
    """Yield the chance, over 2^128, that a name of 1, 2, .. persons is kept, up to the first that is certain.

    Args:
        epsilon, delta: of one name; delta is one that :func:`require_delta` takes.

    >>> [round(chance / CERTAIN, 4) for chance in keep_probabilities(Fraction(1), Fraction(1, 10))]
    [0.1, 0.3718, 0.8057, 0.9653, 1.0]
    """
    _, most = exponential_between(epsilon, 60)
    factor = Fraction(min(int(2**_FACTOR_BITS / most), CERTAIN * 2**_FACTOR_BITS), 2**_FACTOR_BITS)
    step, chance = int(delta * CERTAIN), 0
    while chance < CERTAIN:
        up = factor.numerator * chance // factor.denominator + step
        # Of what is not kept, a share of 1 / factor stays so, rounded upwards.
        left = -(-max(CERTAIN - chance - step, 0) * factor.denominator // factor.numerator)
        chance = min(up, CERTAIN - left)
        yield chance


def probabilities_of(persons: Integers, epsilon: Fraction, delta: Fraction) -> list[int]:
    """Return the chance, over 2^128, of each name; what no name has is not kept in memory."""
    sizes, which = np.unique(persons, return_inverse=True)
    wanted, chance = dict.fromkeys(sizes.tolist(), CERTAIN), 0
    wanted[0], most = 0, int(sizes.max(initial=0))
    for size, chance in enumerate(keep_probabilities(epsilon, delta), 1):
        if size > most:
            break
        if size in wanted:
            wanted[size] = chance
    return [wanted[size] for size in sizes[which].tolist()]

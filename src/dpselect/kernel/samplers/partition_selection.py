"""Selection of the names that may be revealed: integers in, one coin for each, a mask out."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import Entropy
from dpselect.kernel.keep_probability import CERTAIN, probabilities_of

Integers = NDArray[np.int64]
_HALF = 2**64


def keys(persons: Integers, epsilon: Fraction, delta: Fraction, entropy: Entropy) -> NDArray[np.bool_]:
    """Return which names are kept, each by a coin of its own, from how many persons have it, shape (n,).

    Args:
        persons: at least 0.
        epsilon, delta: as for :func:`dpselect.kernel.keep_probability.keep_probabilities`.
        entropy: where the bits come from.
    """
    chances = probabilities_of(persons, epsilon, delta)
    high = np.array([min(chance >> 64, _HALF - 1) for chance in chances], dtype=np.uint64)
    low = np.array([chance & (_HALF - 1) for chance in chances], dtype=np.uint64)
    certain = np.array([chance == CERTAIN for chance in chances], dtype=np.bool_)
    drawn = np.frombuffer(entropy(16 * len(chances)), dtype=np.uint64).reshape(-1, 2)
    below = (drawn[:, 0] < high) | ((drawn[:, 0] == high) & (drawn[:, 1] < low))
    return np.asarray(below | certain)

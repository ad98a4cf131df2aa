"""The k largest of ticks plus exponential noise, in order, and how far each lies above the next: one pass.

Exponential noise is a geometric integer plus a fraction that is independent of it. So larger integers come first, and
equal ones in random order: nothing is a float, and nothing is refined. Proof: ``ordered_top_k.md``.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import Entropy, flip
from dpselect.kernel.samplers.discrete_laplace import geometric

Integers = NDArray[np.int64]
# Candidates handled at a time: small enough to stay in cache, large enough to hide the cost of a call.
_CHUNK = 2**15


def ordered_top_k(ticks: Integers, k: int, rate: Fraction, entropy: Entropy) -> tuple[list[int], list[int]]:
    """Return the positions of the k largest of ticks + Exp(rate), in order, and the floors of the gaps below them.

    The gap below a winner is its lead over the next, that below the last its lead over the best loser; without losers
    the last winner has none.
    """
    most = min(k + 1, ticks.size)
    # So many ticks reach the bar, hence so many sums do.
    bar = _largest(ticks, most)
    at, sums = np.empty(0, dtype=np.intp), np.empty(0, dtype=np.int64)
    for start in range(0, ticks.size, _CHUNK):
        part = ticks[start : start + _CHUNK]
        heads = flip(np.maximum(bar - part, 0), rate, entropy)
        # Noise that reaches the bar goes on as if it began there.
        drawn = np.maximum(part[heads], bar) + geometric(heads.size, rate, entropy)
        at, sums = np.concatenate([at, start + heads]), np.concatenate([sums, drawn])
        bar = max(bar, _largest(sums, most)) if sums.size > most else bar
        at, sums = at[sums >= bar], sums[sums >= bar]
    first, gaps = first_of(sums, most, entropy)
    return at[first[:k]].tolist(), gaps


def first_of(sums: Integers, most: int, entropy: Entropy) -> tuple[NDArray[np.intp], list[int]]:
    """Return the positions of the largest of sums plus fractions, in order, and the floors of the gaps between them."""
    while True:
        fractions = np.frombuffer(entropy(8 * sums.size), dtype=np.uint64)
        if np.unique(fractions).size == sums.size:
            break
    first = np.lexsort((fractions, sums))[::-1][:most]
    borrowed = fractions[first[:-1]] < fractions[first[1:]]
    return first, (-np.diff(sums[first]) - borrowed).tolist()


def _largest(values: Integers, most: int) -> int:
    """Return the value that so many reach, at least."""
    return int(values[values.argpartition(values.size - most)[values.size - most]])

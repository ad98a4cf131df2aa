"""Draws among groups of candidates with equal scores: the number in each group stands for its candidates.

The laws are those of the other samplers candidate by candidate, proved in group_draws.md; time and memory follow the
number of groups, not of candidates. Every function takes distinct gaps (how far below the best, in ticks),
how many candidates share each, all at least 1, and the rate.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import GUARD, Entropy, below, exponential_between
from dpselect.kernel.binomial import heads
from dpselect.kernel.units import double

Integers = NDArray[np.int64]
# Gaps, counts, rate and entropy to the position of the winning group.
Draw = Callable[[Integers, Integers, Fraction, Entropy], int]
# All weights of the exponential draw add up to less than 2^63.
_WEIGHT_BITS = 62


def permute_and_flip(gaps: Integers, counts: Integers, rate: Fraction, entropy: Entropy) -> int:
    """Draw the group of a uniform head among all candidates' coins."""
    shown = heads(gaps, counts, rate, entropy).cumsum()
    return int(shown.searchsorted(below(int(shown[-1]), entropy), side="right"))


def exponential(gaps: Integers, counts: Integers, rate: Fraction, entropy: Entropy) -> int:
    """Draw a group with probability proportional to count * exp(-gap * rate).

    A uniform point on a line where group g has an integer length just above 2^s count exp(-gap * rate) is accepted if
    it lies below that number, which needs more than the point's integer part once in a while only.
    """
    lengths, shift = _lengths(gaps, counts, rate)
    ends = lengths.cumsum()
    while True:
        point = below(int(ends[-1]), entropy)
        group = int(ends.searchsorted(point, side="right"))
        place = point - int(ends[group]) + int(lengths[group])
        if under(place, int(counts[group]) << shift, int(gaps[group]) * rate, entropy):
            return group


def _lengths(gaps: Integers, counts: Integers, rate: Fraction) -> tuple[Integers, int]:
    """Return integers above 2^s count exp(-gap * rate), and s."""
    shift = max(0, _WEIGHT_BITS - int(counts.sum()).bit_length())
    weight = np.exp(-np.multiply(gaps, double(rate), dtype=np.float64)) * counts
    # Upwards by far more than the rounding of these operations; what underflows is below the 1 that is added.
    return np.floor(weight * (1 + GUARD) * 2.0**shift).astype(np.int64) + 1, shift


def under(place: int, mass: int | Fraction, exponent: Fraction, entropy: Entropy) -> bool:
    """Tell whether a uniform point in [place, place + 1) lies below mass * exp(-exponent), exactly."""
    bits, digits = 0, 40
    while True:
        low, high = exponential_between(exponent, digits) if exponent else (Fraction(1), Fraction(1))
        if place + 1 <= mass * low * 2**bits:
            return True
        if place >= mass * high * 2**bits:
            return False
        place, bits, digits = place << 64 | int.from_bytes(entropy(8), "big"), bits + 64, digits + 20


def peel(
    ticks: Integers, counts: Integers, k: int, rate: Fraction, draw: Draw, stream: Callable[[], Entropy]
) -> list[tuple[int, int]]:
    """Return k winners, drawn one after the other from those that remain: (group, ordinal in it), all different.

    Args:
        ticks: shape (g,); groups may share a tick.
        counts: candidates in each group, shape (g,), at least 1 each, k in all or more.
        k: how many.
        rate: what one tick is multiplied by.
        draw: the sampler.
        stream: makes the entropy of one draw.
    """
    order = np.argsort(ticks, kind="stable")
    levels, starts = np.unique(ticks[order], return_index=True)
    ends = counts[order].cumsum()
    left = np.add.reduceat(counts[order], starts)
    first = np.concatenate(([0], left.cumsum()[:-1]))
    taken: dict[int, list[int]] = {}
    winners = []
    for _ in range(k):
        entropy, some = stream(), np.flatnonzero(left)
        level = int(some[draw(levels[some[-1]] - levels[some], left[some], rate, entropy)])
        ordinal = below(int(left[level]), entropy)
        # The ordinal counts those that remain: step over the ones that were taken.
        for gone in taken.setdefault(level, []):
            ordinal += gone <= ordinal
        insort(taken[level], ordinal)
        left[level] -= 1
        place = int(first[level]) + ordinal
        position = int(ends.searchsorted(place, side="right"))
        group = int(order[position])
        winners.append((group, place - int(ends[position]) + int(counts[group])))
    return winners

"""Joint top k: one draw among all ordered lists of k candidates, through how many lists fall short by how much.

A list falls short by the most that any of its places does: place i by how far its score is below the i-th best.

References: Gillenwater, Joseph, Muñoz Medina and Ribero 2022.
"""

from __future__ import annotations

import math
from bisect import bisect_right, insort
from fractions import Fraction
from itertools import accumulate
from operator import mul

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import Entropy, below
from dpselect.kernel.samplers.group_draws import under
from dpselect.kernel.units import double

Integers = NDArray[np.int64]
# Lengths of the line that a group is drawn on stay below 2^61; they are too long by a share that costs speed only.
_BITS, _SLACK = 60, 2.0**-20


def joint(ticks: Integers, k: int, rate: Fraction, clip: int, entropy: Entropy) -> list[int]:
    """Draw k different positions, in order, with probability proportional to exp(-rate * min(shortfall, clip)).

    Args:
        ticks: shape (m,).
        k: from 1 to m.
        rate: positive; exact.
        clip: at least 1; public.
        entropy: where the bits come from.
    """
    order = np.argsort(-ticks, kind="stable")
    shortfalls, within = levels(ticks[order], k, clip)
    counts = _differences([math.prod(free(row)) for row in within])
    level = _level(counts, shortfalls, rate, entropy)
    # Before the first level no candidate is left for any place.
    before = within[level - 1] if level else list(range(k))
    return [int(order[place]) for place in _list(before, within[level], entropy)]


def levels(descending: Integers, k: int, clip: int) -> tuple[list[int], list[list[int]]]:
    """Return every shortfall that some list has, in order, and how many candidates each place may then take from.

    Place j may take from those whose score is within the shortfall of the j-th best: nested sets, one in the other.
    """
    rising = -descending
    within = rising.searchsorted(rising[:k] + np.arange(clip)[:, None], side="right")
    # A candidate further behind counts as being behind by the clip.
    within = np.concatenate((within, np.full((1, k), rising.size)))
    new = np.flatnonzero(np.append(True, (np.diff(within, axis=0) != 0).any(axis=1)))
    return new.tolist(), within[new].tolist()


def free(row: list[int]) -> list[int]:
    """Return how many candidates each place may take from, without those of the places before it."""
    return [many - j for j, many in enumerate(row)]


def _differences(totals: list[int]) -> list[int]:
    return [total - before for before, total in zip([0, *totals], totals, strict=False)]


def _level(counts: list[int], shortfalls: list[int], rate: Fraction, entropy: Entropy) -> int:
    """Draw a level with probability proportional to count * exp(-rate * shortfall), counts of any size.

    A uniform point on a line, where each level has an integer length just above its mass, is accepted if it lies below
    that mass.
    """
    logs = np.array([math.log(count) for count in counts]) - np.multiply(shortfalls, double(rate), dtype=np.float64)
    shift = _BITS - math.ceil(logs.max() / math.log(2))
    masses = np.exp(logs + shift * math.log(2)).tolist()
    # What underflows is below the 1 that is added.
    lengths = [int(mass * (1 + _SLACK)) + 1 for mass in masses]
    ends = list(accumulate(lengths))
    while True:
        point = below(ends[-1], entropy)
        level = bisect_right(ends, point)
        place = point - ends[level] + lengths[level]
        # Only the end of an interval needs the exact mass.
        if place + 1 <= int(masses[level] * (1 - _SLACK)):
            return level
        if under(place, counts[level] * Fraction(2) ** shift, shortfalls[level] * rate, entropy):
            return level


def _list(before: list[int], now: list[int], entropy: Entropy) -> list[int]:
    """Draw a uniform list whose shortfall is this level's, as places in descending order.

    It is found by its first place that takes one of the level's new candidates: places before it take from those of the
    level before, places after it from all of this level's.
    """
    k = len(now)
    ahead = [1, *accumulate(free(before), mul)]
    behind = [*accumulate(reversed(free(now)), mul, initial=1)][::-1]
    ways = [ahead[i] * (now[i] - before[i]) * behind[i + 1] for i in range(k)]
    ends = list(accumulate(ways))
    first = bisect_right(ends, below(ends[-1], entropy))
    bounds = [(0, many) for many in before[:first]] + [(before[first], now[first])]
    bounds += [(0, many) for many in now[first + 1 :]]
    used, chosen = list[int](), list[int]()
    for low, high in bounds:
        taken = [place for place in used if low <= place < high]
        place = low + below(high - low - len(taken), entropy)
        # The number counts the places that are free: step over the others, in their order.
        for other in taken:
            place += other <= place
        insort(used, place)
        chosen.append(place)
    return chosen

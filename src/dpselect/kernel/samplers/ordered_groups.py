"""The k largest of ticks plus exponential noise, in order, where each tick stands for a group of candidates.

The law is that of ``ordered``, candidate by candidate. Sums are revealed from the top, part by part, and each part
holds few, of however many candidates: points fall on the line of all of them, and who is hit and passes a coin is in
the part. Time and memory follow the number of groups, and k. Proof: ``ordered_groups.md``.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import GUARD, PREFIX, Entropy, exponential_between, words
from dpselect.kernel.samplers.discrete_laplace import geometric
from dpselect.kernel.samplers.poisson import poisson
from dpselect.kernel.samplers.sum_ranges import FARTHEST, SumRange, reaching
from dpselect.kernel.units import double

Integers = NDArray[np.int64]
# A part may be expected to hold twice the candidates that are needed, and so many more.
_SPARE = 512
# Points are integers of so many bits.
_LINE = 62


def ordered_groups(
    ticks: Integers, counts: Integers, k: int, rate: Fraction, entropy: Entropy
) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the k largest of ticks + Exp(rate), as (group, ordinal in it), and the floors of the gaps below them.

    As ``ordered``, where each tick stands for ``counts`` candidates, at least 1, with noise of their own.
    """
    ends = counts.cumsum()
    most = min(k + 1, int(ends[-1]))
    room = 2 * most + _SPARE
    part = SumRange(_bar(ticks, counts, rate, room))
    names, sums, ranks = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint64)
    while True:
        new = _members(part, ticks, counts, names, rate, entropy)
        at = np.full(new.size, part.bar)
        if part.top:
            # Noise that reaches the bar goes on as if it began there.
            at = np.maximum(at, ticks[ends.searchsorted(new, side="right")]) + geometric(new.size, rate, entropy)
        rank = np.frombuffer(entropy(8 * new.size), dtype=np.uint64) >> np.uint64(part.tail)
        names, sums = np.concatenate([names, new]), np.concatenate([sums, at])
        ranks = np.concatenate([ranks, rank + np.uint64(2**64 - int(part.revealed_share * 2**64))])
        if names.size >= most:
            break
        part = part.below(ticks, counts, rate, room)
    place = _places(ranks, entropy)
    first = np.lexsort((place, sums))[::-1][:most]
    borrowed = place[first[:-1]] < place[first[1:]]
    groups = ends.searchsorted(names[first[:k]], side="right")
    ordinals = names[first[:k]] - ends[groups] + counts[groups]
    return list(zip(groups.tolist(), ordinals.tolist(), strict=True)), (-np.diff(sums[first]) - borrowed).tolist()


def _bar(ticks: Integers, counts: Integers, rate: Fraction, room: int) -> int:
    """Return the least integer that not more than ``room`` sums are expected to reach, the least tick at least."""
    low, total = int(ticks.min()), int(counts.sum())
    if total <= room:
        return low
    high = int(ticks.max()) + math.ceil(math.log(total / room) / double(rate)) + 1
    while high - low > 1:
        middle = (low + high) // 2
        few = reaching(middle, ticks, rate) @ counts <= room
        low, high = (low, middle) if few else (middle, high)
    return high


def _members(
    part: SumRange, ticks: Integers, counts: Integers, taken: Integers, rate: Fraction, entropy: Entropy
) -> Integers:
    """Return who is in a part and was in none above: positions on the line of all candidates, group after group."""
    chance, ends = part.chances(ticks, rate), counts.cumsum()
    # Where most candidates are in, each has a coin; of the others those that are hit by a point.
    dense = chance > 0.5
    mean = -np.log1p(np.where(dense, 0, -chance * (1 + GUARD)))
    halves = (math.ceil(4 * (mean @ counts + 1)) - 1).bit_length()
    bits = _LINE + 1 - halves
    cells = np.where(dense | (chance == 0), 0, np.floor(mean * (1 + GUARD) * 2.0**bits).astype(np.int64) + 1)
    line = (cells * counts).cumsum()
    points = np.frombuffer(entropy(8 * poisson(2**halves, entropy)), dtype=np.uint64) >> np.uint64(64 - _LINE)
    points = points.astype(np.int64)[points < line[-1]]
    at = line.searchsorted(points, side="right")
    hit = ends[at] - 1 - (line[at] - 1 - points) // cells[at]
    everyone = np.arange(int(counts[dense].sum())) + np.repeat(
        (ends - counts)[dense] - counts[dense].cumsum() + counts[dense], counts[dense]
    )
    new = np.setdiff1d(np.concatenate([hit, everyone]), taken)
    group = ends.searchsorted(new, side="right")
    threshold = (chance / np.where(cells, -np.expm1(cells * -(2.0**-bits)), 1))[group] * PREFIX
    prefix, near = words(new.size, entropy), np.maximum(part.bar - ticks[group], 0) * double(rate) < FARTHEST
    heads = near & (prefix + 1.0 <= threshold * (1 - GUARD))
    for i in np.flatnonzero((prefix <= threshold * (1 + GUARD)) & ~heads).tolist():
        mass = Fraction(int(cells[group[i]]), 2**bits)
        heads[i] = _settle(part, int(ticks[group[i]]), rate, mass, int(prefix[i]), entropy)
    return new[heads]


def _settle(part: SumRange, tick: int, rate: Fraction, mass: Fraction, prefix: int, entropy: Entropy) -> bool:
    """Finish the coin of a candidate that was hit, of whose uniform number 32 bits did not decide; mass 0: it was not.

    Its chance is that of being in the part over that of being hit.
    """
    bits, digits = 32, 40
    while True:
        prefix, bits = prefix << 64 | int.from_bytes(entropy(8), "big"), bits + 64
        low, high = part.chance_between(tick, rate, digits)
        missed = exponential_between(mass, digits) if mass else (Fraction(0), Fraction(0))
        if (prefix + 1) * (1 - missed[0]) <= 2**bits * low:
            return True
        if prefix * (1 - missed[1]) >= 2**bits * high:
            return False
        digits += 20


def _places(ranks: NDArray[np.uint64], entropy: Entropy) -> Integers:
    """Return the places of ranks in increasing order; equal ones get further words until all differ."""
    rows = ranks[:, None]
    while np.unique(rows, axis=0).shape[0] < ranks.size:
        rows = np.column_stack([rows, np.frombuffer(entropy(8 * ranks.size), dtype=np.uint64)])
    places = np.empty(ranks.size, dtype=np.int64)
    places[np.lexsort(rows.T[::-1])] = np.arange(ranks.size)
    return places

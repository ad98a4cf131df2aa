"""Several edges between the sub-cells of a grid at once, near public targets: exactly, by a proposal and one coin.

References: Gillenwater, Joseph and Kulesza 2021 (the joint choice, in floating point).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import Entropy, below, exponential_between
from dpselect.kernel.units import double

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
# Added to every weight of an interval.
FLOOR = 2.0**-40
# Proposals are integers of about so many bits; floats are off by less than the slack.
_BITS, _SLACK = 40, Fraction(1, 64)
# Above what underflow may have lost, and below what matters.
_TINY = 2.0**-960


def joint_edges(units: Integers, targets: Sequence[int], rate: Fraction, entropy: Entropy) -> list[int]:
    """Draw edges o_1 <= .. <= o_m with probability proportional to prod_j (exp(-rate |n_j - t_j|) + 2^-40).

    n_j are the units between neighbouring edges, before the first and after the last.

    Args:
        units: shape (edges,), increasing from 0 to at most 2^52; to the left of each edge.
        targets: m + 1 integers from 0 to 2^52, in units.
        rate: positive; exact.
    """
    c, ranks = double(rate), units.astype(np.float64)
    with np.errstate(under="ignore", over="ignore"):
        levels, power = _levels(ranks, targets, c)
        end = levels[-1] * _weights(ranks, ranks[-1], targets[-1], c)
        total = Fraction(float(end.sum())) * Fraction(2) ** power * (1 + _SLACK)
        while True:
            path, chance, here = list[int](), Fraction(1), end
            for level in range(len(levels) - 1, -1, -1):
                ends = _integers(here).cumsum()
                o = int(ends.searchsorted(below(int(ends[-1]), entropy), side="right"))
                path.append(o)
                chance *= Fraction(int(ends[o] - (ends[o - 1] if o else 0)), int(ends[-1]))
                if level:
                    here = levels[level - 1][: o + 1] * _weights(ranks[: o + 1], ranks[o], targets[level], c)
            path.reverse()
            if _coin(_gaps(units, path, targets), rate, chance * total, entropy):
                return path


def _levels(ranks: Floats, targets: Sequence[int], c: float) -> tuple[list[Floats], int]:
    """Return for every place and edge the sum over lists that end there, times powers of two; and that of the last."""
    level, power = _weights(ranks[:1], ranks, targets[0], c), 0
    levels, decays = [level], _Decays.of_ranks(ranks, c)
    for target in targets[1:-1]:
        level = _sums(level, ranks, float(target), c, decays) + FLOOR * level.cumsum()
        shift = int(np.frexp(level.max())[1])
        level, power = np.ldexp(level, -shift) + _TINY, power + shift
        levels.append(level)
    return levels, power


def _weights(low: Floats, high: Floats, target: int, c: float) -> Floats:
    """Return the weight of an interval between two ranks."""
    return np.asarray(np.exp(-c * np.abs(high - low - target)) + FLOOR)


def _integers(weights: Floats) -> Integers:
    """Return positive integers in proportion, but for rounding."""
    return np.asarray(np.ldexp(weights / weights.max(), _BITS).astype(np.int64) + 1)


def _gaps(units: Integers, path: list[int], targets: Sequence[int]) -> Iterator[int]:
    """Return how far each interval is from its target."""
    ends = [0, *(int(units[o]) for o in path), int(units[-1])]
    return (abs(b - a - target) for a, b, target in zip(ends, ends[1:], targets, strict=False))


def _coin(gaps: Iterator[int], rate: Fraction, bound: Fraction, entropy: Entropy) -> bool:
    """Flip one coin: the weight of a list over a bound that it does not exceed, with as many bits as it takes."""
    exponents, prefix, bits, digits, floor = [gap * rate for gap in gaps], 0, 0, 30, Fraction(FLOOR)
    while True:
        prefix, bits = prefix << 64 | int.from_bytes(entropy(8), "big"), bits + 64
        low = high = Fraction(1)
        for exponent in exponents:
            # e^-x < 2^-x: short numbers, as long as no more digits are needed.
            far = exponent > 4 * digits
            least, most = (0, Fraction(1, 2 ** (4 * digits))) if far else exponential_between(exponent, digits)
            low, high = low * (least + floor), high * (most + floor)
        if low > bound:
            raise AssertionError("A weight exceeds what is proved to bound it: this is a defect.")
        if Fraction(prefix + 1, 2**bits) * bound <= low:
            return True
        if Fraction(prefix, 2**bits) * bound >= high:
            return False
        digits += 20


@dataclass(frozen=True, repr=False)
class _Decays:
    """Powers of e between ranks of a block and the other half of it, by the number of its step: alike for all targets.

    Attributes:
        rights: from the last edge of the left half to each of the right one.
        lefts: from each edge of the left half to the first of the right one.
        steps: from the first of the left half to the first of the right one.
        padding: how many edges fill the last block.
    """

    rights: list[Floats]
    lefts: list[Floats]
    steps: list[Floats]
    padding: int

    @classmethod
    def of_ranks(cls, ranks: Floats, c: float) -> _Decays:
        """Return the powers between ranks, at rate c."""
        steps = (ranks.size - 1).bit_length()
        padding = 2**steps - ranks.size
        at = np.append(ranks, np.full(padding, ranks[-1]))
        # Blocks of padding alone hold nothing, and are left out.
        halves = [at.reshape(-1, 2, 2**step)[: -(-ranks.size >> step + 1)] for step in range(steps)]
        return cls(
            [np.exp(-c * (each[:, 1] - each[:, 0, -1:])) for each in halves],
            [np.exp(-c * (each[:, 1, :1] - each[:, 0])) for each in halves],
            [np.exp(-c * (each[:, 1, :1] - each[:, 0, :1])) for each in halves],
            padding,
        )


def _sums(values: Floats, ranks: Floats, target: float, c: float, decays: _Decays) -> Floats:
    """Return for every edge o the sum over o' <= o of value(o') exp(-c |rank(o) - rank(o') - target|).

    Edges further than the target from o decay away from it on the left, those nearer on the right of where they
    meet: both by sums over blocks of twice the length, step by step. Nothing is ever subtracted from a sum.
    """
    o = np.arange(ranks.size)
    meet = ranks - target
    first = np.minimum(ranks.searchsorted(meet, side="right"), o + 1)
    apart = np.frexp((first ^ o).astype(np.float64))[1] - 1
    near, alone = np.zeros(ranks.size), np.flatnonzero(first == o)
    near[alone] = values[alone] * np.exp(-c * np.maximum(ranks[alone] - meet[alone], 0))
    far, heads, tails = (np.append(values, np.zeros(decays.padding)) for _ in range(3))
    for step, (right, left, across_left) in enumerate(zip(decays.rights, decays.lefts, decays.steps, strict=True)):
        # Edges o whose nearer part ends in the right half of the block where it begins in the left one.
        across = np.flatnonzero((apart == step) & (first < o))
        begin, middle = first[across], across >> step << step
        whole = tails[begin] + np.exp(-c * (ranks[middle] - ranks[begin])) * heads[across]
        near[across] = np.exp(-c * (ranks[begin] - meet[across])) * whole
        halves = [each.reshape(-1, 2, 2**step)[: len(right)] for each in (far, heads, tails)]
        halves[0][:, 1] += right * halves[0][:, 0, -1:]
        halves[1][:, 1] = halves[1][:, 0, -1:] + across_left * halves[1][:, 1]
        halves[2][:, 0] += left * halves[2][:, 1, :1]
    beyond = np.maximum(first - 1, 0)
    return near + np.where(first > 0, np.exp(-c * (meet - ranks[beyond])) * far[beyond], 0.0)

"""Exact chances that a choice or a list is off, by definitions that share nothing with the formulas under test.

Noise of an exponential law makes uniform numbers of scores: the value of a candidate of weight w is larger than that of
another exactly where its uniform number on [0, 1/w] is smaller. Then chances are integrals of polynomials.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from math import prod

Weights = Sequence[Fraction]


def flipped(weights: Weights, k: int, bad: set[int]) -> Fraction:
    """Return the chance that a bad one is among the k first by exponential noise."""
    every = range(len(weights))
    return 1 - sum(_first([weights[i] for i in good], [weights[i] for i in every if i not in good])
                   for good in combinations([i for i in every if i not in bad], k))  # fmt: skip


def peeled(weights: Weights, k: int, bad: set[int]) -> Fraction:
    """Return the chance that a bad one is among k that are drawn by weight, one after the other."""
    total, right = sum(weights), Fraction(0)
    for order in permutations([i for i in range(len(weights)) if i not in bad], k):
        taken = [sum((weights[i] for i in order[:j]), Fraction(0)) for j in range(k)]
        right += prod((weights[i] / (total - gone) for i, gone in zip(order, taken, strict=True)), start=Fraction(1))
    return 1 - right


def _first(winners: Weights, others: Weights) -> Fraction:
    """Return the chance that the uniform numbers of all winners lie below those of all others."""
    ends = sorted({Fraction(0), *(1 / w for w in [*winners, *others])})
    last = min([1 / w for w in others], default=ends[-1])
    total = Fraction(0)
    for low, high in pairwise(ends):
        if high > last:
            break
        below, above = [Fraction(1)], [Fraction(1)]
        for w in winners:
            below = _times(below, [Fraction(0), w] if high <= 1 / w else [Fraction(1)])
        for w in others:
            above = _times(above, [Fraction(1), -w])
        slope = [i * each for i, each in enumerate(below)][1:] or [Fraction(0)]
        density = _times(slope, above)
        total += sum(
            (each * (high ** (i + 1) - low ** (i + 1)) / (i + 1) for i, each in enumerate(density)), Fraction(0)
        )
    return total


def _times(one: list[Fraction], other: list[Fraction]) -> list[Fraction]:
    result = [Fraction(0)] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            result[i + j] += a * b
    return result

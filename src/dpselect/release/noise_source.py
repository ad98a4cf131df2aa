"""Sources of noise, which answer prepared questions: coins, or in an audit a script that knows how likely it was."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.ranks import Ranks
from dpselect.kernel.run_count import RunCount
from dpselect.mechanisms.joint_top_k import JointQuestion
from dpselect.mechanisms.sampler import Sampler
from dpselect.mechanisms.smooth.value_noise import ValueNoise
from dpselect.release.partition import IntervalCandidates

Integers = NDArray[np.int64]


class NoisyThreshold(Protocol):
    """A bar at 0 that was raised once, by a secret geometric number."""

    def margin(self, distance: int, rate: Fraction, /) -> int | None:
        """Return how far above the bar an integer plus fresh geometric noise is, or ``None`` where it is below."""
        ...


class NoiseSource(Protocol):
    """Answers to prepared questions: integers, and the exact rate of what is drawn. What is asked was paid for."""

    def winners(self, sampler: Sampler, ticks: Integers, rate: Fraction, k: int, /) -> list[int]:
        """Return the positions of k winners, one after the other, each from those that remain."""
        ...

    def joint(self, asked: JointQuestion, /) -> list[int]:
        """Return the positions of an ordered list, drawn at once by how far it falls short."""
        ...

    def rank(self, ticks: Integers, rate: Fraction, k: int, gaps: bool, /) -> tuple[list[int], list[int]]:
        """Return the positions of the k largest of ticks + Exp(rate), in order, and if asked the floors of their gaps.

        The gap below a winner is its lead over the next, that below the last its lead over the best loser.
        """
        ...

    def rank_groups(
        self, sampler: Sampler, ticks: Integers, counts: Integers, rate: Fraction, k: int, /
    ) -> list[tuple[int, int]]:
        """Return k winners as (group, ordinal in it), where each position stands for that many candidates."""
        ...

    def ordered_groups(
        self, ticks: Integers, counts: Integers, rate: Fraction, k: int, gaps: bool, /
    ) -> tuple[list[tuple[int, int]], list[int]]:
        """Return what ``rank`` does as (group, ordinal in it), where each position stands for many candidates."""
        ...

    def rows(self, ticks: Integers, valid: NDArray[np.bool_], rate: Fraction, /) -> Integers:
        """Return the winner of every row by permute-and-flip, among its valid candidates, shape (rows,)."""
        ...

    def each(self, sampler: Sampler, ticks: Integers, rates: Sequence[Fraction], which: Integers, /) -> Integers:
        """Return one winner for every entry of ``which``: a row of ticks, (questions, m), and its rate."""
        ...

    def noisy(self, counts: Integers, rate: Fraction, /) -> Integers:
        """Return integers plus independent two-sided geometric noise of this rate, of the shape of ``counts``."""
        ...

    def gaussian(self, values: Integers, variance: Fraction, /) -> Integers:
        """Return integers plus independent discrete Gaussian noise of this variance, of the shape of ``values``."""
        ...

    def noisy_number(self, centre: int, scale: Fraction, noise: ValueNoise, /) -> int:
        """Return the nearest integer of one integer plus noise of this scale."""
        ...

    def raised_bar(self, rate: Fraction, /) -> NoisyThreshold:
        """Return a bar that was raised by geometric noise of this rate, once."""
        ...

    def keys(self, persons: Integers, epsilon: Fraction, delta: Fraction, /) -> NDArray[np.bool_]:
        """Return which names are kept, each by itself, from how many persons have it; epsilon and delta of one name."""
        ...

    def partition(self, candidates: IntervalCandidates, costs: Integers, rate: Fraction, /) -> Integers:
        """Return the edges of the partition of least noisy cost."""
        ...

    def edge(self, ranks: Ranks, low: int, high: int, least: Fraction, most: Fraction, rate: Fraction, /) -> int:
        """Return an edge of sub-cells in [low, high], by exp(-rate gap): how far its rank is outside [least, most]."""
        ...

    def joint_edges(self, units: Integers, targets: Sequence[int], rate: Fraction, /) -> list[int]:
        """Return increasing edges, by the product of exp(-rate |units between two - target|) + 2^-40."""
        ...

    def runs(self, law: RunCount, /) -> int:
        """Return a secret number of runs, from 1 to ``law.most``."""
        ...

    def uniform(self, bounds: Integers, /) -> Integers:
        """Return independent uniform integers below the bounds."""
        ...

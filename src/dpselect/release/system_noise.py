"""The source of what is drawn: exact coins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bernoulli_exp import Entropy, new_entropy
from dpselect.kernel.ranks import Ranks
from dpselect.kernel.run_count import RunCount
from dpselect.kernel.samplers import group_draws
from dpselect.kernel.samplers.clipped_flip import clipped_flip
from dpselect.kernel.samplers.discrete_gaussian import gaussian
from dpselect.kernel.samplers.discrete_laplace import noise
from dpselect.kernel.samplers.exponential import exponential
from dpselect.kernel.samplers.gumbel_keys import gumbel_keys
from dpselect.kernel.samplers.halving import edge
from dpselect.kernel.samplers.heavy_tails import heavy_tails, heavy_tails_rows
from dpselect.kernel.samplers.heavy_value import heavy_value
from dpselect.kernel.samplers.joint import joint
from dpselect.kernel.samplers.joint_quantiles import joint_edges
from dpselect.kernel.samplers.laplace import laplace
from dpselect.kernel.samplers.ordered_groups import ordered_groups
from dpselect.kernel.samplers.ordered_top_k import ordered_top_k
from dpselect.kernel.samplers.partition_selection import keys
from dpselect.kernel.samplers.permute_and_flip import permute_and_flip, permute_and_flip_rows, uniform
from dpselect.kernel.samplers.runs import runs
from dpselect.kernel.samplers.threshold import GeometricThreshold
from dpselect.mechanisms.joint_top_k import JointQuestion
from dpselect.mechanisms.sampler import (
    CLIPPED_FLIP,
    CLIPPED_LAPLACE,
    EXPONENTIAL,
    LAPLACE,
    PERMUTE_AND_FLIP,
    Sampler,
)
from dpselect.mechanisms.smooth.value_noise import ValueNoise
from dpselect.release.partition import IntervalCandidates, least_cost

Integers = NDArray[np.int64]
Draw = Callable[[Integers, Fraction, Entropy], int]

_DRAWS: dict[str, Draw] = {
    EXPONENTIAL.name: exponential,
    PERMUTE_AND_FLIP.name: permute_and_flip,
    LAPLACE.name: laplace,
}
_CLIPPED: dict[str, Callable[[Integers, Fraction, Fraction, Entropy], int]] = {
    CLIPPED_FLIP: clipped_flip,
    CLIPPED_LAPLACE: lambda ticks, rate, clip, entropy: laplace(ticks, rate, entropy, clip),
}
_GROUPED = {EXPONENTIAL.name: group_draws.exponential, PERMUTE_AND_FLIP.name: group_draws.permute_and_flip}


class SystemNoise:
    """Outcomes from exact coins, started anew by the operating system for every draw.

    Args:
        stream: makes the random bytes of one draw; for tests.
    """

    def __init__(self, stream: Callable[[], Entropy] = new_entropy) -> None:
        self._stream = stream

    def winners(self, sampler: Sampler, ticks: Integers, rate: Fraction, k: int) -> list[int]:
        """Return the positions of k winners, one after the other, each from those that remain."""
        if k > 1 and sampler.name == EXPONENTIAL.name:
            return gumbel_keys(ticks, k, rate, self._stream())
        chosen = [self._winner(sampler, ticks, rate)]
        if k == 1:
            return chosen
        remaining = np.arange(ticks.size)
        while len(chosen) < k:
            remaining = remaining[remaining != chosen[-1]]
            chosen.append(int(remaining[self._winner(sampler, ticks[remaining], rate)]))
        return chosen

    def _winner(self, sampler: Sampler, ticks: Integers, rate: Fraction) -> int:
        if sampler.tails is not None:
            return heavy_tails(ticks, rate, self._stream(), sampler.tails.gamma, sampler.tails.sides)
        if sampler.clip is not None:
            return _CLIPPED[sampler.name](ticks, rate, sampler.clip(ticks.size), self._stream())
        return _DRAWS[sampler.name](ticks, rate, self._stream())

    def joint(self, asked: JointQuestion) -> list[int]:
        """Return the positions of an ordered list, drawn at once."""
        return joint(asked.ticks, asked.k, asked.rate, asked.clip, self._stream())

    def rank(self, ticks: Integers, rate: Fraction, k: int, gaps: bool) -> tuple[list[int], list[int]]:
        """Return the positions of the k largest of ticks + Exp(rate), in order, and their floored gaps if asked."""
        winners, below = ordered_top_k(ticks, k, rate, self._stream())
        return winners, below if gaps else []

    def rank_groups(
        self, sampler: Sampler, ticks: Integers, counts: Integers, rate: Fraction, k: int
    ) -> list[tuple[int, int]]:
        """Return k winners as (group, ordinal in it)."""
        return group_draws.peel(ticks, counts, k, rate, _GROUPED[sampler.name], self._stream)

    def ordered_groups(
        self, ticks: Integers, counts: Integers, rate: Fraction, k: int, gaps: bool
    ) -> tuple[list[tuple[int, int]], list[int]]:
        """Return the k largest of all candidates' sums as (group, ordinal in it), and their floored gaps if asked."""
        winners, below = ordered_groups(ticks, counts, k, rate, self._stream())
        return winners, below if gaps else []

    def rows(self, ticks: Integers, valid: NDArray[np.bool_], rate: Fraction) -> Integers:
        """Return the winner of every row by permute-and-flip, among its valid candidates."""
        return permute_and_flip_rows(ticks, valid, rate, self._stream())

    def each(self, sampler: Sampler, ticks: Integers, rates: Sequence[Fraction], which: Integers) -> Integers:
        """Return one winner for every entry of ``which``: a row of ticks, and its rate."""
        if sampler.tails is not None:
            tails = sampler.tails
            return heavy_tails_rows(ticks, rates, which, self._stream(), tails.gamma, tails.sides)
        winners = np.empty(which.size, dtype=np.int64)
        if sampler.name != PERMUTE_AND_FLIP.name:
            winners[:] = [self._winner(sampler, ticks[row], rates[row]) for row in which.tolist()]
            return winners
        # One row of coins for each, all of one rate together.
        places = {rate: place for place, rate in enumerate(dict.fromkeys(rates))}
        group = np.array([places[rate] for rate in rates])[which]
        for rate, place in places.items():
            mine = group == place
            rows = ticks[which[mine]]
            winners[mine] = self.rows(rows, np.ones(rows.shape, dtype=np.bool_), rate)
        return winners

    def noisy(self, counts: Integers, rate: Fraction) -> Integers:
        """Return integers plus independent two-sided geometric noise."""
        return counts + noise(counts.size, rate, self._stream()).reshape(counts.shape)

    def gaussian(self, values: Integers, variance: Fraction) -> Integers:
        """Return integers plus independent discrete Gaussian noise."""
        return values + gaussian(values.size, variance, self._stream()).reshape(values.shape)

    def noisy_number(self, centre: int, scale: Fraction, noise: ValueNoise) -> int:
        """Return the nearest integer of one integer plus heavy-tailed noise."""
        return heavy_value(centre, scale, noise.gamma, self._stream())

    def raised_bar(self, rate: Fraction) -> GeometricThreshold:
        """Return a bar whose secret was drawn just now."""
        return GeometricThreshold(rate, self._stream)

    def keys(self, persons: Integers, epsilon: Fraction, delta: Fraction) -> NDArray[np.bool_]:
        """Return which names are kept, each by a coin of its own."""
        return keys(persons, epsilon, delta, self._stream())

    def partition(self, candidates: IntervalCandidates, costs: Integers, rate: Fraction) -> Integers:
        """Return the edges of the partition of least noisy cost; the noise itself goes nowhere."""
        return least_cost(candidates, self.noisy(costs, rate))

    def edge(self, ranks: Ranks, low: int, high: int, least: Fraction, most: Fraction, rate: Fraction) -> int:
        """Return an edge of sub-cells near a rank."""
        return edge(ranks, low, high, least, most, rate, self._stream())

    def joint_edges(self, units: Integers, targets: Sequence[int], rate: Fraction) -> list[int]:
        """Return several edges of sub-cells, drawn at once."""
        return joint_edges(units, targets, rate, self._stream())

    def runs(self, law: RunCount) -> int:
        """Return how many runs there are; secret."""
        return runs(law.gamma, law.eta, law.most, self._stream())

    def uniform(self, bounds: Integers) -> Integers:
        """Return independent uniform integers below the bounds."""
        return uniform(bounds, self._stream())

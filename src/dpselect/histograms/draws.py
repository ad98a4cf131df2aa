"""The only randomness of histograms: private draws, made from exact coins. An audit replays them instead."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dpselect.histograms.counts import Integers
from dpselect.histograms.partition import Candidates, least_cost
from dpselect.kernel.coins import Entropy, fresh
from dpselect.kernel.samplers.discrete_laplace import noisy_counts
from dpselect.mechanisms.mechanism import Mechanism
from dpselect.scores.scores import Scores


class Draws:
    """Draws of a release: fresh cryptographic randomness for every call."""

    stream: Callable[[], Entropy] = staticmethod(fresh)

    def noisy(self, counts: Integers, epsilon: Fraction, sensitivity: int) -> Integers:
        """Return integers plus noise; one record moves them by ``sensitivity`` in all."""
        return noisy_counts(counts, epsilon, sensitivity, self.stream)

    def choose(self, scores: Scores, epsilon: Fraction, mechanism: Mechanism) -> int:
        """Return the position of the winner of one selection."""
        return mechanism.sampler.draw(*mechanism.prepared(scores, epsilon), self.stream())

    def partition(self, candidates: Candidates, costs: Integers, epsilon: Fraction, sensitivity: int) -> Integers:
        """Return the buckets of least noisy cost; one record moves the cost of any interval by ``sensitivity``.

        Two of them: the interval that is kept may rise while the one it is compared with falls.
        """
        return least_cost(candidates, noisy_counts(costs, epsilon, 2 * sensitivity, self.stream))

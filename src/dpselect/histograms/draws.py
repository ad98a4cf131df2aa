"""The only randomness of histograms: private draws, made from exact coins. An audit replays them instead."""

from __future__ import annotations

from fractions import Fraction

from dpselect.histograms.counts import Integers
from dpselect.mechanisms.kinds import Mechanism
from dpselect.release.outcomes import Coins
from dpselect.release.partition import Candidates
from dpselect.release.protocol import Outcomes
from dpselect.scores.scores import Scores


class Draws:
    """Draws of a release: fresh cryptographic randomness for every call."""

    coins: Outcomes = Coins()

    def noisy(self, counts: Integers, epsilon: Fraction, sensitivity: int) -> Integers:
        """Return integers plus noise; one record moves them by ``sensitivity`` in all."""
        return self.coins.noisy(counts, epsilon / sensitivity)

    def choose(self, scores: Scores, epsilon: Fraction, mechanism: Mechanism) -> int:
        """Return the position of the winner of one selection."""
        ticks, rate = mechanism.prepared(scores, epsilon)
        return self.coins.winners(mechanism.sampler, ticks, rate, 1)[0]

    def partition(self, candidates: Candidates, costs: Integers, epsilon: Fraction, sensitivity: int) -> Integers:
        """Return the buckets of least noisy cost; one record moves the cost of any interval by ``sensitivity``.

        Two of them: the interval that is kept may rise while the one it is compared with falls.
        """
        return self.coins.partition(candidates, costs, epsilon / (2 * sensitivity))

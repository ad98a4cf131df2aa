"""The only randomness of trees: private draws, made from exact coins. An audit replays them instead."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.units import floor_ticks
from dpselect.mechanisms.kinds import Mechanism
from dpselect.release.outcomes import Coins
from dpselect.release.protocol import Outcomes
from dpselect.scores.scores import Scores

Integers = NDArray[np.int64]


class Draws:
    """Draws of a release: fresh cryptographic randomness for every call."""

    coins: Outcomes = Coins()

    def noisy(self, counts: Integers, epsilon: Fraction) -> Integers:
        """Return counts plus noise; one record moves them by 1 in all."""
        return self.coins.noisy(counts, epsilon)

    def choose(self, scores: Scores, epsilon: Fraction, mechanism: Mechanism) -> int:
        """Return the position of the winner of one selection."""
        return self.several(scores, 1, epsilon, mechanism)[0]

    def several(self, scores: Scores, many: int, epsilon: Fraction, mechanism: Mechanism) -> list[int]:
        """Return the positions of several winners, drawn one after the other at epsilon / many each."""
        ticks, rate = mechanism.prepared(scores, epsilon / many)
        return self.coins.winners(mechanism.sampler, ticks, rate, many)

    def choose_rows(
        self, values: NDArray[np.float64] | Integers, valid: NDArray[np.bool_], sensitivity: int, epsilon: Fraction
    ) -> Integers:
        """Return the winner of every row by permute-and-flip at range bound 1, among its valid candidates."""
        ticks, rate = row_ticks(values, sensitivity, epsilon)
        return self.coins.rows(ticks, valid, rate)

    def below(self, bounds: Integers) -> Integers:
        """Return independent uniform integers below the bounds: public randomness, and chunks of records."""
        return self.coins.uniform(bounds)


def row_ticks(values: NDArray[np.float64] | Integers, sensitivity: int, epsilon: Fraction) -> tuple[Integers, Fraction]:
    """Return ticks of rows of monotone scores and what a tick is multiplied by; integers are exact."""
    if values.dtype.kind == "i":
        return values.astype(np.int64), epsilon / sensitivity
    unit = floor_ticks(values.ravel() / sensitivity, range_bound=1)
    return unit.ticks.reshape(values.shape), unit.rate(epsilon)

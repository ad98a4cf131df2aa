"""The only randomness of trees: private draws, made from exact coins. An audit replays them instead."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.coins import Entropy, fresh
from dpselect.kernel.samplers.discrete_laplace import noisy_counts
from dpselect.kernel.samplers.permute_and_flip import permute_and_flip_rows, uniform
from dpselect.kernel.units import floor_ticks
from dpselect.mechanisms.mechanism import Mechanism
from dpselect.release.select import peel
from dpselect.scores.scores import Scores

Integers = NDArray[np.int64]


class Draws:
    """Draws of a release: fresh cryptographic randomness for every call."""

    stream: Callable[[], Entropy] = staticmethod(fresh)

    def noisy(self, counts: Integers, epsilon: Fraction) -> Integers:
        """Return counts plus noise; one record moves them by 1 in all."""
        return noisy_counts(counts, epsilon, 1, self.stream)

    def choose(self, scores: Scores, epsilon: Fraction, mechanism: Mechanism) -> int:
        """Return the position of the winner of one selection."""
        return mechanism.sampler.draw(*mechanism.prepared(scores, epsilon), self.stream())

    def several(self, scores: Scores, many: int, epsilon: Fraction, mechanism: Mechanism) -> list[int]:
        """Return the positions of several winners, drawn one after the other at epsilon / many each."""
        ticks, rate = mechanism.prepared(scores, epsilon / many)
        return peel(ticks, many, rate, mechanism.sampler, self.stream)

    def choose_rows(
        self, values: NDArray[np.float64] | Integers, valid: NDArray[np.bool_], sensitivity: int, epsilon: Fraction
    ) -> Integers:
        """Return the winner of every row by permute-and-flip at range bound 1, among its valid candidates."""
        ticks, rate = row_ticks(values, sensitivity, epsilon)
        return permute_and_flip_rows(ticks, valid, rate, self.stream())

    def below(self, bounds: Integers) -> Integers:
        """Return independent uniform integers below the bounds: public randomness, and chunks of records."""
        return uniform(bounds, self.stream())


def row_ticks(values: NDArray[np.float64] | Integers, sensitivity: int, epsilon: Fraction) -> tuple[Integers, Fraction]:
    """Return ticks of rows of monotone scores and what a tick is multiplied by; integers are exact."""
    if values.dtype.kind == "i":
        return values.astype(np.int64), epsilon / sensitivity
    unit = floor_ticks(values.ravel() / sensitivity, range_bound=1)
    return unit.ticks.reshape(values.shape), unit.rate(epsilon)

"""The error of a released number, whatever the data: by the largest noise that a public ceiling allows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpselect.kernel.numbers import Epsilon
from dpselect.mechanisms.error_bound import PROBABILITY, ErrorBound, exact_chance, with_chance
from dpselect.mechanisms.smooth.value_noise import ValueNoise
from dpselect.mechanisms.worst_case import rounded_up

# Above what floats lose of a quantile.
_ROUNDING = Fraction(1_000_001, 1_000_000)


@dataclass(frozen=True)
class NumberBound(ErrorBound):
    """A bound on the error of a released number.

    Attributes:
        noise: what is added.
        scale: of the noise at most, in ticks.
        tick: how fine the answer is.
    """

    noise: ValueNoise
    scale: Fraction
    tick: Fraction

    def at(self, probability: Epsilon = PROBABILITY) -> float:
        """Return how far off the number is at most with this probability, rounded up.

        Raises:
            ValueError, TypeError: the probability is not between 0 and 1.
        """
        chance = float(exact_chance(probability))
        # The number and the answer are each rounded by half a tick at most.
        return rounded_up((self.scale * Fraction(self.noise.within(chance)) * _ROUNDING + 1) * self.tick)

    def _sentence(self, probability: Epsilon, unit: str) -> str:
        return f"within {self.at(probability):g}{unit and ' '}{unit} of the true number {with_chance(probability)}"

"""How far off a released number may be, whatever the data: by the largest noise that a public ceiling allows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpselect.kernel.numbers import Epsilon, exact_positive
from dpselect.mechanisms.smooth.value_noise import ValueNoise
from dpselect.mechanisms.stated_error import PROBABILITY
from dpselect.mechanisms.worst_case import rounded_up

# Above what floats lose of a quantile.
_ROUNDING = Fraction(1_000_001, 1_000_000)


@dataclass(frozen=True)
class NumberError:
    """How far a released number may lie from the true one.

    Attributes:
        noise: what is added.
        scale: of the noise at most, in ticks.
        tick: how fine the answer is.
    """

    noise: ValueNoise
    scale: Fraction
    tick: Fraction

    @property
    def names(self) -> None:
        """Return ``None``: a number is not chosen among candidates."""
        return

    def below(self, probability: Epsilon = PROBABILITY) -> float:
        """Return how far off the number is at most with this probability, rounded up.

        Raises:
            ValueError, TypeError: the probability is not between 0 and 1.
        """
        chance = exact_positive(probability, "probability")
        if chance >= 1:
            raise ValueError("probability must be below 1: how likely the error is to stay below, such as 0.95.")
        # The number and the answer are each rounded by half a tick at most.
        return rounded_up((self.scale * Fraction(self.noise.within(float(chance))) * _ROUNDING + 1) * self.tick)

    def sentence(self, probability: Epsilon = PROBABILITY, unit: str = "") -> str:
        """Return what :meth:`below` says, in words."""
        share = f"with probability {float(exact_positive(probability, 'probability')):g}, whatever the data"
        return f"within {self.below(probability):g}{unit and ' '}{unit} of the true number {share}"

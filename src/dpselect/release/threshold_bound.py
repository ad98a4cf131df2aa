"""The error of the answers of a stream, whatever the data: from public rules alone, and rounded safely.

Proof: ``threshold_bound.md``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from dpselect.kernel.bernoulli_exp import exponential_between
from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon, whole
from dpselect.mechanisms.error_bound import PROBABILITY, ErrorBound, NoBound, exact_chance, with_chance
from dpselect.mechanisms.worst_case import rounded_up
from dpselect.release.threshold_rules import Level, ThresholdRules

_DIGITS = 40


@dataclass(frozen=True)
class ThresholdBound(ErrorBound):
    """A bound on the distance from the threshold beyond which answers of a stream are right, in units of values.

    With the probability and whatever the data: no question whose value is at least ``above`` over the threshold is
    answered below while the stream lasts, and none of the first ``questions`` questions whose value is at least
    ``below`` under it is answered above. Of values in between nothing is said. Both figures are exact.

    Attributes:
        rules: of the stream.
        questions: how many are counted.
    """

    rules: ThresholdRules
    questions: int

    def __post_init__(self) -> None:
        whole(self.questions, "questions", "how many questions are counted")

    def above(self, probability: Epsilon = PROBABILITY) -> int | Fraction:
        """Return from how far over the threshold on no value is answered below.

        Raises:
            TypeError, ValueError: the probability is not between 0 and 1, or noise so large that values that far away
                are clipped.
        """
        # A wrong answer below needs a threshold that is raised by one more.
        ticks = _least(lambda x: _most(self.rules.rate * (x + 1)), _half(probability), 0, self.rules.most)
        return self.rules.in_units(ticks)

    def below(self, probability: Epsilon = PROBABILITY) -> int | Fraction:
        """Return from how far under the threshold on none of so many values is answered above.

        Raises:
            TypeError, ValueError: as :meth:`above`.
        """
        levels, raised = self.rules.levels, [_mean_power(self.rules.rate, level.rate) for level in self.rules.levels]
        ticks = _least(lambda y: self.questions * _passing(levels, raised, y), _half(probability), 1, self.rules.most)
        return self.rules.in_units(ticks)

    def at(self, probability: Epsilon = PROBABILITY) -> float:
        """Return from what distance to the threshold on all answers are right with this probability; rounded up.

        Raises:
            TypeError, ValueError: as :meth:`above`.
        """
        return rounded_up(Fraction(max(self.above(probability), self.below(probability))))

    def _sentence(self, probability: Epsilon, unit: str) -> str:  # noqa: ARG002
        return (
            f"{with_chance(probability)}: no value {_up(self.above(probability))} or more over the threshold is "
            f"answered below, and none of {self.questions} values {_up(self.below(probability))} or more under it is "
            "answered above"
        )


def error_bound_of_stream(rules: ThresholdRules, questions: int) -> ErrorBound:
    """Return how far from the threshold answers are right, or why nothing can be said.

    Raises:
        TypeError, ValueError: not such a number of questions.
    """
    bound = ThresholdBound(rules, questions)
    try:
        bound.at()
    except ValueError:
        return NoBound("at this epsilon the noise is larger than all values")
    return bound


def _half(probability: Epsilon) -> Fraction:
    """Return half of the chance that a statement fails, for either kind of error."""
    return (1 - exact_chance(probability)) / 2


def _passing(levels: tuple[Level, ...], raised: list[Fraction], short: int) -> Fraction:
    """Return a bound on the probability that a value so many ticks under the threshold reaches some level."""
    pairs = zip(levels, raised, strict=True)
    return sum((_most(level.rate * (short + level.margin)) * mean for level, mean in pairs), Fraction(0))


def _mean_power(rate: Fraction, other: Fraction) -> Fraction:
    """Return at least the mean of exp(-other R), R geometric of ``rate``: (1 - q) / (1 - q exp(-other))."""
    low, high = exponential_between(rate, _DIGITS)
    return min(Fraction(1), (1 - low) / (1 - high * _most(other)))


def _most(exponent: Fraction) -> Fraction:
    """Return at least exp(-exponent)."""
    return exponential_between(exponent, _DIGITS)[1] if exponent else Fraction(1)


def _least(bound: Callable[[int], Fraction], most: Fraction, start: int, beyond: int) -> int:
    """Return the least integer from ``start`` on at which a falling bound is small enough."""
    step = 1
    while bound(start + step) > most and start + step <= beyond:
        step *= 2
    low, high = start - 1, start + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if bound(middle) <= most else (middle, high)
    if high > beyond:
        raise InputError("epsilon is too small for a statement about errors: the noise is larger than all values.")
    return high


def _up(number: int | Fraction) -> str:
    """Return a number as text of six digits, rounded up."""
    if isinstance(number, int):
        return str(number)
    places = 5 - math.floor(math.log10(number)) if number else 0
    scale = Fraction(10) ** places
    return f"{float(math.ceil(number * scale) / scale):.6g}"

"""How far off the answers of a stream may be, whatever the data: from public rules alone, and rounded safely.

Proof: ``threshold_error.md``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from dpselect.kernel.coins import exponential_between
from dpselect.kernel.numbers import Epsilon, whole
from dpselect.mechanisms.stated_error import PROBABILITY, StatedError, exact_chance, with_chance
from dpselect.mechanisms.worst_case import rounded_up
from dpselect.release.threshold_rules import Level, ThresholdRules

_DIGITS = 40


@dataclass(frozen=True)
class ThresholdError:
    """How far from the threshold answers are right, in the units of values.

    With the probability and whatever the data: no question whose value is at least ``above`` over the threshold is
    answered below while the stream lasts, and none of the first ``questions`` questions whose value is at least
    ``below`` under it is answered above.

    Attributes:
        above, below: exact; of questions in between nothing is said.
        questions: how many are counted.
        probability: that both hold.
    """

    above: int | Fraction
    below: int | Fraction
    questions: int
    probability: Fraction

    def __str__(self) -> str:
        return (
            f"{with_chance(self.probability)}: no value {_up(self.above)} or more over the threshold is answered "
            f"below, and none of {self.questions} values {_up(self.below)} or more under it is answered above"
        )


@dataclass(frozen=True)
class StreamError(StatedError):
    """How far from the threshold the answers of one stream are right, at any probability.

    Attributes:
        rules: of the stream.
        questions: how many are counted.
    """

    rules: ThresholdRules
    questions: int

    def below(self, probability: Epsilon = PROBABILITY) -> float:
        """Return from what distance to the threshold on all answers are right with this probability; rounded up.

        Raises:
            TypeError, ValueError: as :func:`error_of`.
        """
        error = error_of(self.rules, self.questions, probability)
        return rounded_up(Fraction(max(error.above, error.below)))

    def sentence(self, probability: Epsilon = PROBABILITY, unit: str = "") -> str:  # noqa: ARG002
        """Return what is known of either kind of error, in words."""
        return str(error_of(self.rules, self.questions, probability))


def error_of(rules: ThresholdRules, questions: int, probability: Epsilon) -> ThresholdError:
    """Return the statement for so many questions.

    Raises:
        TypeError, ValueError: not such a number, a probability of 1 or more, or noise so large that values that far
            away are clipped.
    """
    many = whole(questions, "questions", "how many questions are counted")
    chance = exact_chance(probability)
    each = (1 - chance) / 2
    # A wrong answer below needs a threshold that is raised by one more.
    above = _least(lambda x: _most(rules.rate * (x + 1)), each, 0, rules.most)
    raised = [_mean_power(rules.rate, level.rate) for level in rules.levels]
    below = _least(lambda y: many * _passing(rules.levels, raised, y), each, 1, rules.most)
    return ThresholdError(rules.in_units(above), rules.in_units(below), many, chance)


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
        raise ValueError("epsilon is too small for a statement about errors: the noise is larger than all values.")
    return high


def _up(number: int | Fraction) -> str:
    """Return a number as text of six digits, rounded up."""
    if isinstance(number, int):
        return str(number)
    places = 5 - math.floor(math.log10(number)) if number else 0
    scale = Fraction(10) ** places
    return f"{float(math.ceil(number * scale) / scale):.6g}"

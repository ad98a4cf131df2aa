"""From how many persons on a name of no public list is revealed, whatever the data: by the public law of its coin."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpselect.kernel.keep_probability import CERTAIN, keep_probabilities
from dpselect.kernel.numbers import Epsilon
from dpselect.mechanisms.error_bound import PROBABILITY, ErrorBound, exact_chance, with_chance

# Beyond so many persons the number is not looked for.
_MOST = 10**5


@dataclass(frozen=True)
class MissedNamesBound(ErrorBound):
    """A bound on the persons of a name that is missed: the error of a release of names.

    Persons count who kept the name: of whoever has more names than count, coins keep some.

    Attributes:
        epsilon, delta: of one name, after a person's names have shared the budget.
    """

    epsilon: Fraction
    delta: Fraction

    def at(self, probability: Epsilon = PROBABILITY) -> float:
        """Return from how many persons on a name is revealed with at least this probability; infinite beyond 10^5.

        Raises:
            ValueError, TypeError: the probability is not between 0 and 1.
        """
        chance = exact_chance(probability, "a name is to be revealed")
        chances = keep_probabilities(self.epsilon, self.delta)
        for persons, revealed in zip(range(1, _MOST + 1), chances, strict=False):
            if revealed >= chance * CERTAIN:
                return persons
        return float("inf")

    def _sentence(self, probability: Epsilon, unit: str) -> str:
        persons = f"{self.at(probability):g} {unit or 'persons'}"
        return f"a name that {persons} kept, or more, is revealed {with_chance(probability)}"

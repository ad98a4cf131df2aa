"""From how many persons on a name of no public list is revealed, whatever the data: by the public law of its coin."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpselect.kernel.keep_chances import CERTAIN, keep_chances
from dpselect.kernel.numbers import Epsilon, exact_positive
from dpselect.mechanisms.stated_error import PROBABILITY

# Beyond so many persons the number is not looked for.
_MOST = 10**5


@dataclass(frozen=True)
class MissedNames:
    """How many persons a name may have and still be missed: the error of a release of names.

    Persons count who kept the name: of whoever has more names than count, coins keep some.

    Attributes:
        epsilon, delta: of one name, after a person's names have shared the budget.
    """

    epsilon: Fraction
    delta: Fraction

    @property
    def names(self) -> None:
        """Return ``None``: there is no public list of candidates."""
        return

    def below(self, probability: Epsilon = PROBABILITY) -> float:
        """Return from how many persons on a name is revealed with at least this probability; infinite beyond 10^5.

        Raises:
            ValueError, TypeError: the probability is not between 0 and 1.
        """
        chance = exact_positive(probability, "probability")
        if chance >= 1:
            raise ValueError("probability must be below 1: how likely a name is to be revealed, such as 0.95.")
        chances = keep_chances(self.epsilon, self.delta)
        for persons, revealed in zip(range(1, _MOST + 1), chances, strict=False):
            if revealed >= chance * CERTAIN:
                return persons
        return float("inf")

    def sentence(self, probability: Epsilon = PROBABILITY, unit: str = "") -> str:
        """Return what :meth:`below` says, in words."""
        share = f"with probability {float(exact_positive(probability, 'probability')):g}, whatever the data"
        return f"a name that {self.below(probability):g} {unit or 'persons'} kept, or more, is revealed {share}"

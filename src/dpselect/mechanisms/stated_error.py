"""What a release says of its error: a figure that follows from public facts, or in one sentence why there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

from dpselect.kernel.numbers import Epsilon, exact_positive
from dpselect.mechanisms.kinds import Mechanism, UnitMechanism
from dpselect.mechanisms.scaling import scale
from dpselect.scores.scores import Scores

PROBABILITY = 0.95
# How a line begins that has no figure.
NONE = "no bound on the error"


@runtime_checkable
class StatedError(Protocol):
    """How wrong one release may be, whatever the data: a function of public facts alone."""

    @property
    def names(self) -> int | None:
        """Return among how many public candidates was chosen; ``None`` where nothing was chosen."""
        return None

    def below(self, probability: Epsilon = PROBABILITY) -> float:
        """Return what the error stays below with this probability, rounded up; infinite where nothing can be said."""
        ...

    def sentence(self, probability: Epsilon = PROBABILITY, unit: str = "") -> str:
        """Return what :meth:`below` says, in words."""
        ...


def exact_chance(probability: Epsilon, of: str = "the error is to stay below") -> Fraction:
    """Return the probability of a statement as it is written.

    Args:
        of: what it is the probability of, for whoever passes another number.

    Raises:
        ValueError, TypeError: the probability is not between 0 and 1.
    """
    chance = exact_positive(probability, "probability")
    if chance >= 1:
        raise ValueError(f"probability must be below 1: how likely {of}, such as 0.95.")
    return chance


def with_chance(probability: Epsilon) -> str:
    """Return the words of every statement that holds with a probability.

    >>> with_chance(0.95)
    'with probability 0.95, whatever the data'
    """
    return f"with probability {float(exact_positive(probability, 'probability')):g}, whatever the data"


@dataclass(frozen=True)
class Accuracy:
    """What one release says of its error.

    Attributes:
        worst: a figure, or ``None``.
        why: where there is no figure, why not.
        unit: of the error, in words; "" where nobody knows.
        scope: what the figure is of, where that is not the whole release.
        rows_per_person: how many rows of each person count, the first ones; ``None`` where all do.
    """

    worst: StatedError | None
    why: str = "no exact worst case is known for what drew it"
    unit: str = ""
    scope: str = ""
    rows_per_person: int | None = None

    def known(self, mechanism: str) -> StatedError:
        """Return the figure, or say why there is none (``ValueError``)."""
        if self.worst is None:
            raise ValueError(
                f"No exact worst case is known for {mechanism} as it was used here: {self.why}. Ask public data that "
                "is like yours."
            )
        return self.worst

    def line(self, unit: str = "", scope: str = "") -> str:
        """Return one line: the figure with 95 %, or why there is none.

        Args:
            unit, scope: instead of what is known here.
        """
        if self.worst is None:
            return f"{NONE}: {self.why}"
        return (scope or self.scope) + self.worst.sentence(PROBABILITY, unit or self.unit)

    def facts(self, unit: str = "") -> dict[str, Any] | None:
        """Return the figure for programs; ``None`` where there is none."""
        if self.worst is None:
            return None
        least = self.worst.below(PROBABILITY)
        return {
            "probability": PROBABILITY,
            "error_below": None if math.isinf(least) else least,
            "unit": unit or self.unit or None,
            "candidates": self.worst.names,
        }


UNKNOWN = Accuracy(None)


def why_unknown(scores: Scores | None, k: int, mechanism: Mechanism) -> str:
    """Return in words why no exact worst case of such a release is known, from public facts of the scores alone."""
    if scores is None:
        return "candidates with sensitivities of their own have none"
    if math.isinf(scores.sensitivity.ceiling):
        return "no public number bounds how far a record moves a score"
    name = mechanism.name
    if not isinstance(mechanism, UnitMechanism):
        return f"the noise of {name} follows the data; permute-and-flip has a bound where one constant sensitivity does"
    if mechanism.effective is not scale:
        return (
            f"{name} weighs scores by sensitivities that differ between databases, so what it loses depends on the "
            "data; permute-and-flip has a bound"
        )
    if k > 1:
        return f"no exact worst case is known for lists that {name} peels; drawn in one pass (one-shot) they have one"
    return f"no exact worst case is known for {name}; permute-and-flip and exponential have one"

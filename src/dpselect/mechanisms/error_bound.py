"""A bound on the error of a release, which follows from public facts; or in one sentence why there is none."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NoReturn

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon, exact_positive
from dpselect.mechanisms.base import Mechanism, UnitMechanism
from dpselect.mechanisms.scaling import scale
from dpselect.scores.scores import Scores

PROBABILITY = 0.95
# How a line begins that has no figure.
NONE = "no bound on the error"


@dataclass(frozen=True)
class ErrorBound(ABC):
    """A bound on the error of one release, whatever the data: a function of public facts alone.

    Two bounds are equal if they are the same function.

    Attributes:
        unit: of the error, in words; "" where nobody knows.
        scope: what the error is of, where that is not the whole release.
        rows_per_person: how many rows of each person count, the first ones; ``None`` where all do.

    Limits: A release bounds its error, or says why it cannot. The bound is a worst case over all tables, so the usual
    error is smaller; it may exceed what is possible in your table, such as more neighbours than there are nodes. A dry
    run refuses what the release would refuse. Its plan depends on no row; the line on the error stream that says how
    many cells are not understood does, and is for the curator alone.
    """

    unit: str = field(default="", compare=False, kw_only=True)
    scope: str = field(default="", compare=False, kw_only=True)
    rows_per_person: int | None = field(default=None, compare=False, kw_only=True)

    @property
    def names(self) -> int | None:
        """Return among how many public candidates was chosen; ``None`` where nothing was chosen."""
        return None

    @abstractmethod
    def at(self, probability: Epsilon = PROBABILITY) -> float:
        """Return what the error stays below with this probability, rounded up; infinite where nothing can be said.

        Raises:
            ValueError, TypeError: the probability is not between 0 and 1; no bound is known.
        """

    @abstractmethod
    def _sentence(self, probability: Epsilon, unit: str) -> str:
        """Return what :meth:`at` says, in words."""

    def describe(self, unit: str = "", probability: Epsilon = PROBABILITY) -> str:
        """Return in one line what :meth:`at` says, or why nothing can be said.

        It follows from public facts alone, so it says nothing about the data and may be published.

        Args:
            unit: what a score counts, such as ``"votes"``, instead of what is known here.
            probability: how likely the statement is to hold.

        >>> import dpselect as dps
        >>> votes = dps.Scores([520, 480, 30], sensitivity=1, range_bound=1, kind="integer")
        >>> dps.select(votes, epsilon=1, mechanism="permute-and-flip").error_bound.describe("votes")
        'less than 3 votes behind the best with probability 0.95, whatever the data'
        """
        return self.scope + self._sentence(probability, unit or self.unit)

    def facts(self, unit: str = "") -> dict[str, Any] | None:
        """Return the figure for programs; ``None`` where there is none."""
        least = self.at(PROBABILITY)
        return {
            "probability": PROBABILITY,
            "error_below": None if math.isinf(least) else least,
            "unit": unit or self.unit or None,
            "candidates": self.names,
        }


@dataclass(frozen=True)
class NoBound(ErrorBound):
    """The absence of a bound: no public facts say how wrong the release may be.

    Attributes:
        reason: why not, in words.
    """

    reason: str = "no exact worst case is known for what drew it"

    def at(self, probability: Epsilon = PROBABILITY) -> NoReturn:  # noqa: ARG002
        """Raise ``ValueError`` with the reason."""
        raise InputError(f"No bound on the error is known: {self.reason}. Ask public data that is like yours.")

    def _sentence(self, probability: Epsilon, unit: str) -> str:  # noqa: ARG002
        return f"{NONE}: {self.reason}"

    def describe(self, unit: str = "", probability: Epsilon = PROBABILITY) -> str:
        """Return in one line why there is no bound."""
        return self._sentence(probability, unit)

    def facts(self, unit: str = "") -> None:  # noqa: ARG002
        """Return ``None``."""
        return


def exact_chance(probability: Epsilon, of: str = "the error is to stay below") -> Fraction:
    """Return the probability of a statement as it is written.

    Args:
        of: what it is the probability of, for whoever passes another number.

    Raises:
        ValueError, TypeError: the probability is not between 0 and 1.
    """
    chance = exact_positive(probability, "probability")
    if chance >= 1:
        raise InputError(f"probability must be below 1: how likely {of}, such as 0.95.")
    return chance


def with_chance(probability: Epsilon) -> str:
    """Return the words of every statement that holds with a probability.

    >>> with_chance(0.95)
    'with probability 0.95, whatever the data'
    """
    return f"with probability {float(exact_positive(probability, 'probability')):g}, whatever the data"


def reason_unknown(scores: Scores | None, k: int, mechanism: Mechanism) -> str:
    """Return in words why no exact worst case of such a release is known, from public facts of the scores alone."""
    if scores is None:
        return "candidates with sensitivities of their own have none"
    if math.isinf(scores.sensitivity.ceiling):
        return "no public number bounds how far a record moves a score"
    name = mechanism.name
    if not isinstance(mechanism, UnitMechanism):
        return f"the noise of {name} follows the data; permute-and-flip has a bound where one constant sensitivity does"
    if mechanism.effective is not scale and not scores.sensitivity.fixed:
        return (
            f"{name} weighs scores by sensitivities that differ between databases, so what it loses depends on the "
            "data; permute-and-flip has a bound"
        )
    if mechanism.effective is scale and k > 1:
        return f"no exact worst case is known for lists that {name} peels; drawn in one pass (one-shot) they have one"
    return f"no exact worst case is known for {name}; permute-and-flip and exponential have one"

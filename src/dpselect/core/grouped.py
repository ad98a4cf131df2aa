"""Candidates by the group: one score for all that share it, and how many they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dpselect.core.coins import Entropy
from dpselect.core.groups import peel
from dpselect.core.guarantee import exact_epsilon
from dpselect.core.mechanism import Mechanism
from dpselect.core.neighbours import Neighbours
from dpselect.core.scores import Scores


@dataclass(frozen=True, repr=False, eq=False)
class GroupedScores:
    """Distinct pairs of a score and a sensitivity profile, and how many candidates share each.

    A mechanism's effective score of a candidate depends on its own pair and on which pairs there are, so that of a
    group is that of each of its candidates.

    Attributes:
        scores: one value a group, shape (g,), with a sensitivity over g positions.
        counts: shape (g,), int64, at least 1 each.
    """

    scores: Scores
    counts: NDArray[np.int64]

    def log_law(self, mechanism: Mechanism, epsilon: Any) -> NDArray[np.float64]:
        """Return the natural logarithm of the probability of *one* candidate of each group, shape (g,)."""
        ticks, rate = mechanism.prepared(self.scores, exact_epsilon(epsilon))
        return mechanism.ticks_log_law(ticks, rate, self.counts)

    def picks(
        self, k: int, epsilon: Fraction, mechanism: Mechanism, stream: Callable[[], Entropy]
    ) -> list[tuple[int, int]]:
        """Return k winners as (group, ordinal in it), each drawn at this epsilon."""
        most = int(self.counts.sum())
        if k > most:
            raise ValueError(f"k is {k} and there are {most} candidates: ask for at most that many.")
        draw = require_grouped(mechanism)
        ticks, rate = mechanism.prepared(self.scores, epsilon)
        return peel(ticks, self.counts, k, rate, draw, stream)

    def __repr__(self) -> str:
        return "GroupedScores()"


Pick = Callable[[GroupedScores], list[tuple[int, int]]]


@runtime_checkable
class CandidateSource(Protocol):
    """Public candidates whose scores stay where they are: ``dpselect.Candidates``, or a user's own."""

    neighbours: Neighbours

    @property
    def facts(self) -> Mapping[str, str]:
        """Return what a ledger records of where the scores came from, without secrets."""
        ...

    def example(self) -> Scores | None:
        """Return made-up scores of the same kind and sensitivity, so that what cannot work is refused unpaid."""
        ...

    def answer(self, pick: Pick) -> list[Any]:
        """Count, pick, and return the candidates that were picked, all from one state of the data.

        ``pick`` may be called again, with fresh coins, if the data changed meanwhile and nothing was returned.
        """
        ...


def require_grouped(mechanism: Mechanism) -> Callable[..., int]:
    """Return the sampler over groups, or name mechanisms that have one (``ValueError``)."""
    if mechanism.sampler.grouped is None or mechanism.smooth is not None:
        raise ValueError(
            f"{mechanism.name} adds noise to every candidate, which groups cannot do: use permute-and-flip, "
            "exponential, or a dampening mechanism drawn by one of them."
        )
    return mechanism.sampler.grouped

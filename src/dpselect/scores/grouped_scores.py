"""Candidates by the group: one score for all that share it, and how many they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.neighbours import Neighbours
from dpselect.scores.scores import Scores


@dataclass(frozen=True, repr=False, eq=False)
class GroupedScores:
    """Distinct pairs of a score and a sensitivity profile, and how many candidates share each.

    A mechanism's effective score of a candidate depends on its own pair and on which pairs there are, so that of a
    group is that of each of its candidates.

    Attributes:
        scores: one value per group, shape (g,), with a sensitivity over g positions.
        counts: shape (g,), int64, at least 1 each.
    """

    scores: Scores
    counts: NDArray[np.int64]

    def __repr__(self) -> str:
        return "GroupedScores()"


Pick = Callable[[GroupedScores], list[tuple[int, int]]]


@runtime_checkable
class CandidateSource(Protocol):
    """Public candidates whose scores stay where they are: ``dpselect.data.Candidates``, or a user's own."""

    neighbours: Neighbours

    @property
    def metadata(self) -> Mapping[str, str]:
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

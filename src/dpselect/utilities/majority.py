"""Majority: 1 for the most frequent candidate, 0 for all others; ties go to the lowest position.

With counts n_i and winner w the score cannot change within T* = min over i of (n_w - n_i - [i < w]) steps:
LS(x, t) = 1 from t = T* on, 0 before. Flat: one sensitivity for all candidates.
Neighbours: add-remove. Ceiling: 1. Reach: unknown. Range bound 2. Zero is the worst score.

For reproduction: permute-and-flip on ``counts`` answers the same question better.

References: Chaves 2024, Definitions 6.2 and 7.1, Theorem 7.3. Erratum: T* is printed as the gap to the second, which is
one too late whenever a closest rival precedes the winner.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import InputError
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import profiles
from dpselect.utilities.counts import whole_counts


def majority(class_counts: ArrayLike, candidates: Sequence[Any] | None = None) -> Scores:
    """Return the 0/1 score of the most frequent candidate, as exact integers.

    Args:
        class_counts: one integer >= 0 a public candidate, shape (m,), m >= 2, zeros included.
        candidates: what they are called.

    Raises:
        ValueError: fewer than two counts, or some that are negative or not integers.

    >>> scores = majority([3, 5, 1])
    >>> scores.values, scores.sensitivity.at([0, 1])[:, 0]
    (array([0, 1, 0]), array([0., 1.]))
    """
    whole = whole_counts(class_counts)
    if whole.size < 2:
        raise InputError("A majority needs at least two candidates: pass a count for each public one.")
    (winner,), (safe,) = (each.tolist() for each in leads(whole[None, :]))
    sensitivity = profiles(lambda t: (t[:, None] >= safe).astype(np.float64), ceiling=1.0)
    won = (np.arange(whole.size) == winner).astype(np.int64)
    return Scores(won, sensitivity, candidates=candidates, zero="worst")


def leads(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the winner of every row of counts, (rows, m), and how many steps its score cannot change for.

    Rows that agree in both have the same score and sensitivity.

    >>> [each.tolist() for each in leads(np.array([[3, 5, 1], [2, 2, 0]]))]
    [[1, 0], [1, 0]]
    """
    winner = counts.argmax(axis=1)
    lead = counts.max(axis=1, keepdims=True) - counts - (np.arange(counts.shape[1]) < winner[:, None])
    lead[np.arange(len(counts)), winner] = np.iinfo(np.int64).max
    return winner, lead.min(axis=1)

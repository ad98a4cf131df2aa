"""Counts: how many records each candidate has.

Neighbours: add-remove. Ceiling: 1. Reach: 0. Range bound 1: one more record raises one count and lowers none.

For a majority this is the utility to use: permute-and-flip on the counts errs about exp(-epsilon gap), and candidates
far behind hardly count. Local dampening of the 0/1 score of ``majority`` comes within half a vote of it, ahead where
ties would go to the winner and behind where they would not, and takes all rivals for close ones.

References: Chaves 2024, Definition 7.1, whose 0/1 utility this replaces.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.bound import Bound
from dpselect.kernel.errors import InputError
from dpselect.scores.scores import Scores

# A record is in one cell of a table, so one more moves one count, by 1.
ONE = Bound(1)


def counts(class_counts: ArrayLike, candidates: Sequence[Any] | None = None) -> Scores:
    """Return the counts as exact scores, with the number of changes that would make each the largest.

    Args:
        class_counts: one integer >= 0 a public candidate, shape (m,), zeros included.
        candidates: what they are called.

    Raises:
        ValueError: no counts, or some that are negative or not integers.

    >>> counts([5, 9, 0], ["tea", "coffee", "milk"]).distance
    array([4, 0, 9])
    """
    whole = whole_counts(class_counts)
    far = whole.max() - whole
    return Scores(whole, ONE.total, candidates=candidates, range_bound=1, distance=far, zero="worst")


def whole_counts(class_counts: ArrayLike) -> NDArray[np.int64]:
    """Return counts as integers, or say what they must be."""
    array = np.asarray(class_counts)
    if array.ndim != 1 or not array.size or array.dtype.kind not in "iu" or (array < 0).any():
        raise InputError("Counts are integers >= 0, one per public candidate: pass shape (m,), m >= 1.")
    return array.astype(np.int64)

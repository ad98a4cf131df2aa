"""Max operator, 0/1: 1 for the attribute with the largest max operator, 0 for all others; ties go to the first.

With scores n_i and winner w the score cannot change within T* = min over i of (n_w - n_i - [i < w]) steps:
LS(x, t) = 1 from t = T* on, 0 before: admissible, because one record moves each max operator by at most 1, all up or
all down. Flat.
Neighbours: add-remove. Ceiling: 1. Reach: unknown. Range bound 2. Zero is the worst score.

For reproduction: permute-and-flip on ``max_operator`` answers the same question better.

References: Chaves 2024, Definition 6.2, Lemma 6.4. Erratum: T* is printed as the gap, one too late whenever a closest
rival precedes the winner.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpselect.kernel.errors import InputError
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import profiles
from dpselect.utilities.max_operator import max_operator


def max_operator_winner(counts: Mapping[Any, ArrayLike]) -> Scores:
    """Return 1 for the best attribute and 0 elsewhere, as exact integers.

    Args:
        counts: attribute to its table, at least two attributes.

    Raises:
        TypeError, ValueError: as ``splits.stack_counts``; fewer than two attributes.

    >>> scores = max_operator_winner({"windy": [[3, 1], [0, 4]], "humid": [[2, 2], [1, 3]]})
    >>> scores.values, scores.sensitivity.at([1, 2])[:, 0]
    (array([1, 0]), array([0., 1.]))
    """
    scores = max_operator(counts)
    values = scores.values.astype(np.int64)
    if values.size < 2:
        raise InputError("A winner needs at least two attributes.")
    winner = int(values.argmax())
    lead = values[winner] - values - (np.arange(values.size) < winner)
    safe = int(np.delete(lead, winner).min())
    sensitivity = profiles(lambda t: (t[:, None] >= safe).astype(np.float64), ceiling=1.0)
    won = (np.arange(values.size) == winner).astype(np.int64)
    return Scores(won, sensitivity, candidates=scores.candidates, zero="worst")

"""True positive rate of classifiers, TP / P: which of several public classifiers finds the most positives.

delta(x, t, r) = 1 / max(P - t, 1), the same for all classifiers.
Neighbours: add-remove (and substitution). Ceiling: 1. Reach: unknown, because P is private. Range bound 2. Without
positives every rate is 0.

References: Farias et al. 2024, section 6.2. Erratum: all three printed formulas are not admissible (TP = P = 2: 0 where
one missed positive moves the rate by 1/3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpselect.kernel.errors import InputError
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import profiles


def true_positive_rate(true_positives: ArrayLike, positives: int, candidates: Sequence[Any] | None = None) -> Scores:
    """Return TP / P of every classifier.

    Args:
        true_positives: how many positives each classifier finds, shape (m,).
        positives: how many there are.
        candidates: what the classifiers are called.

    Raises:
        ValueError: counts that are not integers, negative, or more than ``positives``.

    >>> scores = true_positive_rate([3, 1], 4)
    >>> scores.values, scores.sensitivity.at([0, 1, 9])[:, 0]
    (array([0.75, 0.25]), array([0.25      , 0.33333333, 1.        ]))
    """
    return rate(true_positives, positives, "positives", candidates)


def rate(found: ArrayLike, there: int, name: str, candidates: Sequence[Any] | None) -> Scores:
    """Return how much of one class each classifier finds."""
    counts = np.asarray(found)
    if isinstance(there, bool) or not isinstance(there, (int, np.integer)) or there < 0:
        raise InputError(f"{name} must be an integer >= 0.")
    if counts.ndim != 1 or not counts.size or counts.dtype.kind not in "iu" or (counts < 0).any():
        raise InputError("Each classifier has one count: pass integers >= 0, shape (m,).")
    if (counts > there).any():
        raise InputError(f"A classifier finds more {name} than there are: pass counts of at most {name}.")
    up = 1 + 2.0**-48
    sensitivity = profiles(lambda t: up / np.maximum(int(there) - t[:, None], 1.0), ceiling=1.0)
    return Scores(counts / max(int(there), 1), sensitivity, candidates=candidates, zero="worst")

"""True negative rate of classifiers, TN / N: the true positive rate of the other class.

delta(x, t, r) = 1 / max(N - t, 1), the same for all classifiers.
Neighbours: add-remove (and substitution). Ceiling: 1. Reach: unknown, because N is private. Range bound 2. Without
negatives every rate is 0. Under add-remove one record touches one of both rates: combine them with
``dpselect.multiobjective.aggregate(..., touched="one")``.

References: Farias et al. 2024, section 6.2; erratum as for ``true_positive_rate``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from dpselect.scores.scores import Scores
from dpselect.utilities.true_positive_rate import rate


def true_negative_rate(true_negatives: ArrayLike, negatives: int, candidates: Sequence[Any] | None = None) -> Scores:
    """Return TN / N of every classifier.

    Args:
        true_negatives: how many negatives each classifier finds, shape (m,).
        negatives: how many there are.
        candidates: what the classifiers are called.

    Raises:
        ValueError: counts that are not integers, negative, or more than ``negatives``.

    >>> true_negative_rate([3, 1], 4).values
    array([0.75, 0.25])
    """
    return rate(true_negatives, negatives, "negatives", candidates)

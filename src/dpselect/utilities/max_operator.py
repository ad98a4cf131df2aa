"""Max operator: how many records a split classifies correctly, sum over values j of max over classes c of t_jc.

Neighbours: add-remove. Sensitivity 1, exact integers. Reach: 0. Range bound 1: one more record never lowers it.

References: Friedman and Schuster 2010, section 4.1; Chaves 2024, chapter 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpselect.scores.scores import Scores
from dpselect.utilities.splits import row_scores_max, stack_counts


def max_operator(counts: Mapping[Any, ArrayLike]) -> Scores:
    """Return the max operator of every attribute.

    Args:
        counts: attribute to its table, shape (public values, public classes), zeros included.

    Raises:
        TypeError, ValueError: as ``splits.stack_counts``.

    >>> max_operator({"windy": [[3, 1], [0, 4]], "humid": [[2, 2], [1, 3]]}).values
    array([7, 5])
    """
    names, rows, starts = stack_counts(counts)
    values = np.add.reduceat(row_scores_max(rows), starts)
    return Scores(values, 1, candidates=names, range_bound=1, zero="worst")

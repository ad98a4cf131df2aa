"""Gini: minus the impurity of a split, -sum over values j of t_j (1 - sum over classes c of (t_jc / t_j)^2).

Neighbours: add-remove. Sensitivity 2: one record changes it by n (1 + q - 2p) / (n + 1) < 2, p its class's share of its
value and q the sum of squared shares. Reach: 0. Range bound 1: one more record never raises it.

References: Friedman and Schuster 2010, section 4.1; Imola and Yang 2018, eq. 3.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpselect.scores.scores import Scores
from dpselect.utilities.splits import FARTHEST, attribute_sums, impurity, stack_counts


def gini(counts: Mapping[Any, ArrayLike]) -> Scores:
    """Return minus the Gini impurity of every attribute, in records; at least -2^31.

    Args:
        counts: attribute to its table, shape (public values, public classes), zeros included.

    Raises:
        TypeError, ValueError: as ``splits.stack_counts``.

    >>> gini({"windy": [[3, 1], [0, 4]], "humid": [[2, 2], [1, 3]]}).values
    array([-1.5, -3.5])
    """
    names, rows, starts = stack_counts(counts)
    whole, part = impurity(rows)
    values = 0.0 - np.minimum(np.add.reduceat(whole, starts) + attribute_sums(part, starts), FARTHEST)
    return Scores(values, 2, candidates=names, range_bound=1, zero="best")

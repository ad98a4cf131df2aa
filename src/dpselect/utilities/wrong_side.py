"""The weight on the wrong side: of records that lie above or below a centre, how much is on the lighter side of a cell.

It is the criterion by which a regression tree cuts: a cut that parts high targets from low ones leaves little weight on
the wrong sides. Against the squared error it counts a deviation once, and not squared: where the declared range is many
times the spread of the target, one neighbour moves the squared error by far more than a good cut saves.

Neighbours: add-remove. Sensitivity: the largest weight. Reach: 0. Range bound 1: one more record lowers no side.

References: ours; the criterion of ``DPTreeRegressor``.
"""

from __future__ import annotations

import numpy as np

from dpselect.kernel.bound import Bound
from dpselect.utilities.splits import Integers


def row_scores_wrong_side(rows: Integers) -> Integers:
    """Return minus the lighter side of every cell, shape (...); sums over disjoint cells move by ``moves_by(most)``.

    Args:
        rows: the weights below and above the centre, integers of at least 0, shape (..., 2).
    """
    return np.asarray(-np.minimum(rows[..., 0], rows[..., 1]), dtype=np.int64)


def moves_by(most: int) -> Bound:
    """Return how far one record moves a score whose records weigh at most this, or sums of sides that it divides.

    >>> moves_by(16384).total
    Fraction(16384, 1)
    """
    return Bound(most)

"""What the searches and lists of Farias et al. 2024 lose: on small tables, and where floats end."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpselect.studies.papers.released.end_of_floats import loss_at_the_end
from dpselect.studies.papers.released.multi_objective_draw import FloatDraw
from dpselect.studies.papers.released.tree_search import Units

Floats = NDArray[np.float64]


def of_program(units: Units, epsilon: float, *, selections: int, k: int) -> float:
    """Return what one selection of the program loses at its share of epsilon, over that share.

    Among one tree that is right about everybody and k others that are all alike: with one record more, floats end.
    """
    share = epsilon / (selections * k)

    def exponents(positives: int) -> Floats:
        right = np.array([positives] + [1] * k) / positives
        rejected = np.array([1.0] + [0.5] * k)
        return units.units(np.stack([right, rejected], axis=1), positives, positives) * (share / 2)

    return loss_at_the_end(exponents, FloatDraw(k, unsound="reproduction"), share)

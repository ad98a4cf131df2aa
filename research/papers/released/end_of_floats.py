"""Where floats end: two neighbours, on one of which the program draws, while on the other it takes the exact top k."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dpselect import audit
from dpselect.kernel.errors import InputError
from research.papers.released.multi_objective_draw import FloatDraw

Floats = NDArray[np.float64]
# The number of records, or the degree of a node, that is one less on a neighbour: exponents of all candidates.
Exponents = Callable[[int], Floats]
_LARGEST = 2**28


def end_of_floats(exponents: Exponents, draw: FloatDraw) -> int:
    """Return the size at which the draw takes the exact top k, and of which its neighbour, one less, does not.

    Raises:
        ValueError: there is none.
    """
    low, high = 8, 16
    while not draw.ends(exponents(high)):
        low, high = high, 2 * high
        if high > _LARGEST:
            raise InputError("Floats do not end here.")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if draw.ends(exponents(middle)) else (middle, high)
    return high


def loss_at_the_end(exponents: Exponents, draw: FloatDraw, epsilon: float) -> float:
    """Return the loss between those neighbours, over epsilon: of the set of the top k, and of another set."""
    size = end_of_floats(exponents, draw)

    def law(place: int) -> dict[str, float]:
        chance = draw.chance(draw.top(exponents(size)), exponents(size - place))
        return {"the top": chance, "others": 1 - chance}

    pair = audit.metric_space([[0, 1], [1, 0]])
    return float(audit.privacy_loss_of_pmf(law, pair, epsilon=epsilon).worst / epsilon)

"""Colours of classes: told apart by most people, and in grey."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Those of Okabe and Ito 2008, the light ones last.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999")


def colour_of(code: int) -> str:
    """Return the colour of a class; beyond eight classes they are used again."""
    return _COLOURS[code % len(_COLOURS)]


def tint(colour: str, strength: float) -> str:
    """Return a colour mixed with white: white for a strength of 0, and at most so strong that black words are read.

    >>> tint("#0072b2", 0), tint("#0072b2", 1)
    ('#ffffff', '#66aad1')
    """
    part = 0.6 * min(max(strength, 0.0), 1.0)
    mixed = (round(255 - part * (255 - int(colour[at : at + 2], 16))) for at in (1, 3, 5))
    return "#" + "".join(f"{each:02x}" for each in mixed)


def share_tints(shares: NDArray[np.float64]) -> list[str]:
    """Return a colour for every row of class shares, shape (nodes, classes).

    Of two classes the share of the second counts, from none to the largest there is, so that a rare class is seen too;
    of several the class of the largest share gives the colour.
    """
    if shares.shape[1] == 2:
        most = max(float(shares[:, 1].max()), 1e-9)
        return [tint(colour_of(1), share / most) for share in shares[:, 1].tolist()]
    return [tint(colour_of(int(row.argmax())), float(row.max()) if row.size > 1 else 0.0) for row in shares]

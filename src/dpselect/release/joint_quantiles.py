"""Several quantiles in one draw, near targets that a public number of records gives.

References: Gillenwater, Joseph and Kulesza 2021; fixed targets are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import Advice, InputError
from dpselect.release.halving import Aim

Integers = NDArray[np.int64]
# Draws edges: the units left of every edge, the targets of the intervals, and the rate for each unit.
DrawEdges = Callable[[Integers, Sequence[int], Fraction], list[int]]

MOST_SHARES, MOST_VALUES, MOST_TOTAL = 25, 2**16, 2**32
# Sub-cells of the whole grid, and of a value for each unit of epsilon times records.
_CELLS, _FEWER = 2**18, 8


def draw_jointly(
    counts: Integers, shares: Sequence[Fraction], epsilon: Fraction, total: int, draw: DrawEdges, cuts: int | None
) -> list[int]:
    """Return the places of distinct increasing shares, never decreasing.

    Args:
        counts: records of each grid value; beyond 2^32 they are cut.
        total: public, from 1 to 2^32; right or wrong.
        cuts: sub-cells of a value; ``None`` for what total and grid say.
    """
    cuts = cuts or _cuts(counts.size, epsilon * total)
    units = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(np.repeat(np.minimum(counts, MOST_TOTAL), cuts))))
    aims = (Aim.at(share) for share in shares)
    ends = [min(max(round((aim.share * total + aim.more) * cuts), 0), total * cuts) for aim in aims]
    targets = [b - a for a, b in pairwise([0, *ends, total * cuts])]
    edges = draw(units, targets, epsilon / (2 * cuts))
    return [min(edge // cuts, counts.size - 1) for edge in edges]


def require_joinable(shares: int, size: int, total: int | None) -> None:
    """Refuse what is too much for a joint draw, from what is public (``ValueError``)."""
    if shares > MOST_SHARES or size > MOST_VALUES or not (total is None or 1 <= total <= MOST_TOTAL):
        raise InputError(
            Advice(
                "A joint draw is of at most 25 quantiles, on at most 65,536 grid values, of at most 2^32 records: name "
                "no {method=}."
            )
        )


def _cuts(size: int, worth: Fraction) -> int:
    """Return a power of two: enough that one value may hold all quantiles, and not more sub-cells than are quick."""
    most = max(_CELLS // size, 1).bit_length() - 1
    return 1 << min(int(worth / _FEWER).bit_length(), most)

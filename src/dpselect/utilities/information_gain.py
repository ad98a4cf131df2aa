"""Information gain of a split, up to a constant: sum over values j and classes c of t_jc log2(t_jc / t_j), at most 0.

With phi(x) = (x + 1) log2(x + 1) - x log2 x, a = t_j and b = min over the public classes of t_jc, the element local
sensitivity at distance t is the largest over the public values j, empty ones too, of

    phi(a + t)                                                                       if b = 0
    max(phi(a+t-1) - phi(b-1), phi(a+t-2u-1) - phi(b-u-1)), u = min(t, b-1)          if b >= 1

Neighbours: add-remove. Ceiling: phi(max_records - 1), reach: max_records - 1, with a public ``max_records``; without it
neither is known. Range bound 1: one more record never raises it.

References: Farias et al. 2023, chapter 7, Lemmas 7.3.1 and 7.3.2, Algorithm 5. Errata: eq. 7.2 has the opposite sign;
Algorithm 5's test ``a < tau`` gives too little; a cap from the private size of the table is not admissible.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.core.scores import Scores
from dpselect.core.sensitivity import Floats, Sensitivity, profiles
from dpselect.utilities.splits import Integers, row_scores_gain, stacked

# Floats are rounded upwards by this.
_UP = 1 + 2.0**-48


def information_gain(counts: Mapping[Any, ArrayLike], *, max_records: int | None = None) -> Scores:
    """Return the information gain of every attribute, in bits times records, up to a constant.

    Args:
        counts: attribute to its table, shape (public values, public classes), zeros included.
        max_records: a public bound on the records of the whole table; the exponential mechanism, permute-and-flip
            and shifted dampening need it.

    Raises:
        TypeError, ValueError: as ``splits.stacked``; a bound below 1, or below the number of records.

    >>> scores = information_gain({"windy": [[3, 1], [0, 4]], "humid": [[2, 2], [1, 3]]}, max_records=100)
    >>> scores.values.round(3)
    array([-3.245, -7.245])
    >>> scores.sensitivity.at([0, 1]).round(3)
    array([[3.61 , 3.245],
           [3.9  , 3.61 ]])
    """
    names, rows, starts = stacked(counts)
    if max_records is not None:
        if isinstance(max_records, bool) or not isinstance(max_records, (int, np.integer)) or max_records < 1:
            raise ValueError("max_records must be an integer of at least 1: a public bound on the whole table.")
        if rows[: starts[1] if starts.size > 1 else None].sum() > max_records:
            raise ValueError("The table has more than max_records records: pass a larger public bound.")
    values = np.add.reduceat(row_scores_gain(rows), starts)
    sensitivity = gain_sensitivity(rows, starts, max_records)
    return Scores(values, sensitivity, candidates=names, range_bound=1)


def gain_sensitivity(rows: Integers, starts: Integers, max_records: int | None) -> Sensitivity:
    """Return delta(x, t, A) of the attributes whose rows start at ``starts``."""
    total, least = rows.sum(axis=1), rows.min(axis=1)

    def at(t: NDArray[np.int64]) -> Floats:
        step = t[:, None]
        table = _phi_table(int(total.max() + (t.max() if t.size else 0)) + 1)
        some = least >= 1
        moved = np.minimum(step, np.maximum(least - 1, 0))
        first = table[np.maximum(total + step - 1, 0)] - table[np.maximum(least - 1, 0)]
        second = table[np.maximum(total + step - 2 * moved - 1, 0)] - table[np.maximum(least - moved - 1, 0)]
        each = np.where(some, np.maximum(first, second), table[total + step])
        return np.maximum.reduceat(each, starts, axis=1) * _UP

    bounds: dict[str, Any] = {}
    if max_records is not None and max_records > 1:
        bounds = {"ceiling": float(_phi(np.array([max_records - 1]))[0]) * _UP, "reach": max_records - 1}
    elif max_records == 1:
        # A single record is all there can be, and it never changes the gain.
        bounds = {"ceiling": 1.0, "reach": 0}
    return profiles(at, profile=np.arange(starts.size), **bounds)


def _phi(x: NDArray[np.int64]) -> Floats:
    safe = np.maximum(x, 1)
    value = np.log2(safe + 1.0) + safe * np.log1p(1.0 / safe) / np.log(2.0)
    return np.where(x > 0, value, 0.0)


_tabulated = _phi(np.arange(1))


def _phi_table(size: int) -> Floats:
    """Return phi(0 .. size - 1); one public table that only grows."""
    global _tabulated
    if _tabulated.size < size:
        _tabulated = _phi(np.arange(2 * size))
    return _tabulated

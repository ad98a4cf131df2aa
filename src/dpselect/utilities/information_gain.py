"""Information gain of a split, up to a constant: sum over values j and classes c of t_jc log2(t_jc / t_j), at most 0.

With phi(x) = (x + 1) log2(x + 1) - x log2 x, a = t_j and b = min over the public classes of t_jc, the element local
sensitivity at distance t is the largest over the public values j, empty ones too, of

    phi(a + t)                                                                       if b = 0
    max(phi(a+t-1) - phi(b-1), phi(a+t-2u-1) - phi(b-u-1)), u = min(t, b-1)          if b >= 1

Neighbours: add-remove. Ceiling: phi(max_records - 1), reach: max_records - 1, with a public ``max_records``; without it
neither is known. Range bound 1: one more record never raises it. Substitution, max_records records exactly: LS at
2t + 1 under the same ceiling, reach (max_records - 1) // 2, range bound 2.

Once t >= b - 1 a row's value is phi(c + t), c = a if b = 0 and a - 2b + 1 otherwise, and sums of phi telescope: what
shifted dampening sums over max_records distances costs max b of them.

References: Farias et al. 2023, chapter 7, Lemmas 7.3.1 and 7.3.2, Algorithm 5. Errata: eq. 7.2 has the opposite sign;
Algorithm 5's test ``a < tau`` gives too little; a cap from the private size of the table is not admissible.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import InputError, PrivacyError
from dpselect.kernel.neighbours import Neighbours, neighbours
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import Floats, Sensitivity, profiles
from dpselect.utilities.splits import Integers, gains, many_records, records_within, stack_counts

# Floats are rounded upwards by this.
_UP = 1 + 2.0**-42
# Ceilings from which floats are too coarse: scores are moved here, which is public.
_FARTHEST = 2.0**30
# phi is read from a table below this, and computed beyond.
_TABLE_SIZE = 2**20
# Beyond this public bound a sum over all distances is no longer accurate to a tick, so no reach is given.
_LARGEST_REACH = 2**27
# Distances summed at a time.
_BLOCK = 2**12


def information_gain(
    counts: Mapping[Any, ArrayLike], *, max_records: int | None = None, relation: str = "add-remove"
) -> Scores:
    """Return the information gain of every attribute, in bits times records, up to a constant.

    With ``max_records`` it is at least -2^30 times the ceiling.

    Args:
        counts: attribute to its table, shape (public values, public classes), zeros included.
        max_records: a public bound on the records of the whole table; every mechanism but local dampening needs one.
            Smooth Noisy Max is not hurt by a bound that is far too large. Under substitution the number itself.
        relation: ``"add-remove"`` or ``"substitution"``.

    Raises:
        PrivacyError: substitution without ``max_records``.
        TypeError, ValueError: as ``splits.stack_counts``; a bound below 1 or above 2^62, or below the number of
            records; another relation.

    >>> scores = information_gain({"windy": [[3, 1], [0, 4]], "humid": [[2, 2], [1, 3]]}, max_records=100)
    >>> scores.values.round(3)
    array([-3.245, -7.245])
    >>> scores.sensitivity.at([0, 1]).round(3)
    array([[3.61 , 3.245],
           [3.9  , 3.61 ]])

    Limits: Huge tables. Scores of Gini and misclassified below -2^31, and of information gain below -2^30 ceilings, are
    moved there, where candidates tie: floats would round by more than the span leaves. From 2^26 records on information
    gain computes with fifty digits, which is slow.
    """
    kind = neighbours(relation)
    if kind not in (Neighbours.ADD_REMOVE, Neighbours.SUBSTITUTION):
        raise InputError('Information gain is for "add-remove" or "substitution" neighbours.')
    replaced = kind is Neighbours.SUBSTITUTION
    if replaced and max_records is None:
        raise PrivacyError("Under substitution information gain needs max_records=: the public number of records.")
    names, rows, starts = stack_counts(counts)
    records_within(rows, starts, max_records)
    values = gains(rows, starts, many_records(rows, starts, max_records))
    sensitivity = gain_sensitivity(rows, starts, max_records, replaced)
    values = np.maximum(values, -_FARTHEST * sensitivity.ceiling)
    bound = 2 if replaced else 1
    return Scores(values, sensitivity, candidates=names, neighbours=kind.value, range_bound=bound, zero="best")


def gain_sensitivity(rows: Integers, starts: Integers, max_records: int | None, replaced: bool = False) -> Sensitivity:
    """Return delta(x, t, A) of the attributes whose rows start at ``starts``; those of many nodes may be stacked."""
    total, least = rows.sum(axis=1), rows.min(axis=1)
    profile = np.arange(starts.size)

    def at(t: NDArray[np.int64]) -> Floats:
        return _values(total, least, starts, 2 * t + 1 if replaced else t)

    if max_records is None:
        return profiles(at, profile=profile)
    if max_records == 1:
        # A single record is all there can be, and it never changes the gain.
        return profiles(at, profile=profile, ceiling=1.0, reach=0)
    ceiling = float(_phi(np.array([max_records - 1]))[0]) * _UP
    reach = (max_records - 1) // 2 if replaced else max_records - 1
    if reach > _LARGEST_REACH:
        return profiles(at, profile=profile, ceiling=ceiling)
    # With one class the gain is 0 and the values above never settle into phi(c + t).
    if replaced or rows.shape[1] == 1:
        return profiles(at, profile=profile, ceiling=ceiling, reach=reach)
    settled = max(0, int(least.max()) - 1)
    shift = np.maximum.reduceat(np.where(least >= 1, total - 2 * least + 1, total), starts)

    def summed(t: NDArray[np.int64]) -> Floats:
        return np.stack([_total(at, int(steps), settled, shift, max_records, ceiling) for steps in t])

    return profiles(at, profile=profile, ceiling=ceiling, reach=reach, total=summed)


def _values(total: Integers, least: Integers, starts: Integers, t: NDArray[np.int64]) -> Floats:
    """Return the local sensitivity at distances (k,) of tables given by a and b of their rows: (k, attributes)."""
    step = t[:, None]
    moved = np.minimum(step, np.maximum(least - 1, 0))
    phi = _phi_of(int(total.max() + t.max(initial=0)))
    first = phi(np.maximum(total + step - 1, 0)) - phi(np.maximum(least - 1, 0))
    second = phi(np.maximum(total + step - 2 * moved - 1, 0)) - phi(np.maximum(least - moved - 1, 0))
    each = np.where(least >= 1, np.maximum(first, second), phi(total + step))
    bounds = np.maximum.reduceat(each, starts, axis=1) * _UP
    # Where phi grows by less than its rounding a float may fall, and a walk over distances would refuse the table.
    return np.asarray(np.maximum.accumulate(bounds, axis=0) if (np.diff(t) >= 0).all() else bounds)


def _total(
    at: Callable[[NDArray[np.int64]], Floats],
    steps: int,
    settled: int,
    shift: Integers,
    most: int,
    ceiling: float,
) -> Floats:
    """Return the sum of the first ``steps`` values, cut at the ceiling, one an attribute."""
    near = min(steps, settled)
    blocks: list[NDArray[Any]] = []
    for start in range(0, near, _BLOCK):
        values = np.minimum(at(np.arange(start, min(start + _BLOCK, near))), ceiling)
        # Along rows NumPy adds in pairs, which keeps the digits.
        blocks.append(np.ascontiguousarray(values.T).sum(axis=1))
    # From here on the value is phi(shift + t): below the ceiling while shift + t < most - 1.
    below = np.clip(most - 1 - shift, near, steps)
    blocks += [_phi_sum(shift + near, below - near) * _UP, (steps - below) * ceiling]
    return np.array([math.fsum(column) for column in np.stack(blocks, axis=1).tolist()])


def _phi_sum(x: Integers, many: Integers) -> Floats:
    """Return phi(x) + .. + phi(x + many - 1): the sum telescopes, and nothing cancels."""
    share = np.divide(many, x, out=np.zeros(x.shape), where=x > 0)
    return np.asarray(many * np.log2(np.maximum(x + many, 1)) + x * np.log1p(share) / np.log(2.0))


def _phi(x: NDArray[np.int64]) -> Floats:
    safe = np.maximum(x, 1)
    value = np.log2(safe + 1.0) + safe * np.log1p(1.0 / safe) / np.log(2.0)
    return np.where(x > 0, value, 0.0)


_tabulated = _phi(np.arange(1))


def _phi_of(most: int) -> Callable[[NDArray[np.int64]], Floats]:
    """Return phi for arguments up to ``most``: a look-up where they are small, in one table that only grows."""
    global _tabulated
    if most >= _TABLE_SIZE:
        return _phi
    # One reference, read once: another thread may replace the table at any time, never change one.
    table = _tabulated
    if table.size <= most:
        table = _tabulated = _phi(np.arange(min(2 * most + 2, _TABLE_SIZE)))
    return table.__getitem__

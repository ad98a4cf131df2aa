"""Median: the record whose value is nearest to the median value.

u(x, r) = -|x_r - med(x)|, med(x) the m-th smallest value, m = ceil(n / 2). Candidates are the records
(identities 0 .. n-1), not ranks: the record of rank m would always score 0.

delta(x, t, r) is the exact element local sensitivity, from one sort (see the proof file), and so are its sums over t.
Neighbours: substitution (n public), values in [lower, upper], both public. Ceiling: L = upper - lower.
Reach: ceil(n / 2) + 1, where the exact sensitivity is L for every record. Range bound 2.

For reproduction, and where a record is to be named: ``dpselect.utilities.median`` chooses the value.

References: Farias et al. 2023, chapter 5. Errata: Algorithm 2 and Lemma 5.2.3 give too little (x = (0, 0, 1),
L = 4, r = 0, t = 1: 3 instead of 4); p and q of Lemma 5.2.2 in the text are L for every t >= 1.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import InputError, InputTypeError, PrivacyError
from dpselect.papers.median_sums import DistanceSums, MedianRecords
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import Floats, Sensitivity, profiles
from dpselect.utilities.grid_counts import records
from dpselect.views import Column
from dpselect.views.grid import Numbers

# Differences of integers are exact in floats up to here.
_EXACT = 2**53
# Given to sensitivities of floats, so that rounding never makes one too small.
_UPWARDS = 1 + 2.0**-48


def median(values: ArrayLike | Column, *, lower: float = 0, upper: float | None = None) -> Scores:
    """Return minus the distance of every record's value from the median value, shape (n,).

    The kind of number is that of the bounds: two integers give exact integer scores, and a value between two integers
    counts as the nearest, of two the lower; other bounds give real ones. Values outside the bounds move to the nearest
    bound. A value that is missing or not a number counts as ``lower``, because n is public and each record is a
    candidate.

    Args:
        values: shape (n,), one number per record.
        lower: public bound.
        upper: public bound.

    Raises:
        PrivacyError: ``upper`` is missing.
        ValueError: fewer than 2 records, lower >= upper, integer bounds beyond 2^61, or real ones infinitely far apart.
        TypeError: bounds that are not real numbers; values of a type such as dates.

    >>> scores = median([0, 0, 1], upper=4)
    >>> scores.values
    array([ 0,  0, -1])
    >>> scores.sensitivity.at([0, 1])
    array([[3., 3., 3.],
           [4., 4., 4.]])
    """
    low, high = public_bounds(lower, upper)
    each = records(values, low, high)
    if not each.size:
        raise InputError("The median needs records: the column is empty.")
    if each.size == 1:
        raise InputError("A single record is always the median, so its sensitivity is always zero: pass 2 or more.")
    # From here on everything is a function of x - lower, which moves with no other record.
    shifted: Numbers = np.asarray(each - low)
    length = high - low
    middle = np.partition(shifted, (shifted.size - 1) // 2)[(shifted.size - 1) // 2]
    away = np.abs(shifted - middle)
    return Scores(-away, sensitivity_of_records(shifted, length), neighbours="substitution", zero="best")


def sensitivity_of_records(shifted: Numbers, length: float) -> Sensitivity:
    """Return delta(x, t, r) for values in [0, length], n >= 2: records of equal value share a row."""
    distinct: Numbers
    distinct, profile, counts = np.unique(shifted, return_inverse=True, return_counts=True)  # type: ignore[assignment]
    ranks = np.cumsum(counts) - counts + 1
    size = shifted.size
    ordered: Numbers = np.sort(shifted)  # type: ignore[assignment]
    exact = _is_exact(shifted, length)
    total = None
    if size == 2:
        row = _pair(distinct, ordered, length)
    else:
        row = _row(distinct, ranks, ordered, length)
        at = partial(_at, distinct, ranks, ordered, length)
        total = DistanceSums(MedianRecords(distinct, ranks, ordered, length, at))

    def rows(t: NDArray[np.int64]) -> Floats:
        out = np.empty((t.size, distinct.size))
        for i, step in enumerate(t.tolist()):
            out[i] = row(step)
        with np.errstate(over="ignore"):
            return out if exact else out * _UPWARDS

    return profiles(rows, profile=profile, ceiling=length, reach=(size + 1) // 2 + 1, total=total)


def _row(distinct: Numbers, ranks: NDArray[np.int64], ordered: Numbers, length: float) -> Callable[[int], Floats]:
    """Return t -> LS(x, t, r) for every distinct value, n >= 3.

    Seen from a record the others are w_1 <= w_2 <= ..., with 0 before them and L behind: w_k is the k-th value, or
    the (k+1)-th from the record's own rank on. So along the sorted records every w is a step, and between the
    steps all terms are plain functions of a.
    """
    size, middle, slack = ordered.size, (ordered.size + 1) // 2, _slack(ordered, length)

    def other(k: int, behind: bool) -> float:
        """w_k seen from records whose rank is at most k (``behind``), or greater."""
        if k <= 0 or k >= size:
            return 0 if k <= 0 else length
        place = k if behind else k - 1
        value: float = ordered[place].item()
        return value

    def row(t: int) -> Floats:
        out = np.empty(distinct.size)
        used = {*range(middle - 1 - t, middle + 2 - t), *range(middle - 2 + t, middle + t + 1), middle - 1, middle}
        ends = np.unique([*np.searchsorted(ranks, sorted(used), side="right"), distinct.size])
        start = 0
        for end in ends[ends > 0].tolist():
            w = {k: other(k, int(ranks[start]) <= k) for k in used}
            out[start:end] = _terms(distinct[start:end], w.__getitem__, middle, t, length, slack)
            start = end
        return np.minimum(out, length)

    return row


def _at(
    distinct: Numbers, ranks: NDArray[np.int64], ordered: Numbers, length: float, rows: NDArray[np.intp], t: Any
) -> Floats:
    """Return LS(x, t, r) for some distinct values, n >= 3, each at a distance of its own or all at one."""
    size, rank = ordered.size, ranks[rows]

    def w(k: Any) -> Any:
        place = np.clip(np.where(rank <= k, k, k - 1), 0, size - 1)
        return np.where(k <= 0, 0, np.where(k >= size, length, ordered[place]))

    best: Floats = _terms(distinct[rows], w, (size + 1) // 2, t, length, _slack(ordered, length))
    return np.asarray(np.minimum(best, length))


def _slack(ordered: Numbers, length: float) -> float:
    """Return what is added to sums of three floats, which cancel: their rounding is paid for in absolute terms."""
    return 0.0 if _is_exact(ordered, length) else length * 2.0**-49


# What leaves the floats is cut at the range afterwards, without a word about the data.
@np.errstate(over="ignore")
def _terms(a: Numbers, w: Callable[[Any], Any], m: int, t: Any, length: float, slack: float) -> Floats:
    """Return the largest of the terms of the proof file for records of value a that see the others w.

    Their distance is t for all, or one above 1 for each.
    """
    up, down, far, near = w(m - 1 + t), w(m - t), w(m + t), w(m - 1 - t)
    best: Floats = np.maximum(up - a, 0.0)
    np.maximum(best, a - down, out=best)
    np.maximum(best, np.minimum(np.minimum(a, up), (up - a) + far + slack), out=best)
    np.maximum(best, np.minimum(np.minimum(length - a, length - down), (length - down) - (near - a) + slack), out=best)
    np.maximum(best, far - np.maximum(a, w(m - 1)), out=best)
    np.maximum(best, np.minimum(a, w(m)) - near, out=best)
    if np.all(t >= 1):
        np.maximum(best, np.maximum(w(m - 2 + t), length - w(m + 1 - t)), out=best)
    if np.all(t == 1):
        np.maximum(best, w(m) - w(m - 1), out=best)
    return best


def _is_exact(shifted: Numbers, length: float) -> bool:
    return shifted.dtype.kind == "i" and length <= _EXACT


def _pair(distinct: Numbers, ordered: Numbers, length: float) -> Callable[[int], Floats]:
    """Return t -> LS(x, t, r) for two records."""
    other = ordered[::-1][: distinct.size]
    above = np.maximum(0, distinct - other)
    far = length - other
    at_once = np.maximum(above, np.maximum(far - above, distinct - above)).astype(np.float64)
    after_one = np.maximum(np.maximum(distinct, length - distinct), np.maximum(other, far)).astype(np.float64)
    return lambda t: at_once if t == 0 else after_one if t == 1 else np.full(distinct.size, float(length))


def public_bounds(lower: Any, upper: Any) -> tuple[Any, Any]:
    """Return the public bounds, as integers if both are."""
    if upper is None:
        raise PrivacyError(
            "The published median needs upper=: the public largest possible value (and lower=, 0 by default)."
        )
    for bound in (lower, upper):
        if isinstance(bound, (bool, np.bool_)) or not isinstance(bound, numbers.Real):
            raise InputTypeError("lower and upper must be real numbers: pass the public bounds of the values.")
        if not math.isfinite(bound):
            raise InputError("lower and upper must be finite: pass the public bounds of the values.")
    if not lower < upper:
        raise InputError("lower must be below upper: pass the public bounds of the values.")
    if not (isinstance(lower, numbers.Integral) and isinstance(upper, numbers.Integral)):
        low, high = float(lower), float(upper)
        if not math.isfinite(high - low):
            raise InputError("upper - lower must be finite: pass bounds that are closer together.")
        return low, high
    if max(abs(int(lower)), abs(int(upper))) > 2**61:
        raise InputError("Bounds of integers lie within 2^61: pass floats.")
    return int(lower), int(upper)

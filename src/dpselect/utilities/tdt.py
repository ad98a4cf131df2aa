"""TDT: the transmission disequilibrium statistic of genetic markers, (b - c)^2 / (b + c), and 0 at (0, 0).

b and c count how often each allele was transmitted. One of N families contributes (0,0), (1,0), (0,1), (2,0), (1,1)
or (0,2); a neighbour replaces one family. N is public. With h = max(b, c), l = min(b, c), s = h + l the element
local sensitivity at distance t is the largest of

    8 (h' - l' + 2) / (h' + l')   at l' = max(2, l - 2t), if l + 2t >= 2 and h' >= l'
    8 (h' - l' - 2) / (h' + l')   at l' = max(0, l - 2t), if h' >= 2
        with h' = min(h + 2t, 2N - l', s + 2t - l')
    a short list of small tables, each once it is within t steps.

Neighbours: family. Ceiling: 8 (N - 1) / N. Reach: N. Range bound 2.

References: Yamamoto and Shibuya 2024, section V, Lemmas 2 and 3. This replaces their Theorems 4 and 5, whose smooth
bounds are looser or slower.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import Advice, InputError, PrivacyError
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import Floats, Sensitivity, profiles

# Small tables (h, l) whose sensitivity neither formula gives, with eight or nine numerators over their divisors.
_SMALL = {
    (0, 0): 2.0,
    (1, 0): 2.0,
    (1, 1): 3.0,
    (2, 0): 2.0,
    (2, 1): 11 / 3,
    (3, 0): 3.0,
    (3, 1): 4.0,
    (4, 1): 21 / 5,
    (5, 1): 13 / 3,
    (6, 1): 31 / 7,
    (7, 1): 9 / 2,
    (8, 1): 41 / 9,
}


def tdt(b: ArrayLike, c: ArrayLike, *, families: int | None = None, candidates: Sequence[Any] | None = None) -> Scores:
    """Return the TDT statistic of every marker, shape (m,).

    Args:
        b: transmissions of the first allele, integers >= 0, shape (m,).
        c: transmissions of the second, shape (m,), b + c <= 2 families.
        families: the public number of families in the study.
        candidates: what the markers are called.

    Raises:
        PrivacyError: ``families`` is missing.
        ValueError: counts that are negative, not integers, of different lengths or beyond 2 families; fewer than 2
            families.

    >>> scores = tdt([9, 4, 0], [1, 4, 0], families=10, candidates=["rs1", "rs2", "rs3"])
    >>> scores.values, scores.sensitivity.ceiling
    (array([6.4, 0. , 0. ]), 7.2)
    """
    number = _public(families)
    high, low = _table(b, c, number)
    total = high + low
    values = np.divide((high - low) ** 2, total, out=np.zeros(total.size), where=total > 0)
    return Scores(values, tdt_sensitivity(high, low, number), candidates=candidates, neighbours="family", zero="worst")


def tdt_sensitivity(high: NDArray[np.int64], low: NDArray[np.int64], families: int) -> Sensitivity:
    """Return the element sensitivity of tables (high, low), high >= low; markers with equal tables share a row."""
    distinct, profile = np.unique(np.stack((high, low), axis=1), axis=0, return_inverse=True)
    ceiling = 8 * (families - 1) / families

    def rows(t: NDArray[np.int64]) -> Floats:
        return _rows(distinct[:, 0], distinct[:, 1], families, t[:, None])

    return profiles(rows, profile=profile.ravel(), ceiling=ceiling, reach=families)


def smooth_tdt(b: ArrayLike, c: ArrayLike, *, families: int | None = None, beta: float) -> Floats:
    """Return the exact beta-smooth sensitivity of every marker, shape (m,): max over t of e^(-beta t) LS(t).

    Exact over tables; an upper bound, still smooth, over databases of families.

    Raises:
        PrivacyError, ValueError: as :func:`tdt`; beta is not a positive number.

    >>> smooth_tdt([9, 4], [1, 4], families=10, beta=0.5).round(4)
    array([4.8   , 3.6392])
    """
    if not beta > 0 or math.isinf(beta):
        raise InputError("beta must be a positive number.")
    number = _public(families)
    high, low = _table(b, c, number)
    sensitivity = tdt_sensitivity(high, low, number)
    # Nothing grows any more from N families on.
    t = np.arange(number + 1)
    damped = np.exp(-beta * t)[:, None] * sensitivity.by_profile(t)
    largest: Floats = damped.max(axis=0)[sensitivity.profile]
    return largest


def _rows(high: NDArray[np.int64], low: NDArray[np.int64], families: int, t: NDArray[np.int64]) -> Floats:
    """Return LS at distances t, shape (k, 1), for tables of shape (profiles,): shape (k, profiles)."""
    total = high + low
    best = np.zeros(np.broadcast_shapes(t.shape, high.shape))
    for least, sign in ((2, 1), (0, -1)):
        l1 = np.maximum(least, low - 2 * t)
        h1 = np.minimum(np.minimum(high + 2 * t, 2 * families - l1), total + 2 * t - l1)
        fits = (low + 2 * t >= 2) & (h1 >= l1) if sign > 0 else h1 >= 2
        value = np.divide(8.0 * (h1 - l1 + 2 * sign), h1 + l1, out=np.zeros(best.shape), where=fits & (h1 + l1 > 0))
        best = np.maximum(best, value)
    for table, small in _SMALL.items():
        if sum(table) <= 2 * families:
            best = np.where(_distance(high, low, table) <= t, np.maximum(best, small), best)
    return best


def _distance(high: NDArray[np.int64], low: NDArray[np.int64], table: tuple[int, int]) -> NDArray[np.int64]:
    """Return how many families must be replaced to get from each table to one, either way round."""
    ways = []
    for to_high, to_low in (table, table[::-1]):
        dh, dl = to_high - high, to_low - low
        ways.append(-(-np.maximum(np.maximum(np.abs(dh), np.abs(dl)), np.abs(dh + dl)) // 2))
    nearer: NDArray[np.int64] = np.minimum(*ways)
    return nearer


def _table(b: ArrayLike, c: ArrayLike, families: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    first, second = np.asarray(b), np.asarray(c)
    if first.ndim != 1 or first.shape != second.shape or not first.size:
        raise InputError(
            Advice(
                "Each marker has one b and one c: "
                "{pass two arrays of the same shape (m,), m >= 1|the table needs one row per marker}."
            )
        )
    if first.dtype.kind not in "iu" or second.dtype.kind not in "iu":
        raise InputError("b and c count transmissions: pass integers.")
    first, second = first.astype(np.int64), second.astype(np.int64)
    if (first < 0).any() or (second < 0).any():
        raise InputError("b and c count transmissions: pass integers >= 0.")
    if (first + second > 2 * families).any():
        raise InputError(
            Advice("A family transmits at most two alleles, so b + c is at most 2 families: check {families=}.")
        )
    return np.maximum(first, second), np.minimum(first, second)


def _public(families: Any) -> int:
    if families is None:
        raise PrivacyError("The TDT needs families=: the public number of families in the study.")
    if isinstance(families, bool) or not isinstance(families, (int, np.integer)) or families < 2:
        raise InputError("families must be an integer of at least 2: the public number of families in the study.")
    return int(families)

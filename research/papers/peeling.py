"""The exact chance of being among k winners drawn one after the other by the exponential sampler.

Drawing by softmax without replacement is a race: candidate i arrives after an exponential time of rate
w_i = exp(-rate (max - ticks_i)), and the first k win. So

    Pr[i among the k] = Integral w_i e^(-w_i t) Pr[fewer than k of the others have arrived by t] dt,

on a grid of ln t (the integrand is analytic, so the trapezoid rule is exact to rounding). Candidates of equal ticks are
counted together; those that have hardly a chance to have arrived enter the number of arrivals by their power sums.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_STEP, _BEFORE, _AFTER = 0.25, 40.0, 4.0
_SMALL, _TERMS = 0.02, 6


def inclusion(ticks: NDArray[np.int64], k: int, rate: Fraction) -> Floats:
    """Return the chance of every candidate to be among the k winners, shape (m,); they add up to k.

    >>> inclusion(np.array([5, 5, 5, 5]), 1, Fraction(1)).round(12).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    if k >= ticks.size:
        return np.ones(ticks.size)
    distinct, place, many = np.unique(-ticks, return_inverse=True, return_counts=True)
    logs = -(distinct - distinct[0]).astype(np.float64) * float(rate)
    chance = np.zeros(distinct.size)
    for s in _grid(logs, many, k):
        near = logs + s > -_BEFORE - np.log(ticks.size)
        arrived = np.exp(np.minimum(logs[near] + s, 6.0))
        if (many[near] * -np.expm1(-arrived)).sum() > 2 * k + 80:
            break
        chance[near] += _STEP * arrived * np.exp(-arrived) * _fewer(arrived, many[near], k)
    return np.asarray(chance[place])


def _grid(logs: Floats, many: NDArray[np.int64], k: int) -> Floats:
    """Return the points of ln t where somebody who matters may arrive, in order."""
    last = logs[np.searchsorted(np.cumsum(many), k)]
    total = np.log(many.sum())
    matter = logs[logs >= last - _BEFORE - total]
    # The first arrival of n candidates is earlier by ln n.
    span = np.arange(-(_BEFORE + total), _AFTER, _STEP) / _STEP
    firsts = np.unique(np.round(-matter / _STEP))
    every = np.unique((firsts[:, None] + np.round(span)[None, :]).ravel())
    return np.asarray(every[every * _STEP <= -last + _AFTER] * _STEP)


def _fewer(arrived: Floats, many: NDArray[np.int64], k: int) -> Floats:
    """Return for every group the chance that fewer than k of all but one of its members have arrived."""
    p = -np.expm1(-arrived)
    big = int(np.searchsorted(-p, -_SMALL))
    tail = _few(arrived[big:], many[big:], k)
    # Before and after each group of the likely ones.
    before, after = [_one(k)], [tail]
    for group in range(big):
        before.append(_times(before[-1], _binomial(p[group], int(many[group]), k), k))
    for group in reversed(range(big)):
        after.append(_times(after[-1], _binomial(p[group], int(many[group]), k), k))
    result = np.empty(p.size)
    for group in range(big):
        rest = _times(before[group], after[big - 1 - group], k)
        result[group] = _times(rest, _binomial(p[group], int(many[group]) - 1, k), k).sum()
    everybody, q = after[-1], p[big:]
    left = np.zeros(q.size)
    total = np.zeros(q.size)
    for count in range(k):
        left = (everybody[count] - q * left) / (1 - q)
        total += left
    result[big:] = total
    return result


def _few(arrived: Floats, many: NDArray[np.int64], k: int) -> Floats:
    """Return the chances of 0 .. k - 1 arrivals among candidates that have each hardly arrived."""
    odds = np.expm1(arrived)
    sums = [float((many * odds**m).sum()) * (-1) ** (m + 1) for m in range(1, _TERMS + 1)]
    chances = np.zeros(k)
    chances[0] = np.exp(-(many * arrived).sum())
    for n in range(1, k):
        chances[n] = sum(sums[m - 1] * chances[n - m] for m in range(1, min(n, _TERMS) + 1)) / n
    return chances


def _binomial(p: float, n: int, k: int) -> Floats:
    chances = np.zeros(k)
    if p >= 1.0:
        if n < k:
            chances[n] = 1.0
        return chances
    logs, odds = n * np.log1p(-p), np.log(p) - np.log1p(-p)
    for count in range(min(k, n + 1)):
        chances[count] = np.exp(logs)
        if count < n:
            logs += np.log((n - count) / (count + 1)) + odds
    return chances


def _times(a: Floats, b: Floats, k: int) -> Floats:
    return np.asarray(np.convolve(a, b)[:k])


def _one(k: int) -> Floats:
    return np.asarray(np.eye(1, k)[0])

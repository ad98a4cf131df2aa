"""Probabilities of a leaf's label: the exact law of the largest of noisy counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import InputError

Floats = NDArray[np.float64]
# Noise beyond so many multiples of 1 / epsilon has a chance below e^-42.
_FAR = 42.0
# Counts are looked at in blocks of about so many chances.
_BLOCK = 2**21


def label_pmf(counts: ArrayLike, *, epsilon: float | ArrayLike) -> Floats:
    """Return for every leaf how likely each class has its largest noisy count, shape (leaves, classes).

    A count gets two-sided geometric noise of this epsilon, a negative one counts as 0, and of equal ones the first
    class is the label: as in a leaf of :class:`dpselect.learn.DPID3Classifier`. Exact but for rounding and for noise
    of a chance below e^-42. The law is a function of the counts: for public or made-up data only.

    Args:
        counts: integers >= 0, shape (leaves, classes).
        epsilon: of the counts of a leaf, one for all or one each; positive.

    >>> label_pmf([[6, 4], [60, 40]], epsilon=0.5).round(3)
    array([[0.773, 0.227],
           [1.   , 0.   ]])
    """
    exact = np.asarray(counts, dtype=np.int64)
    if exact.ndim != 2 or not exact.size or (exact < 0).any():
        raise InputError("Counts are integers >= 0, one row per leaf and one column per class.")
    rates = np.broadcast_to(np.asarray(epsilon, dtype=np.float64), exact.shape[:1])
    if not (np.isfinite(rates) & (rates > 0)).all():
        raise InputError("epsilon is a number above 0.")
    pmf = np.empty(exact.shape)
    for rate in np.unique(rates).tolist():
        here = np.flatnonzero(rates == rate)
        many = max(1, int(_BLOCK / (2 * _FAR / rate + 2)))
        for start in range(0, here.size, many):
            pmf[here[start : start + many]] = _label_pmfs(exact[here[start : start + many]], rate)
    return pmf


def _label_pmfs(counts: NDArray[np.int64], rate: float) -> Floats:
    """Return the law of the labels of leaves that share an epsilon."""
    reach = int(np.ceil(_FAR / rate))
    top = counts.max(axis=1, keepdims=True)
    # Where the largest noisy count may be: never below the largest count by more than the noise reaches.
    values = np.maximum(top + np.arange(-reach, reach + 1), 0)
    values[:, 1:][values[:, 1:] == values[:, :-1]] = -1
    pmf = np.zeros(counts.shape)
    for label in range(counts.shape[1]):
        chance = _chance(values, counts[:, [label]], rate)
        for other in range(counts.shape[1]):
            if other != label:
                # Of equal counts the first class wins.
                chance *= _at_most(values - (other < label), counts[:, [other]], rate)
        pmf[:, label] = chance.sum(axis=1)
    return np.asarray(pmf / pmf.sum(axis=1, keepdims=True))


def _chance(values: NDArray[np.int64], count: NDArray[np.int64], rate: float) -> Floats:
    """Return the probability that a noisy count, at least 0, is a value; values below 0 have none."""
    exactly = np.tanh(rate / 2) * np.exp(-rate * np.abs(values - count))
    return np.where(values > 0, exactly, np.where(values == 0, _at_most(values, count, rate), 0.0))


def _at_most(values: NDArray[np.int64], count: NDArray[np.int64], rate: float) -> Floats:
    """Return the probability that a noisy count, at least 0, is at most a value."""
    apart = values - count
    tail = np.exp(-rate * np.where(apart >= 0, apart + 1, -apart)) / (1 + np.exp(-rate))
    return np.where(values < 0, 0.0, np.where(apart >= 0, 1 - tail, tail))

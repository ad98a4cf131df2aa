"""PrivaTree's rule for binary tables (Vos, Vos, Li, Erkin and Verwer, arXiv 2305.15394), in our writing.

Depth 4. Leaves get the least epsilon by which permute-and-flip names a wrong label for at most 1 % of the records, at
most half; a number's bins are ten private quantiles, and every node takes the best Gini split of noisy class
histograms (geometric noise, floored at 0; categories in the order of their noisy share). Quantiles and levels share
what the leaves leave. A leaf holds a label, so probabilities are 0 and 1.

A record is in the histogram of every column. The authors' program gives each of them a node's whole epsilon, so that
it spends about as many times epsilon as there are columns; ``as_released=True`` does the same, for reference. Without
it the columns share, and the whole is epsilon-differentially private with a public number of records.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dpselect as dps

Integers = NDArray[np.int64]
_DEPTH, _BINS, _WRONG = 4, 10, 0.01
# Of two labels a gap of 2 ln(1/p) / epsilon is missed with chance p / 2: at most 1 / (e epsilon) records are lost.
_WORST = math.exp(-1)


@dataclass
class PrivaTree:
    """A tree on coded columns of two classes.

    Args:
        epsilon: its budget.
        low, high, categories: public bounds of each column, and how many categories it has (0: numeric).
        as_released: each column's histogram gets a node's whole epsilon.
    """

    epsilon: float
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    categories: Integers
    as_released: bool = False
    rng: np.random.Generator = field(default_factory=np.random.default_rng)

    def fit(self, X: NDArray[np.float64], y: Integers) -> PrivaTree:
        """Grow the tree."""
        self.leaf = min(self.epsilon / 2, _WORST * 2**_DEPTH / (len(y) * _WRONG))
        rest = self.epsilon - self.leaf
        share = 1 if self.as_released else len(self.categories)
        numeric = int((self.categories == 0).sum())
        cuts = rest / (_DEPTH + 1) / (1 if self.as_released else max(numeric, 1))
        self.levels = rest / (_DEPTH + (1 if numeric else 0)) / share
        self.edges = [None if many else self._quantiles(X[:, c], c, cuts) for c, many in enumerate(self.categories)]
        self.root = self._grow(self._codes(X), y, 0)
        return self

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return 0 and 1: a leaf knows its label only."""
        codes, result = self._codes(X), np.zeros((len(X), 2))
        waiting = [(self.root, np.arange(len(X)))]
        while waiting:
            (column, left, first, second), rows = waiting.pop()
            if column < 0:
                result[rows, left] = 1
            else:
                there = np.isin(codes[rows, column], left)
                waiting += [(first, rows[there]), (second, rows[~there])]
        return result

    def _quantiles(self, values: NDArray[np.float64], column: int, epsilon: float) -> NDArray[np.float64]:
        release = dps.quantiles(
            values.astype(int), [share / _BINS for share in range(1, _BINS)], lower=int(self.low[column]),
            upper=int(self.high[column]), epsilon=round(epsilon, 9), total=len(values),
        )  # fmt: skip
        return np.unique(release.value)

    def _codes(self, X: NDArray[np.float64]) -> Integers:
        columns = [X[:, c] if e is None else np.searchsorted(e, X[:, c]) for c, e in enumerate(self.edges)]
        return np.stack(columns, axis=1).astype(int)

    def _grow(self, codes: Integers, y: Integers, depth: int) -> tuple[Any, ...]:
        split = None if depth == _DEPTH else self._best(codes, y)
        if split is None:
            return -1, self._label(np.bincount(y, minlength=2)), None, None
        column, left = split
        there = np.isin(codes[:, column], left)
        return column, left, *(self._grow(codes[side], y[side], depth + 1) for side in (there, ~there))

    def _best(self, codes: Integers, y: Integers) -> tuple[int, Integers] | None:
        best, result = math.inf, None
        for column, (many, edges) in enumerate(zip(self.categories, self.edges, strict=True)):
            size = int(many) if edges is None else len(edges) + 1
            counts = np.bincount(codes[:, column] * 2 + y, minlength=size * 2).reshape(size, 2)
            noisy = np.maximum(counts + geometric(self.levels, counts.shape, self.rng), 0)
            total = noisy.sum(1)
            order = np.arange(size)
            if edges is None:
                order = np.argsort(np.where(total, noisy[:, 1] / np.maximum(total, 1), 0.5), kind="stable")
            left = noisy[order].cumsum(0)[:-1].astype(float)
            sides = [left, noisy.sum(0) - left]
            sizes = [side.sum(1) for side in sides]
            impure = sum(s - (side**2).sum(1) / np.maximum(s, 1) for side, s in zip(sides, sizes, strict=True))
            gini = np.where((sizes[0] > 0) & (sizes[1] > 0), impure / max(float(total.sum()), 1), math.inf)
            if len(gini) and gini.min() < best:
                best, result = float(gini.min()), (column, order[: int(gini.argmin()) + 1])
        return result

    def _label(self, counts: Integers) -> int:
        """Permute-and-flip of two labels. Counts only grow with records, which spares a factor of two."""
        behind = math.exp(-self.leaf * abs(int(counts[0] - counts[1])))
        first = int(counts.argmax())
        # The one behind is tried first in half the orders.
        return 1 - first if self.rng.random() < behind / 2 else first


def geometric(epsilon: float, shape: tuple[int, ...], rng: np.random.Generator) -> Integers:
    """Return two-sided geometric noise for counts that move by one."""
    stop = -math.expm1(-epsilon)
    return rng.geometric(stop, shape) - rng.geometric(stop, shape)

"""Learners that predict, from metafeatures and epsilon, the loss of each option over the best.

All predict ln regret, one column per option: on one database losses share a scale that no metafeature reveals, and only
their ratios decide. Losses are predicted as the regret times a common level, which has a regressor of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError

Floats = NDArray[np.float64]
LEARNERS = ("forest", "regret-tree", "fixed")
# A regret beyond this is as bad as any: it must not rule the fit.
_WORST = float(np.log(20.0))


class Learner(Protocol):
    """The interface of a rival of the built-in learners."""

    def fit(self, features: Floats, regrets: Floats, weights: Floats, /) -> Learner:
        """Learn from rows: features (rows, f), ln regrets (rows, options), weights (rows,)."""
        ...

    def predict(self, features: Floats, /) -> Floats:
        """Return ln regrets, shape (rows, options)."""
        ...


@dataclass(eq=False, repr=False)
class Regressors:
    """One scikit-learn regressor an option.

    Attributes:
        prototype: cloned for each; any regressor whose ``fit`` takes ``sample_weight``.
    """

    prototype: Any

    def fit(self, features: Floats, regrets: Floats, weights: Floats, /) -> Regressors:
        """Fit one clone an option, to ln regret clipped at 20."""
        from sklearn.base import clone

        clipped = np.minimum(regrets, _WORST)
        self.models = [clone(self.prototype).fit(features, column, sample_weight=weights) for column in clipped.T]
        return self

    def predict(self, features: Floats, /) -> Floats:
        """Return ln regrets, shape (rows, options)."""
        return np.stack([model.predict(features) for model in self.models], axis=1)


@dataclass(eq=False, repr=False)
class RegretTree:
    """One tree whose every leaf names the option of least mean regret there: the rival, in the manner of Pythia.

    A split is worth what it takes off the mean regret when each side takes its own best option.

    References: Kotsogiannis, Machanavajjhala, Hay and Miklau 2017 (the idea; the tree is ours).
    """

    depth: int = 4
    least: float = 0.08

    def fit(self, features: Floats, regrets: Floats, weights: Floats, /) -> RegretTree:
        """Grow greedily; a leaf keeps at least the share ``least`` of the weight."""
        costs = np.exp(np.minimum(regrets, _WORST)) * weights[:, None]
        self._rows = (features, costs, weights, float(weights.sum()))
        self.tree = self._grow(np.arange(weights.size), self.depth)
        del self._rows
        return self

    def predict(self, features: Floats, /) -> Floats:
        """Return ln of the mean regret of every option in the leaf of every row."""
        return np.stack([self._leaf(self.tree, row) for row in features])

    def _grow(self, rows: NDArray[np.intp], depth: int) -> Any:
        features, costs, weights, total = self._rows
        sums = costs[rows].sum(axis=0)
        leaf = np.log(sums / weights[rows].sum())
        best, split = float(sums.min()) * (1 - 1e-9), None
        for feature in range(features.shape[1] if depth else 0):
            order = rows[np.argsort(features[rows, feature], kind="stable")]
            values = features[order, feature]
            below = np.cumsum(costs[order], axis=0)[:-1]
            mass = np.cumsum(weights[order])[:-1]
            allowed = (values[1:] > values[:-1]) & (np.minimum(mass, weights[rows].sum() - mass) >= self.least * total)
            if not allowed.any():
                continue
            cost = np.where(allowed, below.min(axis=1) + (sums - below).min(axis=1), np.inf)
            at = int(cost.argmin())
            if cost[at] < best:
                best, split = float(cost[at]), (feature, float(values[at] + values[at + 1]) / 2)
        if split is None:
            return leaf
        left = features[rows, split[0]] <= split[1]
        return (*split, self._grow(rows[left], depth - 1), self._grow(rows[~left], depth - 1))

    def _leaf(self, node: Any, row: Floats) -> Floats:
        while isinstance(node, tuple):
            node = node[2] if row[node[0]] <= node[1] else node[3]
        return np.asarray(node)


@dataclass(eq=False, repr=False)
class FixedLearner:
    """Always the option of least mean regret in training, whatever the metafeatures say."""

    def fit(self, _: Floats, regrets: Floats, weights: Floats, /) -> FixedLearner:
        """Average the regrets."""
        self.means = np.log(np.average(np.exp(np.minimum(regrets, _WORST)), axis=0, weights=weights))
        return self

    def predict(self, features: Floats, /) -> Floats:
        """Return the same row for all."""
        return np.tile(self.means, (features.shape[0], 1))


def learner_of(learner: Any) -> Learner:
    """Return a fresh learner: one of the names, a scikit-learn regressor, or an object with ``fit`` and ``predict``.

    Raises:
        ValueError: no such name.
    """
    if isinstance(learner, str):
        if learner == "forest":
            from sklearn.ensemble import ExtraTreesRegressor

            return Regressors(ExtraTreesRegressor(60, min_samples_leaf=2, max_features=0.7, random_state=0))
        if learner == "regret-tree":
            return RegretTree()
        if learner == "fixed":
            return FixedLearner()
        raise InputError(f"The learner {learner!r} does not exist: take {', '.join(LEARNERS)}, or a regressor.")
    from sklearn.base import BaseEstimator, is_regressor

    if isinstance(learner, BaseEstimator) and is_regressor(learner):
        return Regressors(learner)
    if callable(getattr(learner, "fit", None)) and callable(getattr(learner, "predict", None)):
        import copy

        rival: Learner = copy.deepcopy(learner)
        return rival
    raise InputError(f"learner is one of {', '.join(LEARNERS)}, or a regressor.")

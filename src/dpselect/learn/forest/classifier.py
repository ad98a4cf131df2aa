"""The forest that people try first: random trees shaped by a survey, with chances that are chances."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from dpselect.kernel.errors import Advice, InputError
from dpselect.kernel.numbers import Epsilon, exact_delta
from dpselect.learn.boosted.budget_shares import Shares
from dpselect.learn.boosted.by_rho import ByRho
from dpselect.learn.boosted.noise import ONE_CELL, Gaussian, Geometric, SumNoise
from dpselect.learn.domains import Attribute
from dpselect.learn.export import register_model
from dpselect.learn.file_parts import noise_in, numbers_in
from dpselect.learn.forest.class_shares import shrunk, weights_of
from dpselect.learn.forest.forest_plan import COUNTS, DEEPEST, SLOPE, SURVEY, Forest, ForestPlan
from dpselect.learn.parameters import whole
from dpselect.learn.private_trees import PrivateTrees
from dpselect.learn.schema import Schema
from dpselect.learn.size_limits import MOST_BINS, MOST_TREES
from dpselect.learn.training import TrainingData
from dpselect.learn.tree import Tree
from dpselect.views.leaves import SLOPE_UNIT
from dpselect.views.records import Records

_STEEPEST = 100 * SLOPE_UNIT
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# Gaussian noise grows with the root of the number of trees, noise under a pure epsilon with the number.
_TREES, _PURE_TREES = 32, 12


@register_model
class DPRandomForestClassifier(ByRho, PrivateTrees):
    """A private random forest: good by ranking and by probabilities, and near scikit-learn's where epsilon is large.

    A fit asks for noisy class counts and for a noisy histogram of every column. They weigh the columns, cut numbers
    into bins of about as many records, and say of a few random cuts of a node which tells most; so the shapes of trees
    cost nothing more. Then it asks for the noisy class counts of the leaves of every tree. Shares are drawn towards
    those of the parent by the noise and averaged over the trees, and three noisy Newton steps make them into chances.

    Args:
        epsilon: the budget of one fit, which has no default: ``None`` is refused by ``fit`` before anything is read.
        delta: the chance by which epsilon may be exceeded, as small as 1e-6: then all noise is discrete Gaussian, under
            zero-concentrated differential privacy. With 0 the promise is pure and the noise two-sided geometric.
        n_trees: how many trees, at most 10,000; ``None`` takes 32, or 12 for a pure promise.
        max_depth: at most this many levels of splits; ``None`` takes 24. Noise ends most paths sooner.
        bins: even bins of a numeric column, of which noisy counts make at most 32 that hold about as many records each.
        domains, classes, unknown, missing, threshold, ledger: as :class:`DPTreeClassifier`.
        person, rows_per_person: as :class:`DPTreeClassifier`; with a delta, rows of a person share rho by the square of
            their number, so that m rows have about m times as much noise.

    Guarantee: (epsilon, delta)-differential privacy, add-remove of one row, or with ``person`` of one person with all
    of their rows, of everything the fitted model holds; by rho-zCDP where there is a delta. ``privacy_spent_`` states
    it.

    Raises (by ``fit``, before anything is spent):
        ValueError: bad parameters; an epsilon so small that noise would not fit an integer; a table in its engine.

    Attributes:
        trees_: with noisy class counts, which may be negative.
        forest_: the trees, the deviation of their noise, the prior, and the slope; all of it was released.
        slope_: chances are in proportion to mean shares, raised to this.
        classes_, n_features_in_, feature_names_in_, feature_importances_: as in scikit-learn.
        privacy_spent_: a :class:`dpselect.Guarantee`.

    References: ours. Noise: Canonne, Kamath and Steinke 2020. The forest as published is
    ``dpselect.papers.RandomDecisionForestClassifier``.

    >>> X, y = [[age] for age in range(2000)], ["old" if age >= 1000 else "young" for age in range(2000)]
    >>> model = DPRandomForestClassifier(epsilon=5, domains={0: (0, 2000)}, classes=["young", "old"]).fit(X, y)
    >>> model.predict([[10], [1990]]).tolist()
    ['young', 'old']

    Limits: Forests read their records in memory, and cut a numeric column into at most 32 bins; so where epsilon is
    huge their accuracy stays about .03 behind scikit-learn's on nursery and .05 on wine; below that epsilon boosted
    trees rank better on most tables. A saved forest of a large table is large: every node lists the child of every
    code. Beyond 2,364 classes, or fewer where trees are many, a forest is refused before it is paid for. While a forest
    or boosted trees are fitted they keep a number for every record and class, which public bounds do not cover: with
    thousands of classes and a large table, make sure that there is memory for it.
    """

    def __init__(
        self,
        epsilon: Epsilon | None = None,
        *,
        delta: Any = 1e-6,
        n_trees: int | None = None,
        max_depth: int | None = None,
        bins: int = 128,
        domains: Any = None,
        classes: Any = None,
        unknown: str = "clip",
        missing: str = "ignore",
        person: Any = None,
        rows_per_person: int = 1,
        threshold: Any = None,
        ledger: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.n_trees = n_trees
        self.max_depth = max_depth
        self.bins = bins
        self.domains = domains
        self.classes = classes
        self.unknown = unknown
        self.missing = missing
        self.person = person
        self.rows_per_person = rows_per_person
        self.threshold = threshold
        self.ledger = ledger

    @property
    def slope_(self) -> float:
        """Return the power of mean shares that chances are in proportion to."""
        check_is_fitted(self, "forest_")
        return self.forest_.slope / SLOPE_UNIT

    def predict_proba(self, X: Any) -> Floats:
        """Return the chance of every class, shape (n, classes): mean shares over the trees, raised to ``slope_``."""
        return self._chances(self._read_again(X))

    def why(self, X: Any) -> list[str]:
        """Return for every record, in words, its label and the columns that move the label's mean share most."""
        from dpselect.learn.forest.vote_reasons import forest_reasons

        codes = self._read_again(X)
        return forest_reasons(self, codes, self._chances(codes))

    def _chances(self, codes: Sequence[Integers]) -> Floats:
        worth = super()._chances(codes) ** self.slope_
        return np.asarray(worth / worth.sum(axis=1, keepdims=True))

    def _shares(self, tree: Tree) -> Floats:
        return shrunk(tree.counts, tree.parents(), tree.depth, self.forest_.noise, self.forest_.prior)

    def _own_variance(self, tree: Tree) -> Floats:
        total, above = weights_of(tree.counts, tree.parents(), tree.depth, self.forest_.noise)
        return np.asarray((total / (total + above)) ** 2)

    def _base_rates(self) -> Floats:
        return self.forest_.prior

    def _count_noise(self, _: Tree) -> float:
        return self.forest_.noise

    def _check(self) -> None:
        self._reading().check()
        whole(self.bins, "bins", 2, "how many even bins a numeric column has", MOST_BINS)
        if self.n_trees is not None:
            whole(self.n_trees, "n_trees", 1, "how many trees", MOST_TREES)
        if self.max_depth is not None:
            whole(self.max_depth, "max_depth", 1, "how many levels of splits")
        exact_delta(self.delta)

    def _check_data(self, data: TrainingData) -> None:
        if not isinstance(data.records, Records):
            raise InputError(
                Advice(
                    "This forest reads its records in memory: {pass a frame|leave out in_place, or name a file "
                    "instead of a URL}, or {train DPBoostedTreesClassifier or DPTreeClassifier|pass --model boosted or "
                    "--model tree} where the table is."
                )
            )

    def _fit_plan(self, attributes_: Sequence[Attribute], classes: Sequence[Any], epsilon: Fraction) -> ForestPlan:
        concentrated = bool(exact_delta(self.delta))
        noise: SumNoise = Gaussian() if concentrated else Geometric()
        slope = epsilon * SLOPE if len(classes) > 1 else Fraction(0)
        trees = self.n_trees or (_TREES if concentrated else _PURE_TREES)
        depth = DEEPEST if self.max_depth is None else min(self.max_depth, DEEPEST)
        shares = Shares(epsilon - slope, epsilon * COUNTS, epsilon * SURVEY, Fraction(0))
        return ForestPlan(attributes_, len(classes), noise, shares, slope, trees, depth)

    def _leaf_noise(self, epsilon: Fraction) -> float:
        program = self._fit_plan(self.attributes_, self.classes_.tolist(), self._share(epsilon))
        return program.noise.deviation(program.leaf, ONE_CELL)

    def _content(self) -> dict[str, Any]:
        return super()._content() | {"forest": besides(self.forest_)}

    @classmethod
    def _reads(cls, content: Mapping[str, Any]) -> bool:
        return super()._reads(content) and "forest" in content

    @classmethod
    def _declared_in(cls, content: dict[str, Any]) -> dict[str, Any]:
        return super()._declared_in(content) | {"delta": Fraction(content.get("delta", 0))}

    def _restore(self, content: dict[str, Any]) -> None:
        super()._restore(content)
        self.forest_ = restore_forest(self.trees_, self.classes_.size, content["forest"])

    def _keep(self, known: Schema, result: Forest) -> None:
        super()._keep(known, result.trees)
        self.forest_ = result


def besides(forest: Forest) -> dict[str, Any]:
    """Return it as plain lists and numbers."""
    return {"noise": forest.noise, "prior": forest.prior.tolist(), "slope": forest.slope}


def restore_forest(trees: list[Tree], classes: int, content: Mapping[str, Any]) -> Forest:
    """Return the forest of such a file.

    Raises:
        KeyError, TypeError, ValueError: parts that do not make a forest.
    """
    noise, slope, prior = noise_in(content["noise"]), content["slope"], numbers_in(content["prior"], 1)
    sound = type(slope) is int and 0 < slope <= _STEEPEST
    if not sound or prior.shape != (classes,) or not (prior > 0).all() or not math.isclose(prior.sum(), 1.0):
        raise InputError("not a forest")
    return Forest(trees, noise, prior, slope)

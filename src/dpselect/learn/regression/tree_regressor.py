"""A private regression tree: splits by the weight on the wrong side of released means, values from noisy sums.

``regression_plan.py`` has the budget of a path and ``target_summary.py`` what is released before it. Within a level
nodes are disjoint, so a record pays along one path: the total is epsilon, exactly. Values, and what a drawing shows,
cost nothing: they are functions of what was released.

References: ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon
from dpselect.learn.domains import Attribute
from dpselect.learn.export import register_model, tree_text
from dpselect.learn.file_parts import bounds_in
from dpselect.learn.importances import PartialDependence, dependence_on_columns
from dpselect.learn.node_shares import DEVIATIONS
from dpselect.learn.parameters import whole
from dpselect.learn.path_words import plain_path_words
from dpselect.learn.regression.regression_plan import DEEPEST, ValuedTreeFitPlan
from dpselect.learn.regression.regressor import PrivateRegressor
from dpselect.learn.regression.valued_tree import ValuedTree
from dpselect.learn.size_limits import MOST_BINS
from dpselect.learn.tree import Tree
from dpselect.utilities.splits import Integers


@register_model
class DPTreeRegressor(PrivateRegressor):
    """A private regression tree that chooses its own depth.

    Args:
        epsilon: the budget of one fit, which has no default: ``None`` is refused by ``fit`` before anything is read.
        max_depth: at most this many levels of splits, 8 at most; ``None`` lets the noisy number of records decide.
        bins: even bins of a numeric column, at most 1,000,000; a cut lies between two bins.
        target: (low, high), the public bounds of the target, unless ``domains`` has them under the target's name. A
            target outside is clipped. Bounds up to about 30 times as wide as the targets cost little, because 5 % of
            epsilon finds where they lie; far wider ones ruin the model.
        domains: column (name, or index for arrays) to a list of categories (text, numbers, booleans), (low, high), or
            an array of bin edges. Public: never read from the data. ``"observed-not-private"`` reads them and the
            bounds of the target from the data, warns, refuses a ledger and spends nothing.
        unknown: what a value outside its domain is in training: ``"clip"`` (a number, and the target, takes the nearest
            bin; a record with another category is left out), ``"ignore"`` (records with numbers or targets outside are
            left out too), or ``"error"``, by which one record can refuse a fit; ``predict`` has a value for them.
        missing: what missing values are: ``"ignore"`` (the record is left out), ``"category"`` for a code of their own,
            or ``"error"``, by which one record can refuse a fit. Records without a target or person are left out.
        person: the column that tells people apart. Only the first ``rows_per_person`` rows of each are kept, and
            the guarantee is for all rows of one person together: the tree works with epsilon / rows_per_person.
        rows_per_person: how many rows of one person are kept.
        ledger: a :class:`dpselect.Ledger`, or its path; the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy, add-remove of one row, or with ``person`` of one person with all of their
    rows, of everything the fitted model holds.

    Raises (by ``fit``, before anything is spent):
        PrivacyError: domains, or the bounds of the target, are missing.
        ValueError: trees that could outgrow 4 GiB; an epsilon too small for sums; a table that stays in its engine.

    Attributes:
        tree_: the tree that predicts; its ``records`` and ``values`` are released figures of every node.
        drawn_: the part of it that is drawn, and that ``apply``, ``get_depth`` and the like are about: splits that
            noise does not explain.
        target_: the bounds of the target.
        n_features_in_, feature_names_in_: as in scikit-learn.
        privacy_spent_: a :class:`dpselect.Guarantee`.

    >>> X, y = [[age] for age in range(1000)], [20.0 if age >= 500 else 10.0 for age in range(1000)]
    >>> model = DPTreeRegressor(epsilon=10, target=(0, 40), domains={0: (0, 1000)}).fit(X, y)
    >>> model.predict([[10], [990]]).round().tolist()
    [10.0, 20.0]

    Limits: Regressors predict means. They train on tables in memory, not in an engine. A target outside its public
    bounds is clipped, and a grid of 65,536 steps between the bounds holds it: bounds a thousand times too wide leave
    sixty steps. Where targets lie is found with noise; in a small table, or at a small epsilon, the tails may be cut
    off, or the range stays as wide as declared and predictions are coarse. Bounds more than about 30 times as wide as
    the targets ruin the model at a small epsilon, the boosted one first. ``DPSearch`` and ``preview`` take classifiers
    only.
    """

    def __init__(
        self,
        epsilon: Epsilon | None = None,
        *,
        max_depth: int | None = None,
        bins: int = 32,
        target: Any = None,
        domains: Any = None,
        unknown: str = "clip",
        missing: str = "ignore",
        person: Any = None,
        rows_per_person: int = 1,
        ledger: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.max_depth = max_depth
        self.bins = bins
        self.target = target
        self.domains = domains
        self.unknown = unknown
        self.missing = missing
        self.person = person
        self.rows_per_person = rows_per_person
        self.ledger = ledger

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the value of every record, within the bounds of the target, shape (n,).

        Every record gets one, whatever ``unknown`` is: numbers outside their domain are clipped, and a value that has
        no code, such as a category that the domain does not list, stops at the node that asks for it and takes the
        value there.

        Raises:
            ValueError: a column is not there, or values are missing and ``missing="error"``.
        """
        codes = self._read_again(X)
        return np.asarray(self.tree_.values[self.tree_.apply(codes)])

    def apply(self, X: Any) -> Integers:
        """Return the node of the drawn tree in which every record ends, shape (n,)."""
        codes = self._read_again(X)
        nodes: Integers = self.drawn_.apply(codes)
        return nodes

    def decision_path(self, X: Any) -> Any:
        """Return which nodes of the drawn tree every record passes, a sparse indicator (scipy, csr), (n, nodes)."""
        codes = self._read_again(X)
        return self.drawn_.path(codes)

    def why(self, X: Any) -> list[str]:
        """Return for every record, in words, the path that leads to its value."""
        codes = self._read_again(X)
        words: list[str] = plain_path_words(self, self.tree_, codes)
        return words

    def export_text(self) -> str:
        """Return the drawn tree as text: released splits, values and noisy numbers of records, no record."""
        check_is_fitted(self, "tree_")
        return tree_text(self, self.drawn_)

    def plot_tree(self, path: str | Path | None = None, *, ax: Any = None, overwrite: bool = False) -> Any:
        """Draw the tree; return the matplotlib figure, and save it if ``path`` is given.

        Args:
            path: where the picture is saved, if anywhere.
            ax: matplotlib's axes to draw into; text shrinks until it fits.
            overwrite: replace a file that is there already.

        Raises:
            FileExistsError: the file exists, and ``overwrite`` was not asked for.
            ValueError: its words would be smaller than 2 points in these axes.
            ImportError: matplotlib is not installed.
        """
        from dpselect.learn.tree_drawing import tree_picture

        check_is_fitted(self, "tree_")
        return tree_picture(self, self.drawn_, path, ax, overwrite=overwrite)

    def get_depth(self) -> int:
        """Return how many splits the longest path of the drawn tree has."""
        check_is_fitted(self, "tree_")
        return int(self.drawn_.levels)

    def get_n_leaves(self) -> int:
        """Return how many leaves the drawn tree has."""
        check_is_fitted(self, "tree_")
        return int(self.drawn_.leaves.size)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Return how much each column moves the value, beyond noise, summing to 1 or 0.

        The importance of a column is the variance of its partial dependence less what noise alone would give, and 0
        where it is within noise; ``dpselect.learn.importances`` says exactly how.
        """
        # Squares of values near either end of what floats hold would be infinite, or 0.
        check_is_fitted(self, "tree_")
        return self._dependence(max(map(abs, self.target_))).importances

    @property
    def partial_dependence_(self) -> PartialDependence:
        """Return how each value of each column moves the value, in the target's units, with what noise would do."""
        check_is_fitted(self, "tree_")
        return self._dependence(1.0)

    def _dependence(self, unit: float) -> PartialDependence:
        nothing = np.zeros(self.tree_.split.size)
        noise = (self.tree_.deviations / unit) ** 2 if self.tree_.deviations.size else nothing
        return dependence_on_columns([self.tree_], [self.tree_.values[:, None] / unit], [noise], [nothing])

    def _check(self) -> None:
        self._reading().check()
        whole(self.bins, "bins", 2, "how many even bins a numeric column has", MOST_BINS)
        if self.max_depth is not None:
            whole(self.max_depth, "max_depth", 1, "how many levels of splits")

    def _fit_plan(self, attributes_: Sequence[Attribute], _: Sequence[Any], epsilon: Fraction) -> Any:
        most = DEEPEST if self.max_depth is None else min(DEEPEST, self.max_depth)
        return ValuedTreeFitPlan(attributes_, epsilon, most)

    def _take(self, result: Any) -> None:
        self.tree_, self.drawn_ = (tree.to_range(*self.target_) for tree in result)

    @property
    def trees_(self) -> list[ValuedTree]:
        """Return the tree that predicts, alone in a list."""
        return [self.tree_]

    def _content(self) -> dict[str, Any]:
        return {"target": list(self.target_), "trees": [tree.as_dict() for tree in (self.tree_, self.drawn_)]}

    @classmethod
    def _declared_in(cls, content: dict[str, Any]) -> dict[str, Any]:
        return {"target": bounds_in(content["target"])}

    def _restore(self, content: dict[str, Any]) -> None:
        low, high = bounds_in(content["target"])
        trees = [ValuedTree.from_dict(self.attributes_, each) for each in content["trees"]]
        if {tree.counts.shape[1] for tree in trees} != {2}:
            raise InputError("a node is not one")
        if any(tree.values.min() < low or tree.values.max() > high for tree in trees):
            raise InputError("a value is beyond its bounds")
        self.target_, (self.tree_, self.drawn_) = (low, high), trees

    def _node_texts(self, tree: Tree) -> list[tuple[str, str]]:
        """Return of every node its value, and the released number of its records in words."""
        assert isinstance(tree, ValuedTree)
        low, high = self.target_
        texts = []
        for node, (records, value) in enumerate(tree.counts.tolist()):
            away = DEVIATIONS * float(tree.deviations[node]) if tree.deviations.size else 0.0
            ends = [f"{min(max(end, low), high):.4g}" for end in (value - away, value + away)]
            open_ = "" if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}; "
            texts.append((f"{value:.4g}", f" ({open_}records: {records:.0f})"))
        return texts

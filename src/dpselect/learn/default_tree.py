"""The default: one readable, accurate, private tree.

Budget of a path: 2 % for one noisy number of records (none when ``n_records`` is public), which sets the depth; of the
rest 70 % for selections, growing 1.4-fold per level, and 30 % for the leaf's class counts. Within a level nodes are
disjoint, so a record pays along one path: the total is epsilon, exactly.

Splits are binary over public bins, chosen by permute-and-flip on ``misclassified`` (sensitivity 2, range bound 1).
Shares and labels come from the tree as it grew, shrunk toward the parents; the drawing is pruned. Both cost nothing:
they read released counts only.

References: ours; the skeleton is that of Friedman and Schuster 2010.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from dpselect.kernel.numbers import Epsilon
from dpselect.learn.builder import BestBinary, PathCodes, TreePlan, noisy_leaf
from dpselect.learn.domains import Attribute
from dpselect.learn.export import register_model
from dpselect.learn.fit_plan import TreeFitPlan
from dpselect.learn.leaf_bound import OF_MODEL, LeafBound
from dpselect.learn.parameters import epsilon_of, whole
from dpselect.learn.private_trees import PrivateTrees
from dpselect.learn.prune import prune_by_evidence
from dpselect.learn.shrunk import deviation, rate_of, shrunk_shares, weights_of
from dpselect.learn.size_limits import MOST_BINS, MOST_RECORDS, leaves_of_binary
from dpselect.learn.tree import Tree
from dpselect.mechanisms.error_bound import ErrorBound, NoBound
from dpselect.utilities.misclassified import BOUND, row_scores_misclassified
from dpselect.utilities.splits import Integers

_SIZE, _SPLITS, _GROWTH = Fraction(2, 100), Fraction(7, 10), Fraction(14, 10)
_DEEPEST = 8


@register_model
class DPTreeClassifier(PrivateTrees):
    """A private decision tree that chooses its own depth.

    Args:
        epsilon: the budget of one fit, which has no default: ``None`` is refused by ``fit`` before anything is read.
        max_depth: at most this many levels of splits; ``None`` lets the noisy number of records decide.
        bins: even bins of a numeric column, at most 1,000,000; a cut lies between two bins.
        domains: column (name, or index for arrays) to a list of categories (text, numbers, booleans), (low, high), or
            an array of bin edges; may contain the target. Public: never read from the data. ``"observed-not-private"``
            reads them from the data, warns, refuses a ledger and spends nothing.
        classes: the declared classes, unless ``domains`` has them under the target's name.
        n_records: the public number of records, if it is public; otherwise 2 % of epsilon pays for a noisy one.
        unknown: what a value outside its domain is in training: ``"clip"`` (a number takes the nearest bin; a record
            with another category, or a label outside the classes, is left out), ``"ignore"`` (records with numbers
            outside are left out too), or ``"error"``, by which one record can refuse a fit; ``predict`` labels them.
        missing: what missing values are: ``"ignore"`` (the record is left out), ``"category"`` for a code of their own,
            or ``"error"``, by which one record can refuse a fit. Records without a label or person are left out.
        person: the column that tells people apart. Only the first ``rows_per_person`` rows of each are kept, and
            the guarantee is for all rows of one person together: the trees work with epsilon / rows_per_person.
        rows_per_person: how many rows of one person are kept.
        threshold: a public share between 0 and 1 from which ``predict`` says the second of two classes, as where it is
            rare; ``"base-rate"`` says the class whose share is largest beside its released share of all records, which
            balances accuracy. ``None`` says the likeliest class. It may be set after a fit, and costs nothing.
        ledger: a :class:`dpselect.Ledger`, or its path; the spend is recorded before anything is drawn.

    Guarantee: epsilon-differential privacy, add-remove of one row, or with ``person`` of one person with all of their
    rows, of everything the fitted model holds.

    Raises (by ``fit``, before anything is spent):
        ValueError: trees that could outgrow time or memory (10,000,000 nodes, 4 GiB); an epsilon too small for counts.

    ``predict_proba`` and ``predict`` use the whole tree, each node's shares shrunk toward its parent's by how noisy it
    is. ``trees_``, and whatever shows it or counts its nodes, is the tree as it is drawn: without the splits whose
    shares of classes differ no more than noise explains. Labels play no part in that.

    Attributes:
        trees_: the tree as it is drawn, alone in a list; ``trees_[0].grown`` is the whole one.
        classes_, n_features_in_, feature_names_in_: as in scikit-learn.
        privacy_spent_: a :class:`dpselect.Guarantee`.

    >>> X, y = [[age] for age in range(1000)], ["old" if age >= 500 else "young" for age in range(1000)]
    >>> model = DPTreeClassifier(epsilon=5, domains={0: (0, 1000)}, classes=["young", "old"]).fit(X, y)
    >>> model.predict([[10], [990]])
    array(['young', 'old'], dtype='<U5')

    Limits: A tree protects one row, or all rows of one person with ``person=``. Then the promise is for persons who
    come or go: one row more of a person who stays may take the place of another, and that costs up to twice epsilon /
    ``rows_per_person``. Domains, classes and bins must not come from the data; rounding observed bounds is not
    independent of them.

    A drawing shows less than the model. ``DPTreeClassifier`` predicts from the whole tree, and what it draws leaves out
    splits that noise could explain, real ones among them where records or epsilon are few. For a few records the leaf
    of the drawing would say another label; ``why`` shows both. A picture in your own axes is refused where its text
    would be smaller than 2 points.

    Trees have a public size. At most 10,000,000 nodes in all trees of a fit, and 4 GiB by a public estimate, the table
    itself not counted: more is refused before it is paid for, and where noisy sizes decide, a level that would be too
    large becomes leaves. At that size a fit takes minutes. A machine with less memory can still run out of it after the
    spend.
    """

    def __init__(
        self,
        epsilon: Epsilon | None = None,
        *,
        max_depth: int | None = None,
        bins: int = 32,
        domains: Any = None,
        classes: Any = None,
        n_records: int | None = None,
        unknown: str = "clip",
        missing: str = "ignore",
        person: Any = None,
        rows_per_person: int = 1,
        threshold: Any = None,
        ledger: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.max_depth = max_depth
        self.bins = bins
        self.domains = domains
        self.classes = classes
        self.n_records = n_records
        self.unknown = unknown
        self.missing = missing
        self.person = person
        self.rows_per_person = rows_per_person
        self.threshold = threshold
        self.ledger = ledger

    def _check(self) -> None:
        self._reading().check()
        whole(self.bins, "bins", 2, "how many even bins a numeric column has", MOST_BINS)
        if self.max_depth is not None:
            whole(self.max_depth, "max_depth", 1, "how many levels of splits")
        if self.n_records is not None:
            whole(self.n_records, "n_records", 1, "the public number of records", MOST_RECORDS)

    def _leaf_share(self) -> float:
        return float((1 - _SPLITS) * (1 if self.n_records is not None else 1 - _SIZE))

    def error_bound_for(self, classes: int) -> ErrorBound:
        """Return how far counts at the leaves may be off, for the most leaves there may be."""
        self._check()
        deepest = _DEEPEST if self.max_depth is None else min(_DEEPEST, self.max_depth)
        rest = Fraction(1) if self.n_records is not None else 1 - _SIZE
        rate = self._share(epsilon_of(self)) * rest * (1 - _SPLITS)
        return LeafBound(rate, 2**deepest, classes, known=False)

    @property
    def error_bound(self) -> ErrorBound:
        """Return how far the counts at the leaves of the whole tree may be off."""
        check_is_fitted(self, "trees_")
        noise = self.trees_[0].noise
        if noise is None:
            return NoBound(OF_MODEL)
        leaves = int(self.trees_[0].whole_tree.leaves.size)
        return LeafBound(rate_of(noise), leaves, len(self.classes_))

    def _shares(self, tree: Tree) -> NDArray[np.float64]:
        # A model that an older version saved knows no noise, and keeps its shares.
        return super()._shares(tree) if tree.noise is None else shrunk_shares(tree, tree.noise)

    def _own_variance(self, tree: Tree) -> NDArray[np.float64]:
        if tree.noise is None:
            return super()._own_variance(tree)
        # Shares above a leaf have the noise of its counts too: so not the square.
        total, above = weights_of(tree, tree.noise)
        return np.asarray(total / (total + above))

    def _fit_plan(self, attributes_: Sequence[Attribute], classes: Sequence[Any], epsilon: Fraction) -> TreeFitPlan:
        asked = epsilon * _SIZE if self.n_records is None else Fraction(0)
        rest = epsilon - asked
        splitter = BestBinary(attributes_, row_scores_misclassified, BOUND)

        def plan(rows: int) -> TreePlan:
            depth = fitting_depth(rows, float(epsilon))
            if self.max_depth is not None:
                depth = min(depth, self.max_depth)
            splits = [rest * _SPLITS * share for share in level_shares(depth)]
            return TreePlan(depth, splitter, rest, Fraction(0), splits, never, noisy_leaf)

        def prune(tree: Tree, grown: TreePlan) -> Tree:
            tree.noise = deviation(float(rest * (1 - _SPLITS) if grown.splits else rest))
            return prune_by_evidence(tree, tree.noise)

        deepest = _DEEPEST if self.max_depth is None else min(_DEEPEST, self.max_depth)
        leaves = leaves_of_binary(attributes_, deepest)
        return TreeFitPlan(attributes_, len(classes), plan, self.n_records or 0, asked, leaves=leaves, prune=prune)


def fitting_depth(size: int, epsilon: float) -> int:
    """Return the depth for a (noisy) number of records: log2(n epsilon) / 2, less below n epsilon = 1000; 0 to 8.

    >>> [fitting_depth(n, 1.0) for n in (10, 60, 400, 1000, 50_000, 10**9)]
    [0, 1, 3, 5, 8, 8]
    """
    # Both may be huge; beyond any table they make no difference.
    mass = min(max(size, 0) * epsilon, 1e30)
    if mass < 30:
        return 0
    scarce = max(0.0, float(np.log2(1000 / mass)))
    return int(min(max(round(np.log2(mass) / 2 - 0.75 * scarce), 1), _DEEPEST))


def level_shares(depth: int) -> list[Fraction]:
    """Return the share of the selections' budget at each level: growing, summing to 1."""
    weights = [_GROWTH**level for level in range(depth)]
    total = sum(weights, Fraction(0))
    return [weight / total for weight in weights]


def never(_: int, __: Integers | None, path_codes: PathCodes) -> NDArray[np.bool_]:
    """End no node before the depth is reached."""
    return np.zeros(path_codes[0].shape[0], dtype=np.bool_)

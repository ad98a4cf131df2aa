"""Private ID3: the multiway trees of Friedman and Schuster, with any criterion and any mechanism.

With d = ``max_depth`` levels and B = ``epsilon``: under ``stop="friedman-schuster"`` a path asks d times for a count,
d times for a selection, and once for a count and the classes, B / (2 (d + 1)) each; without counts it asks d times for
a selection and once for the classes, B / (d + 1) each. ``shares`` moves budget between them. A leaf spends all that its
path has left. The nodes of a level are disjoint, so the total is epsilon, exactly.

References: Friedman and Schuster 2010; Farias et al. 2023, Algorithm 4; Chaves 2024, Algorithm 4; Mohammed et al. 2015
(no stopping rule). Erratum: both theses stop at N / (t |C|) < sqrt(2)/2; it is sqrt(2) / epsilon.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import deepcopy
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from dpselect import utilities
from dpselect.kernel.errors import Advice, InputError, PrivacyError
from dpselect.kernel.numbers import Epsilon, exact_epsilon
from dpselect.learn.builder import Multiway, PathCodes, Splitter, TreePlan, noisy_leaf
from dpselect.learn.conditional import QUERIES, Decisions, EveryTime, NodeConditional
from dpselect.learn.default_tree import never
from dpselect.learn.domains import Attribute
from dpselect.learn.export import register_model
from dpselect.learn.fit_plan import Planner, TreeFitPlan, keep
from dpselect.learn.leaf_bound import OF_MODEL, PRUNED_REASON, LeafBound
from dpselect.learn.parameters import chosen_mechanism, whole
from dpselect.learn.private_trees import PrivateTrees
from dpselect.learn.prune import prune_c45
from dpselect.learn.size_limits import MOST_BINS, MOST_DEPTH, MOST_RECORDS, MOST_TREES, leaves_of_multiway
from dpselect.learn.training import TrainingData
from dpselect.learn.tree import Tree
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.error_bound import ErrorBound, NoBound
from dpselect.scores.scores import Scores
from dpselect.utilities.splits import Integers

CRITERIA = ("information-gain", "max-operator", "max-operator-winner", "gini", "misclassified")
STOPS = ("friedman-schuster", "depth", "support")
Stop = Callable[[int, Integers | None, PathCodes], NDArray[np.bool_]]


@register_model
class DPID3Classifier(PrivateTrees):
    """Private ID3 with one child per value.

    Args:
        epsilon: the budget of one fit, which has no default: ``None`` is refused by ``fit`` before anything is read.
        max_depth: levels of splits, at most 100.
        n_trees: several trees, at most 10,000, share epsilon and vote (Patil and Singh 2014).
        criterion: ``"information-gain"``, ``"max-operator"``, ``"max-operator-winner"`` (0/1), ``"gini"`` or
            ``"misclassified"``; or a :class:`dpselect.learn.conditional.NodeConditional`, which decides node by node,
            from released sizes, whether to end and which of several criteria to split by.
        mechanism: the name of any mechanism, or a Mechanism.
        bins: even bins of a numeric column.
        domains, classes, unknown, missing, person, rows_per_person, ledger: as :class:`DPTreeClassifier`.
        max_records: a public bound on the rows; information gain needs it, except with unshifted dampening.
        stop: ``"friedman-schuster"`` (noisy counts), ``"depth"`` or ``"support"`` (expected support of public
            domains, with ``n_records``).
        shares: relative budgets of a count, a selection and a leaf, such as ``(1, 2, 1)``; equal when left out.
        prune: ``"c4.5"`` or ``"none"``.
        n_records: the public number of rows, for ``stop="support"``.
        max_leaves: refuse, before spending, a tree that could have more leaves.

    Guarantee: epsilon-differential privacy, add-remove of one row, or with ``person`` of one person with all of their
    rows, of everything the fitted model holds.

    >>> X = [[color, size] for color in ("red", "blue") for size in ("s", "m", "l")] * 200
    >>> y = ["yes" if color == "red" else "no" for color, size in X]
    >>> domains = {0: ["red", "blue"], 1: ["s", "m", "l"]}
    >>> model = DPID3Classifier(10, max_depth=1, criterion="max-operator", domains=domains, classes=["no", "yes"])
    >>> model.fit(X, y).predict([["red", "m"], ["blue", "s"]])
    array(['yes', 'no'], dtype='<U3')
    """

    def __init__(
        self,
        epsilon: Epsilon | None = None,
        max_depth: int = 3,
        *,
        n_trees: int = 1,
        criterion: Any = "max-operator",
        mechanism: Any = "permute-and-flip",
        bins: int = 10,
        domains: Any = None,
        classes: Any = None,
        max_records: int | None = None,
        stop: str = "friedman-schuster",
        prune: str = "c4.5",
        shares: Any = None,
        n_records: int | None = None,
        max_leaves: int = 10**6,
        unknown: str = "clip",
        missing: str = "ignore",
        person: Any = None,
        rows_per_person: int = 1,
        ledger: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.max_depth = max_depth
        self.n_trees = n_trees
        self.criterion = criterion
        self.mechanism = mechanism
        self.bins = bins
        self.domains = domains
        self.classes = classes
        self.max_records = max_records
        self.stop = stop
        self.prune = prune
        self.shares = shares
        self.n_records = n_records
        self.max_leaves = max_leaves
        self.unknown = unknown
        self.missing = missing
        self.person = person
        self.rows_per_person = rows_per_person
        self.ledger = ledger

    def _check(self) -> None:
        self._reading().check()
        whole(self.bins, "bins", 2, "how many even bins a numeric column has", MOST_BINS)
        whole(self.max_depth, "max_depth", 1, "how many levels of splits", MOST_DEPTH)
        whole(self.n_trees, "n_trees", 1, "how many trees share epsilon", MOST_TREES)
        whole(self.max_leaves, "max_leaves", 2, "how many leaves a tree may have at most")
        conditional = isinstance(self.criterion, NodeConditional)
        if not conditional and self.criterion not in CRITERIA:
            raise InputError(f"criterion is one of {', '.join(CRITERIA)}.")
        if conditional and self.stop != "friedman-schuster":
            raise InputError('A conditional reads noisy sizes: leave stop="friedman-schuster", which pays for them.')
        if self.stop not in STOPS or self.prune not in ("c4.5", "none"):
            raise InputError(f'stop is one of {", ".join(STOPS)}, and prune is "c4.5" or "none".')
        self._mechanism()
        self._shares_of_queries()
        if self.max_records is not None:
            whole(self.max_records, "max_records", 1, "a public bound on the rows", MOST_RECORDS)
        if self.stop == "support" and self.n_records is None:
            raise PrivacyError('stop="support" needs n_records=: the public number of rows.')
        if self.n_records is not None:
            whole(self.n_records, "n_records", 1, "the public number of rows", MOST_RECORDS)
        if self.max_records is None and (conditional or self.criterion == "information-gain"):
            # A dry run on an empty table: whatever needs the bound says so before anything is read or spent.
            try:
                self._mechanism().quantize(
                    criterion("information-gain", None)({0: np.zeros((2, 2), dtype=np.int64)}), Fraction(1)
                )
            except PrivacyError:
                raise PrivacyError(
                    Advice(
                        "This mechanism needs a public bound on information gain: pass {mechanism='local-dampening'}, "
                        "or max_records= in Python."
                    )
                ) from None

    def _shares_of_queries(self) -> tuple[Fraction, Fraction, Fraction]:
        if self.shares is None:
            return Fraction(1), Fraction(1), Fraction(1)
        if not isinstance(self.shares, Sequence) or len(self.shares) != 3:
            raise InputError("shares are three numbers > 0: the relative budgets of a count, a selection and a leaf.")
        try:
            count, split, leaf = (exact_epsilon(share) for share in self.shares)
        except (TypeError, ValueError):
            raise InputError(
                "shares are three numbers > 0: the relative budgets of a count, a selection and a leaf."
            ) from None
        return count, split, leaf

    def _check_data(self, data: TrainingData) -> None:
        if self.max_records is not None and data.records.rows > self.max_records:
            raise InputError(Advice("The table has more than {max_records} rows: pass a larger public bound."))

    def _mechanism(self) -> Mechanism:
        return chosen_mechanism(self.mechanism)

    def _splitter(self, attributes_: Sequence[Attribute]) -> Splitter:
        return Multiway(attributes_, criterion(self.criterion, self.max_records), self._mechanism())

    def _leaf_share(self) -> float:
        count, split, leaf = self._shares_of_queries()
        counted = count if self.stop == "friedman-schuster" else Fraction(0)
        return float(leaf / (self.max_depth * (counted + split) + counted + leaf) / self.n_trees)

    def error_bound_for(self, classes: int) -> ErrorBound:  # noqa: ARG002
        """Return that nothing is known of the error before the leaves are counted."""
        return NoBound(PRUNED_REASON if self.prune == "c4.5" else OF_MODEL)

    @property
    def error_bound(self) -> ErrorBound:
        """Return how far the counts at the leaves of all trees may be off, where none is a sum of others."""
        check_is_fitted(self, "trees_")
        if self.prune == "c4.5" or self.privacy_spent_ is None:
            return NoBound(PRUNED_REASON if self.prune == "c4.5" else OF_MODEL)
        rate = Fraction(self._leaf_share() * (1 - 1e-12)) * self._share(self.privacy_spent_.epsilon)
        return LeafBound(rate, sum(int(tree.leaves.size) for tree in self.trees_), len(self.classes_))

    def _fit_plan(self, attributes_: Sequence[Attribute], classes: Sequence[Any], epsilon: Fraction) -> TreeFitPlan:
        refuse_large(attributes_, self.max_depth, self.max_leaves)
        depth, many, epsilon = self.max_depth, len(classes), epsilon / self.n_trees
        counted = self.stop == "friedman-schuster"
        count, split, leaf = self._shares_of_queries()
        unit = epsilon / (depth * (count + split) + count + leaf if counted else depth * split + leaf)
        stop: Stop = never
        if counted:
            stop = partial(small, classes=many, epsilon=float(count * unit))
        elif self.stop == "support":
            stop = partial(end_unsupported, classes=many, epsilon=float(leaf * unit), size=self.n_records)
        sized = count * unit if counted else Fraction(0)

        def plan(_: int, conditional: NodeConditional | None = None) -> TreePlan:
            splitter: Splitter
            ends: Stop
            if conditional is not None:
                known = {query: criterion(query, self.max_records) for query in QUERIES if query != "random"}
                both = Decisions(conditional, attributes_, known, self._mechanism(), many, depth, float(split * unit))
                splitter, ends = both, both.stops
            else:
                splitter, ends = self._splitter(attributes_), stop
            return TreePlan(depth, splitter, epsilon, sized, [split * unit] * depth, ends, noisy_leaf)

        planned, variants = plan, list[Planner]()
        if isinstance(self.criterion, NodeConditional):
            planned = partial(plan, conditional=self.criterion)
            # A copy, as scikit-learn's clones have: one that remembers must not remember a dry run.
            asked = deepcopy(self.criterion)
            variants = [partial(plan, conditional=EveryTime(asked, place)) for place in range(len(QUERIES))]
        return TreeFitPlan(
            attributes_,
            many,
            planned,
            trees=self.n_trees,
            branches=max(each.size for each in attributes_),
            leaves=leaves_of_multiway(attributes_, depth) if self.stop == "depth" else 0,
            prune=prune_by_estimate if self.prune == "c4.5" else keep,
            variants=variants,
        )


def prune_by_estimate(tree: Tree, _: TreePlan) -> Tree:
    """Prune as C4.5 does."""
    prune_c45(tree)
    return tree


def criterion(name: str, max_records: int | None) -> Callable[[dict[int, Integers]], Scores]:
    """Return the utility of a criterion, by name."""
    if name == "information-gain":
        return partial(utilities.information_gain, max_records=max_records)
    found: Callable[[dict[int, Integers]], Scores] = getattr(utilities, name.replace("-", "_"))
    return found


def small(_: int, sizes: Integers | None, path_codes: PathCodes, *, classes: int, epsilon: float) -> NDArray[np.bool_]:
    """End nodes whose noisy size is too small to choose by: N / (t |C|) < sqrt 2 / epsilon, t the largest domain."""
    assert sizes is not None
    largest = np.max([codes.sum(axis=1) for codes in path_codes], axis=0)
    return np.asarray(sizes / (largest * classes) < math.sqrt(2) / epsilon)


def end_unsupported(
    level: int, _: Integers | None, path_codes: PathCodes, *, classes: int, epsilon: float, size: int | None
) -> NDArray[np.bool_]:
    """End nodes whose expected size, n over the branchings so far, is below sqrt 2 |C| / epsilon."""
    assert size is not None
    share = np.ones(path_codes[0].shape[0])
    for codes in path_codes:
        share *= np.maximum(codes.sum(axis=1), 1) / codes.shape[1]
    return np.asarray((level > 0) & (size * share < math.sqrt(2) * classes / epsilon))


def refuse_large(attributes_: Sequence[Attribute], depth: int, most: int) -> None:
    """Refuse a multiway tree that could have too many leaves: a public fact, checked before spending."""
    leaves = 1
    for size in sorted((each.size for each in attributes_), reverse=True)[:depth]:
        leaves *= size
    if leaves > most:
        raise InputError(
            Advice(
                "A tree of this depth over these domains could have {leaves} leaves, more than {max_leaves=}{most}: "
                "lower {max_depth} or bins.",
                leaves=leaves,
                most=most,
            )
        )

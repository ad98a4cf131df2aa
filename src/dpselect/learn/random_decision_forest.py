"""Random decision forests as published: random public splits, one private answer per leaf.

``sharing="chunks"`` (Chaves 2024, chapter 7; Fletcher and Islam 2019): every record draws its tree by a coin of its
own, fresh and secret, so trees are disjoint and each spends the whole epsilon. Shuffling and cutting, or row numbers,
would move other records when one is added. In a warehouse the chunk is a function of a declared key of the record
instead. ``sharing="budget"`` (Jagannathan et al. 2009): every tree sees every record
and spends its share of epsilon.

A leaf is labelled by a mechanism on its class counts (permute-and-flip on the counts themselves by default) or by noisy
counts (``leaf="counts"``). Splits never look at the data; an empty leaf is labelled like any other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.kernel.numbers import Epsilon
from dpselect.learn.builder import Multiway, RandomBinary, TreePlan, noisy_leaf
from dpselect.learn.default_tree import never
from dpselect.learn.domains import Attribute
from dpselect.learn.export import register_model
from dpselect.learn.fit_plan import TreeFitPlan
from dpselect.learn.id3 import end_unsupported, refuse_large
from dpselect.learn.parameters import chosen_mechanism, whole
from dpselect.learn.private_trees import PrivateTrees
from dpselect.learn.size_limits import (
    MOST_BINS,
    MOST_RECORDS,
    MOST_TREES,
    leaves_of_binary,
    leaves_of_multiway,
    longest_path,
)
from dpselect.learn.training import TrainingData
from dpselect.mechanisms.base import Mechanism
from dpselect.release.session import Session
from dpselect.utilities.counts import ONE
from dpselect.utilities.majority import leads, majority
from dpselect.utilities.splits import Integers

_DEEPEST = 15
_SIZE = Fraction(2, 100)


@register_model
class RandomDecisionForestClassifier(PrivateTrees):
    """The published forest of random trees, in its sound form; ``dpselect.learn.DPRandomForestClassifier`` is better.

    As the papers print it, multiway leaves are labelled by the lead of the whole table, which is not private: that
    stays in ``research``. Here trees part the records by secret coins, splits are binary between public
    bounds, and every leaf has one private majority.

    Args:
        epsilon: the budget of one fit, which has no default: ``None`` is refused by ``fit`` before anything is read.
        n_trees: how many trees, at most 10,000; ``None`` takes one for every column.
        max_depth: levels of splits; ``None`` takes the depth of Fletcher and Islam from the public domains (binary
            splits), or that of Jagannathan et al. from the number of rows (multiway splits).
        leaf: ``"label"`` (one private majority a leaf) or ``"counts"`` (noisy class counts).
        mechanism: how a label is drawn: ``"permute-and-flip"`` on the counts, or the name of any mechanism, or a
            Mechanism, on the 0/1 majority score.
        sharing: ``"chunks"`` or ``"budget"``.
        splits: ``"binary"``, or ``"multiway"`` with one child per value.
        stop: ``"depth"``, or ``"support"`` to end nodes whose expected support is below sqrt 2 |C| / epsilon.
        n_records: the public number of rows; where one is needed and none is public, 2 % of epsilon pay for a noisy
            one.
        max_leaves: refuse, before spending, a multiway tree that could have more leaves.
        bins: even bins of a numeric column; random cuts lie between two bins.
        domains, classes, unknown, missing, person, rows_per_person, ledger: as :class:`DPTreeClassifier`.

    Guarantee: epsilon-differential privacy, add-remove of one row, or with ``person`` of one person with all of their
    rows, of everything the fitted model holds.

    >>> X, y = [[age] for age in range(3000)], [int(age >= 1500) for age in range(3000)]
    >>> model = RandomDecisionForestClassifier(5, n_trees=5, max_depth=5, domains={0: (0, 3000)}, classes=[0, 1])
    >>> bool(model.fit(X, y).score(X, y) > 0.7)
    True
    """

    def __init__(
        self,
        epsilon: Epsilon | None = None,
        n_trees: int | None = 32,
        *,
        max_depth: int | None = None,
        leaf: str = "label",
        mechanism: Any = "permute-and-flip",
        sharing: str = "chunks",
        splits: str = "binary",
        stop: str = "depth",
        n_records: int | None = None,
        max_leaves: int = 10**6,
        bins: int = 64,
        domains: Any = None,
        classes: Any = None,
        unknown: str = "clip",
        missing: str = "ignore",
        person: Any = None,
        rows_per_person: int = 1,
        ledger: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.n_trees = n_trees
        self.max_depth = max_depth
        self.leaf = leaf
        self.mechanism = mechanism
        self.sharing = sharing
        self.splits = splits
        self.stop = stop
        self.n_records = n_records
        self.max_leaves = max_leaves
        self.bins = bins
        self.domains = domains
        self.classes = classes
        self.unknown = unknown
        self.missing = missing
        self.person = person
        self.rows_per_person = rows_per_person
        self.ledger = ledger

    def _check(self) -> None:
        self._reading().check()
        whole(self.bins, "bins", 2, "how many even bins a numeric column has", MOST_BINS)
        if self.n_trees is not None:
            whole(self.n_trees, "n_trees", 1, "how many trees", MOST_TREES)
        if self.n_records is not None:
            whole(self.n_records, "n_records", 1, "the public number of rows", MOST_RECORDS)
        whole(self.max_leaves, "max_leaves", 2, "how many leaves a tree may have at most")
        if self.splits not in ("binary", "multiway") or self.stop not in ("depth", "support"):
            raise InputError('splits is "binary" or "multiway", and stop is "depth" or "support".')
        if self.max_depth is not None:
            whole(self.max_depth, "max_depth", 1, "how many levels of splits")
        if self.leaf not in ("label", "counts") or self.sharing not in ("chunks", "budget"):
            raise InputError('leaf is "label" or "counts", and sharing is "chunks" or "budget".')
        self._mechanism()

    def _check_data(self, data: TrainingData) -> None:
        if self.sharing == "chunks":
            data.records.require_key()

    @classmethod
    def _reads(cls, content: Mapping[str, Any]) -> bool:
        # Version 0.1 wrote another name.
        older = content["model"] == "DPRandomForestClassifier" and "forest" not in content
        return older or super()._reads(content)

    def _mechanism(self) -> Mechanism:
        return chosen_mechanism(self.mechanism)

    def _leaf_share(self) -> float:
        whole_trees = 1 if self.sharing == "chunks" else len(self.trees_)
        return float(1 - _SIZE if self._asks_size() else 1) / whole_trees

    def _asks_size(self) -> bool:
        sized = self.stop == "support" or (self.splits == "multiway" and self.max_depth is None)
        return sized and self.n_records is None

    def _fit_plan(self, attributes_: Sequence[Attribute], classes: Sequence[Any], epsilon: Fraction) -> TreeFitPlan:
        trees, many = self.n_trees or len(attributes_), len(classes)
        whole(trees, "n_trees", 1, "how many trees", MOST_TREES)
        asked = epsilon * _SIZE if self._asks_size() else Fraction(0)
        each = epsilon - asked if self.sharing == "chunks" else (epsilon - asked) / trees
        depth = 0 if asked or self.stop == "support" else self._plan(attributes_, many, each, self.n_records or 0).depth
        if self.splits == "multiway":
            refuse_large(attributes_, self.max_depth or max(1, len(attributes_) // 2), self.max_leaves)
            branches, leaves = max(attribute.size for attribute in attributes_), leaves_of_multiway(attributes_, depth)
        else:
            branches, leaves = 2, leaves_of_binary(attributes_, depth)
        return TreeFitPlan(
            attributes_,
            many,
            lambda rows: self._plan(attributes_, many, each, rows),
            self.n_records or 0,
            asked,
            trees,
            chunked=self.sharing == "chunks",
            branches=branches,
            leaves=leaves,
            counted=False,
        )

    def _plan(self, attributes_: Sequence[Attribute], classes: int, each: Fraction, size: int) -> TreePlan:
        """Return what one tree may do, given a public or noisy number of rows where one is needed."""
        numeric = sum(attribute.is_ordered for attribute in attributes_)
        if self.max_depth is not None:
            # No path is longer, so an immense number of levels costs nothing.
            depth = min(self.max_depth, longest_path(attributes_))
        elif self.splits == "binary":
            depth = fletcher_islam_depth(numeric, len(attributes_) - numeric)
        else:
            depth = jagannathan_depth(attributes_, max(size, 2))
        leaf: Callable[[Integers, Fraction, Session], NDArray[np.float64]] = noisy_leaf
        if self.leaf == "label":
            mechanism = self._mechanism()
            leaf = label_by_counts if mechanism.name == "permute-and-flip" else partial(label_by, mechanism=mechanism)
        stop = never
        if self.stop == "support":
            stop = partial(end_unsupported, classes=classes, epsilon=float(each), size=max(size, 1))
        splitter = RandomBinary(attributes_) if self.splits == "binary" else Multiway(attributes_, None)
        return TreePlan(depth, splitter, each, Fraction(0), [Fraction(0)] * depth, stop, leaf)


def jagannathan_depth(attributes_: Sequence[Attribute], size: int) -> int:
    """Return min(k / 2, log_b(n) - 1) for k columns of b values on average, at least 1.

    References: Jagannathan, Pillaipakkamnatt and Wright 2009.
    """
    mean = max(2.0, float(np.mean([each.size for each in attributes_])))
    return max(1, min(len(attributes_) // 2, int(math.log(size) / math.log(mean)) - 1))


def fletcher_islam_depth(numeric: int, categorical: int) -> int:
    """Return the depth floor(k + 1 + c / 2), k the least with m ((m - 1) / m)^k <= m / 2; at most 15.

    References: Fletcher and Islam 2019; Chaves 2024, chapter 7.

    >>> [fletcher_islam_depth(m, c) for m, c in ((6, 8), (0, 22), (4, 0), (16, 0))]
    [9, 11, 4, 12]
    """
    if not numeric:
        return max(1, min(categorical // 2, _DEEPEST))
    k = 1 if numeric == 1 else math.ceil(math.log(0.5) / math.log((numeric - 1) / numeric) - 1e-12)
    return min(int(k + 1 + categorical / 2), _DEEPEST)


def label_by_counts(totals: Integers, epsilon: Fraction, draws: Session) -> NDArray[np.float64]:
    """Return one vote per leaf, by permute-and-flip on its counts (monotone, sensitivity 1), all leaves at once."""
    winners = draws.choose_rows(totals, np.ones(totals.shape, dtype=np.bool_), epsilon, ONE)
    return np.eye(totals.shape[1])[winners]


def label_by(totals: Integers, epsilon: Fraction, draws: Session, mechanism: Mechanism) -> NDArray[np.float64]:
    """Return one vote per leaf, by any mechanism on the 0/1 majority score, all leaves at once.

    Leaves with the same winner and the same lead ask the same question, which is made ready once.
    """
    _, first, which = np.unique(np.stack(leads(totals), axis=1), axis=0, return_index=True, return_inverse=True)
    asked = [draws.prepare(majority(counts), epsilon, mechanism=mechanism) for counts in totals[first]]
    return np.eye(totals.shape[1])[draws.answer_disjoint(asked, which.ravel())]

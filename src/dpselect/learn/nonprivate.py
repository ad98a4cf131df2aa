"""A learner of trees that draws nothing: its first question, and the tree of the best answers.

For public samples alone: what comes back is a function of the rows, without noise, and promises nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from dpselect.kernel.errors import InputTypeError
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.privacy_filter import PrivacyFilter, use_accountant
from dpselect.learn.builder import BestBinary, Multiway, TreePlan, cuts
from dpselect.learn.default_tree import DPTreeClassifier
from dpselect.learn.dry_run import FirstOutcomes
from dpselect.learn.fit_plan import TreeFitPlan
from dpselect.learn.id3 import DPID3Classifier
from dpselect.learn.parameters import epsilon_of
from dpselect.learn.training import TrainingData
from dpselect.learn.tree import Tree
from dpselect.mechanisms.base import Mechanism
from dpselect.mechanisms.registry import require_mechanism
from dpselect.mechanisms.sampler import Sampler
from dpselect.release.session import Session
from dpselect.scores.scores import Scores
from dpselect.utilities.misclassified import misclassified
from dpselect.utilities.splits import Integers

Table = NDArray[np.int64]


@dataclass(frozen=True)
class FirstSplit:
    """The question at the root of a tree, on a public table.

    Attributes:
        scores: of the splits, by their names in words.
        epsilon: what the question costs.
        mechanism: what would draw the answer.
        sides: the class counts below each split, shape (children, classes) each.
        leaf: epsilon that is left below the root: in a tree of one level what the class counts of a leaf cost.
    """

    scores: Scores
    epsilon: Fraction
    mechanism: Mechanism
    sides: tuple[Table, ...]
    leaf: Fraction


def first_split(model: Any, X: Any, y: Any) -> FirstSplit | None:
    """Return the question that a tree asks at its root, or ``None`` where it is one leaf.

    Its exact law is ``mechanism.pmf(scores, epsilon)``. Nothing is drawn or spent; the table must be public or made
    up.

    Args:
        model: a :class:`DPTreeClassifier`, or a :class:`DPID3Classifier` of one tree with a named criterion.
        X, y: a public table, as for ``fit``.

    Raises:
        TypeError: another model.
        ValueError, PrivacyError: as ``fit``.

    >>> from dpselect.learn import DPTreeClassifier
    >>> X, y = [[age] for age in range(400)], [int(age >= 200) for age in range(400)]
    >>> asked = first_split(DPTreeClassifier(1, max_depth=1, bins=4, domains={0: (0, 400)}, classes=[0, 1]), X, y)
    >>> asked.scores.candidates
    ['0 < 100', '0 < 200', '0 < 300']
    >>> [round(float(chance), 3) for chance in asked.mechanism.pmf(asked.scores, asked.epsilon)]
    [0.0, 1.0, 0.0]
    """
    with _public_plan(model, X, y) as (data, program, _):
        plan = program.plan(data.records.rows)
        tables = [level[0] for level in data.records.again().level(1)]
        total = data.records.again().totals(1).sum(axis=1)
        path_codes = [np.ones((1, each.size), dtype=np.bool_) for each in data.known.attributes]
    if not plan.depth or plan.stops(0, total, path_codes)[0]:
        return None
    below = plan.total - plan.count - plan.splits[0]
    asked = _binary(plan, tables) if isinstance(plan.splitter, BestBinary) else _multiway(plan, tables)
    return FirstSplit(asked[0], plan.splits[0], asked[1], asked[2], below)


def without_noise(model: Any, X: Any, y: Any) -> Any:
    """Return a fitted copy of a tree as it grows from a public table when the best split wins and counts are exact.

    Depth, order of questions and pruning are those of a fit at the same epsilon. The copy promises nothing:
    ``privacy_spent_`` is ``None``.

    Args:
        model, X, y: as for :func:`first_split`.

    Raises:
        TypeError, ValueError, PrivacyError: as :func:`first_split`.

    >>> from dpselect.learn import DPTreeClassifier
    >>> X, y = [[age] for age in range(400)], [int(age >= 200) for age in range(400)]
    >>> tree = without_noise(DPTreeClassifier(1, bins=4, domains={0: (0, 400)}, classes=[0, 1]), X, y)
    >>> print(tree.export_text(), tree.privacy_spent_)
    0 < 200: 0 (1: 0 %, 0 to 7; records: 200)
    0 >= 200: 1 (1: 100 %, 93 to 100; records: 200) None
    """
    with _public_plan(model, X, y) as (data, program, fitted):
        session_factory = Session(
            PrivacyFilter(fitted._share(epsilon_of(fitted)), Neighbours.ADD_REMOVE), BestOutcomes()
        )
        fitted._adopt(data, program(data.records, session_factory), fitted._promise(epsilon_of(fitted)))
    fitted.privacy_spent_ = None
    fitted._name_features([each.name for each in fitted.attributes_])
    return fitted


def leaf_epsilons(model: Any, X: Any, y: Any) -> tuple[Table, NDArray[np.float64]]:
    """Return the class counts of the leaves of :func:`without_noise` before pruning, (leaves, classes), and epsilons.

    Args:
        model, X, y: as for :func:`first_split`.
    """
    return leaves_of(grown_without_noise(model, X, y), model, X, y)


def grown_without_noise(model: Any, X: Any, y: Any) -> Tree:
    """Return the tree of :func:`without_noise` before pruning."""
    whole = clone(model).set_params(prune="none") if isinstance(model, DPID3Classifier) else model
    grown: Tree = without_noise(whole, X, y).trees_[0].whole_tree
    return grown


def leaves_of(tree: Tree, model: Any, X: Any, y: Any) -> tuple[Table, NDArray[np.float64]]:
    """Return the class counts of the leaves of a grown tree, and the epsilon that a fit would pay for each of them."""
    with _public_plan(model, X, y) as (data, program, _):
        plan = program.plan(data.records.rows)
    spent = np.cumsum([0.0, *(float(plan.count + split) for split in plan.splits)])
    depth = tree.depth[tree.leaves]
    # A leaf above the full depth was asked for its size, before it ended.
    sized = np.where(depth < plan.depth, float(plan.count), 0.0)
    return tree.counts[tree.leaves].astype(np.int64), float(plan.total) - spent[depth] - sized


class BestOutcomes(FirstOutcomes):
    """Outcomes that are what is best, and counts as they are."""

    def winners(self, sampler: Sampler, ticks: Integers, rate: Fraction, k: int) -> list[int]:  # noqa: ARG002
        """Return the best candidates."""
        order: list[int] = np.argsort(-ticks, kind="stable")[:k].tolist()
        return order

    def rows(self, ticks: Integers, valid: NDArray[np.bool_], rate: Fraction) -> Integers:  # noqa: ARG002
        """Return the best valid candidate of every row."""
        least = np.iinfo(np.int64).min
        return np.asarray(np.where(valid, ticks, least).argmax(axis=1), dtype=np.int64)


@contextmanager
def _public_plan(model: Any, X: Any, y: Any) -> Iterator[tuple[TrainingData, TreeFitPlan, Any]]:
    """Yield a public table, the plan of a fit to it, and a copy of the model that has no ledger."""
    if not isinstance(model, (DPTreeClassifier, DPID3Classifier)):
        raise InputTypeError(
            "Pass a DPTreeClassifier or a DPID3Classifier: other models do not grow one tree by one rule."
        )
    fitted = clone(model).set_params(ledger=None)
    epsilon = epsilon_of(fitted)
    fitted._check()
    # Public rows cost nothing, whatever budget the caller has open.
    with use_accountant(None), fitted._data(X, y) as data:
        fitted._check_data(data)
        program = fitted._dry_run_plan(data.known, epsilon)
        if not isinstance(program, TreeFitPlan) or program.trees > 1 or program.variants:
            raise InputTypeError(
                "Pass one tree with a named criterion: several share their rows or decide node by node."
            )
        yield data, program, fitted


def _binary(plan: TreePlan, tables: Sequence[Table]) -> tuple[Scores, Mechanism, tuple[Table, ...]]:
    """Return the cuts of the default tree, in the order in which it asks for them."""
    assert isinstance(plan.splitter, BestBinary)
    sides: dict[str, Table] = {}
    for attribute, table in zip(plan.splitter.attributes, tables, strict=True):
        allowed = cuts(attribute, np.ones((1, attribute.size), dtype=np.bool_))[0]
        left = table.cumsum(axis=0)[:-1] if attribute.is_ordered else table
        both = np.stack([left, table.sum(axis=0) - left], axis=1)
        for cut in np.flatnonzero(allowed).tolist():
            codes = np.arange(cut + 1) if attribute.is_ordered else np.array([cut])
            sides[f"{attribute.name} {attribute.meaning(codes)}"] = both[cut]
    return misclassified(sides), require_mechanism("permute-and-flip"), tuple(sides.values())


def _multiway(plan: TreePlan, tables: Sequence[Table]) -> tuple[Scores, Mechanism, tuple[Table, ...]]:
    """Return the columns among which ID3 chooses."""
    assert isinstance(plan.splitter, Multiway)
    assert plan.splitter.utility is not None
    assert plan.splitter.mechanism is not None
    several = {
        str(attribute.name): table
        for attribute, table in zip(plan.splitter.attributes, tables, strict=True)
        if attribute.size > 1
    }
    return plan.splitter.utility(several), plan.splitter.mechanism, tuple(several.values())  # type: ignore[arg-type]

"""What each part of the default tree is worth: mean accuracy over six datasets with one part changed at a time.

DPSELECT_DATA=... python -m research.comparisons.trees_ablation [--repeats 8]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np

from dpselect.kernel.bound import Bound
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.privacy_filter import use_accountant
from dpselect.learn import default_tree
from dpselect.learn.builder import BestBinary
from dpselect.learn.prune import prune_by_evidence
from dpselect.learn.training import of_frame
from dpselect.release.open_session import open_session
from dpselect.utilities.splits import row_scores_gini, row_scores_max
from dpselect.views import Records
from research.comparisons.trees import load

SETS = ("adult", "nltcs", "mushroom", "nursery", "wine", "pendigits")
EPSILONS = (0.1, 1.0)


def only(rows: Callable[[Any], Any], sensitivity: int) -> Callable[..., Any]:
    """The splitter with another criterion."""
    return lambda known, *_: BestBinary(known, rows, Bound(sensitivity))


def twice(known: Any, rows: Any, bound: Bound) -> Any:
    """The splitter as if the range bound were 2."""
    return BestBinary(known, rows, bound.times(2))


def deeper(by: int) -> Callable[[int, float], int]:
    """The depth rule, moved."""
    rule = default_tree.fitting_depth
    return lambda size, epsilon: max(1, rule(size, epsilon) + by)


def alone(drawn: Any) -> Any:
    """A tree that never was another one, and says what its counts say."""
    drawn._pruned, drawn.noise = None, None
    return drawn


VARIANTS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "range bound 2 instead of 1": {"BestBinary": twice},
    "max operator only": {"BestBinary": only(lambda r: row_scores_max(r) - r.sum(axis=-1), 1)},
    "Gini only": {"BestBinary": only(row_scores_gini, 2)},
    "labels of the drawing": {"prune_by_evidence": lambda tree, noise: alone(prune_by_evidence(tree, noise))},
    "shares without shrinking": {"shrunk_shares": lambda tree, _: tree.counts},
    "one level less": {"fitting_depth": deeper(-1)},
    "one level more": {"fitting_depth": deeper(1)},
    "half for splits": {"_SPLITS": Fraction(1, 2)},
    "the same for every level": {"_GROWTH": Fraction(1)},
    "64 bins": {"bins": 64},
    "16 bins": {"bins": 16},
}


def accuracy(data: Any, changes: dict[str, Any], epsilon: float, repeats: int) -> float:
    """Mean accuracy over splits of one dataset."""
    columns, target, domains, classes = data
    bins = changes.get("bins", 32)
    model = default_tree.DPTreeClassifier(epsilon, bins=bins)
    read = of_frame(columns, target, replace(model._reading(), domains=domains, classes=classes))
    known, codes, labels = read.known.attributes, read.records.codes, read.records.labels
    sizes, right = tuple(each.size for each in known), []
    with ExitStack() as stack:
        for name, value in changes.items():
            if name != "bins":
                stack.enter_context(patch.object(default_tree, name, value))
        for repeat in range(repeats):
            order = np.random.default_rng(repeat).permutation(labels.size)
            train, test = order[: labels.size * 4 // 5], order[labels.size * 4 // 5 :]
            grow = model._fit_plan(known, classes, Fraction(str(epsilon)))
            records = Records([each[train] for each in codes], labels[train], sizes, len(classes))
            with use_accountant(None), open_session(Guarantee(epsilon, "add-remove")) as draws:
                tree = grow(records, draws)[0]
            shares = model._shares(tree.whole_tree)
            predicted = shares.argmax(axis=1)[tree.whole_tree.apply([each[test] for each in codes])]
            right.append((predicted == labels[test]).mean())
    return float(np.mean(right))


def main() -> None:
    """Print one line per variant."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=8)
    args = parser.parse_args()
    data = {name: load(name) for name in SETS}
    print(" " * 28 + "".join(f"{name[:9]:>10}{epsilon:>5g}" for name in SETS for epsilon in EPSILONS) + "      mean")
    for label, changes in VARIANTS.items():
        figures = [accuracy(data[n], changes, e, args.repeats) for n in SETS for e in EPSILONS]
        print(f"{label:<28}" + "".join(f"{f:>15.3f}" for f in figures) + f"{np.mean(figures):>10.4f}", flush=True)


if __name__ == "__main__":
    main()

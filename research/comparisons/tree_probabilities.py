"""What shares from the whole tree are worth, and how often noise is drawn.

    DPSELECT_DATA=... python -m research.comparisons.tree_probabilities [--splits 5] [--fits 50]

Accuracy, AUC and log-loss of three readings of the same release, so differences are paired: ``before``, the shares of
leaves of a tree pruned by what its splits save (the product until then), ``whole``, those of all leaves, and ``now``,
those shrunk toward the parents, which the product says. ``drawing`` is what its leaves would label. Then trees of
targets that no column knows anything about: how many of a hundred are drawn as one leaf.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.learn import DPTreeClassifier
from dpselect.learn.prune import errors_of
from dpselect.learn.tree import Tree
from research.comparisons.learners_measures import measures
from research.comparisons.trees import SETS, load

EPSILONS = (0.1, 1.0, 4.0)
READINGS = ("before", "whole", "now")
CHANCES = ([0.5, 0.5], [0.8, 0.2], [0.4, 0.3, 0.1, 0.1, 0.1], [0.1] * 10)
ROWS, NOISES = (200, 1000, 5000, 30_000), (0.1, 1.0, 10.0)


def pruned_by_gain(tree: Tree, epsilon: float) -> Tree:
    """Keep a split if it saves more errors than the noise of the leaves below would pretend: the rule until then."""
    noise, errors = math.sqrt(2) / epsilon, errors_of(tree.counts)
    below, leaves, ends = errors.copy(), np.ones(tree.split.size), np.zeros(tree.split.size, dtype=np.bool_)
    for node in np.flatnonzero(tree.split >= 0)[::-1].tolist():
        children = tree.children(node)
        saved, many = errors[node] - below[children].sum(), leaves[children].sum()
        if saved > noise * math.sqrt(many):
            below[node], leaves[node] = errors[node] - saved, many
        else:
            ends[node] = True
    return tree.prune(ends)


def shares_of(tree: Tree) -> NDArray[np.float64]:
    """The shares of every node by its own counts."""
    counts = tree.counts + 1e-3
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def readings(model: DPTreeClassifier, rows: Any, y: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    """Accuracy, AUC and log-loss of every reading; accuracy, leaves before and leaves of the drawing."""
    drawn, codes = model.trees_[0], model._read_again(rows)
    whole = drawn.whole_tree
    assert drawn.noise is not None
    before = pruned_by_gain(whole, math.sqrt(2) / drawn.noise)
    said = {
        "before": shares_of(before)[before.apply(codes)],
        "whole": shares_of(whole)[whole.apply(codes)],
        "now": model.predict_proba(rows),
    }
    result = {name: np.array(measures(y, each)[:3]) for name, each in said.items()}
    labels = drawn.counts.argmax(axis=1)[drawn.apply(codes)]
    result["drawing"] = np.array([np.mean(labels == y), before.leaves.size, drawn.leaves.size])
    return result


def accuracy(names: list[str], splits: int) -> None:
    """Print a line for each dataset and epsilon."""
    print(f"Means over {splits} splits, before -> whole -> now")
    head = f"{'':<14}{'epsilon':>8}{'accuracy':>24}{'AUC':>24}{'log-loss':>24}"
    print(f"{head}{'accuracy of the drawing':>26}{'leaves drawn, before -> now':>30}")
    for name in names:
        columns, target, domains, classes = load(name)
        codes = {value: code for code, value in enumerate(classes)}
        labels = np.array([codes[value] for value in columns[target].tolist()])
        for epsilon in EPSILONS:
            figures = defaultdict(list)
            for split in range(splits):
                order = np.random.default_rng(split).permutation(labels.size)
                train, test = order[: labels.size * 4 // 5], order[labels.size * 4 // 5 :]
                model = DPTreeClassifier(epsilon, domains=domains, classes=classes)
                model.fit({column: values[train] for column, values in columns.items()}, target)
                place = np.array([model.classes_.tolist().index(each) for each in classes])[labels[test]]
                rows = {column: columns[column][test] for column in domains if column != target}
                for reading, each in readings(model, rows, place).items():
                    figures[reading].append(each)
            mean = {reading: np.mean(each, axis=0) for reading, each in figures.items()}
            shown = "".join(f"{' -> '.join(f'{mean[r][at]:.3f}' for r in READINGS):>24}" for at in range(3))
            drawn = mean["drawing"]
            print(
                f"{name:<14}{epsilon:>8g}{shown}{drawn[0]:>26.3f}{f'{drawn[1]:.0f} -> {drawn[2]:.0f}':>30}", flush=True
            )


def noise(fits: int) -> None:
    """Print how often a target of noise is drawn as one leaf."""
    domains: dict[str, Any] = {f"n{i}": (0, 1) for i in range(5)} | {f"c{i}": list("abcd") for i in range(3)}
    print(f"\nOf a hundred trees of a target of noise, drawn as one leaf ({fits} fits): before -> now")
    print(f"{'classes':<30}{'rows':>8}" + "".join(f"{f'epsilon {e:g}':>16}" for e in NOISES))
    rng = np.random.default_rng(0)
    for chances in CHANCES:
        for rows in ROWS:
            line = ""
            for epsilon in NOISES:
                ones = np.zeros(2)
                for _ in range(fits):
                    table = {c: rng.random(rows) if c[0] == "n" else rng.choice(list("abcd"), rows) for c in domains}
                    model = DPTreeClassifier(epsilon, domains=domains, classes=list(range(len(chances))))
                    drawn = model.fit(table, rng.choice(len(chances), rows, p=chances)).trees_[0]
                    assert drawn.noise is not None
                    before = pruned_by_gain(drawn.whole_tree, math.sqrt(2) / drawn.noise)
                    ones += before.leaves.size == 1, drawn.leaves.size == 1
                line += f"{' -> '.join(f'{100 * one / fits:.0f}' for one in ones):>16}"
            print(f"{'/'.join(f'{chance:g}' for chance in chances):<30}{rows:>8}{line}", flush=True)


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--fits", type=int, default=50)
    parser.add_argument("--datasets", nargs="+", default=list(SETS))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    accuracy(args.datasets, args.splits)
    noise(args.fits)


if __name__ == "__main__":
    main()

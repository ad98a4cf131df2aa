"""Does a private search pay? The default tree at the whole epsilon, beside the best depth that a search finds.

    DPSELECT_DATA=... python -m research.comparisons.search [NAME ...] [--repeats 10] [--epsilons 0.1 1]

Mean test accuracy over repeated 80/20 splits, the same splits for all. Six depths, the default's own rule among them.
Searches hold 30 % of the records out; "all once" grows every depth at a sixth of epsilon and takes the best by its
noisy score.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

import dpselect as dps
from research.comparisons.trees import load

SETS = ("adult", "pendigits")
DEPTHS = (1, 2, 4, 6, 8, None)
GAMMA = Fraction(3, 100)


def fits(tree: Any, epsilon: float) -> dict[str, Callable[[], Any]]:
    """Name to what is fitted, all at the same price."""
    grid = {"max_depth": list(DEPTHS)}
    return {
        "default": lambda: tree.set_params(epsilon=epsilon),
        "search": lambda: dps.learn.DPSearch(tree, grid, epsilon, gamma=GAMMA),
        "search and refit": lambda: dps.learn.DPSearch(tree, grid, epsilon, gamma=GAMMA, refit=epsilon / 2),
    }


def all_once(tree: Any, epsilon: float, table: Any, target: str, out: np.ndarray) -> Any:
    """Every depth at a sixth of epsilon, and the one with the best noisy score on records held out."""
    share = Fraction(str(epsilon)) / len(DEPTHS)
    train = {name: values[~out] for name, values in table.items()}
    held = {name: values[out] for name, values in table.items()}

    def run(depth: int | None, draws: Any) -> tuple[Any, int]:
        with draws.disjoint(2) as (first, second):
            with first.use_accountant():
                model = dps.learn.DPTreeClassifier(share, **tree, max_depth=depth).fit(train, target)
            right = np.count_nonzero(model.predict(held) == held[target])
            return model, int(second.counts(np.array([right]), share, dps.mechanisms.Bound(1))[0])

    best = None
    for depth in DEPTHS:
        with dps.open_session(dps.Guarantee(share, "add-remove")) as draws:
            model, score = run(depth, draws)
        best = (score, model) if best is None or score > best[0] else best
    assert best is not None
    return best[1]


def measured(name: str, epsilon: float, repeats: int) -> dict[str, list[float]]:
    """Test accuracy of each, split by split."""
    columns, target, domains, classes = load(name)
    public, rng = {"domains": domains, "classes": classes}, np.random.default_rng(0)
    accuracy: dict[str, list[float]] = {}
    for _ in range(repeats):
        order = rng.permutation(columns[target].size)
        test, rest = order[: order.size // 5], order[order.size // 5 :]
        table = {column: values[rest] for column, values in columns.items()}
        trial = {column: columns[column][test] for column in domains}

        def note(kind: str, model: Any, trial: Any = trial, test: Any = test) -> None:
            right = float((model.predict(trial) == columns[target][test]).mean())
            accuracy.setdefault(kind, []).append(right)

        tree = dps.learn.DPTreeClassifier(**public)
        for kind, make in fits(tree, epsilon).items():
            model = make().fit(table, target)
            if getattr(model, "best_estimator_", model) is not None:
                note(kind, model)
        note("all once", all_once(public, epsilon, table, target, rng.random(rest.size) < 0.3))
    return accuracy


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=SETS)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--epsilons", type=float, nargs="*", default=(0.1, 1.0))
    args = parser.parse_args()
    start = time.process_time()
    print(
        f"depths {DEPTHS}, {dps.tuning.tuning_plan(len(DEPTHS), epsilon=1, gamma=GAMMA)}; "
        "mean accuracy and its standard error"
    )
    for name in args.names:
        for epsilon in args.epsilons:
            for kind, values in measured(name, epsilon, args.repeats).items():
                error = np.std(values, ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.nan
                print(f"{name:10} epsilon {epsilon:<4g} {kind:18} {np.mean(values):.3f} +- {error:.3f}", flush=True)
    print(f"{time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()

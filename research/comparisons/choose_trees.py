"""Choosing the tree: held-out regret of the chooser, its rival and every fixed tree, over eight datasets.

    DPSELECT_DATA=... python -m research.comparisons.choose_trees [--traces choose_trees.parquet] [--jobs 1]

Regret of a pipeline is its mean error, metafeatures paid from the same epsilon, over the least mean error of any single
tree given all of it; a dataset is left out together with its samples and its other targets, which only train. Twenty
runs per cell (four where it only trains), one 80/20 split per dataset.
"""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np

from dpselect import adaptive
from dpselect.adaptive import tree_options
from dpselect.adaptive.regret import leave_out
from research.comparisons.trees import load

SETS = ("hiv1625", "nursery", "contraceptive", "mushroom", "adult", "nltcs", "wine", "pendigits")
# Samples (of so many rows) and other targets: public data that trains, but is not measured.
SAMPLES = {
    "nursery": 3000,
    "mushroom": 2000,
    "adult": 5000,
    "nltcs": 4000,
    "wine": 1500,
    "pendigits": 3000,
    "acs": 6000,
}
TARGETS: dict[str, tuple[str, ...]] = {"nltcs": ("a13",), "mushroom": ("odor",)}
EPSILONS = [Fraction(3, 100), Fraction(1, 10), Fraction(3, 10), Fraction(1), Fraction(3)]
SHARE = Fraction(1, 20)
FORMULA = "exp(a) + exp(b) * (1 + max(rows, 0) * epsilon / (branching * classes)) ** c"


def table(name: str, target: str | None = None, rows: int | None = None) -> tree_options.LabelledTable:
    """Codes of one dataset, split once."""
    columns, target, domains, classes = load(name, target)
    codes, known = {}, {}
    for column, domain in domains.items():
        if isinstance(domain, list):
            place = {value: code for code, value in enumerate(domain)}
            codes[column] = np.array([place[value] for value in columns[column].tolist()])
            known[column] = list(range(len(domain)))
        else:
            codes[column], known[column] = columns[column], domain
    labels = np.searchsorted(classes, columns[target])
    order = np.random.default_rng(8).permutation(labels.size)
    cut = labels.size // 5
    test, train = order[:cut], order[cut:][: rows or labels.size]
    held_out = {column: values[test] for column, values in codes.items()}
    training = {column: values[train] for column, values in codes.items()}
    return tree_options.LabelledTable(
        training, labels[train], known, list(range(len(classes))), (held_out, labels[test])
    )


def databases() -> tuple[dict[str, tree_options.LabelledTable], dict[str, str]]:
    """Every table and its group."""
    tables = {name: table(name) for name in (*SETS, "acs")}
    groups = {name: name for name in tables}
    for name, rows in SAMPLES.items():
        tables[f"{name}, {rows} rows"] = table(name, rows=rows)
        groups[f"{name}, {rows} rows"] = name
    for name, targets in TARGETS.items():
        for target in targets:
            tables[f"{name}, {target}"] = table(name, target)
            groups[f"{name}, {target}"] = name
    return tables, groups


def maker_of(names: tuple[str, ...]) -> adaptive.AdaptiveAlgorithm:
    """Who chooses among these trees and pays for metafeatures."""
    return adaptive.AdaptiveAlgorithm(
        tree_options.options(names=names),
        tree_options.metafeatures(),
        tree_options.error_rate,
        share=SHARE,
        derived=tree_options.DERIVED,
        features=tree_options.FEATURES,
    )


def report(traces: adaptive.Traces) -> None:
    """Regret of A1 to A5 alone, and with the default tree."""
    totals = [float(epsilon) for epsilon in EPSILONS]
    for title, names in (
        ("A1 to A5", tree_options.THE_FIVE),
        ("A1 to A5 and the default tree", (*tree_options.THE_FIVE, "default")),
    ):
        paid = maker_of(names).recipe
        free = adaptive.AdaptiveAlgorithm(
            tree_options.options(names=names), tree_options.free_metafeatures(), tree_options.error_rate
        ).recipe
        recipes = {
            "regret tree on all features (5% paid)": replace(paid, learner="regret-tree"),
            "forest on all features (5% paid)": paid,
            "regret tree on support (5% paid)": replace(paid, seen_by=("support",), learner="regret-tree"),
            "forest on support (5% paid)": replace(paid, seen_by=("support",)),
            "forest on public facts (free)": free,
            "regret tree on public facts (free)": replace(free, learner="regret-tree"),
            "the option best in training (free)": replace(free, learner="fixed"),
        }
        regret = leave_out(traces, recipes, names, totals, measured=SETS)
        print(f"## {title}\n\n{regret}\n")
        for policy in list(recipes)[:4]:
            cells = ", ".join(
                f"{over:.3f} at {epsilon:g}" for epsilon, over in regret.against_best_fixed(policy).items()
            )
            print(f"{policy}, over the best fixed option of each cell: {cells}")
        print()
        if "default" not in names:
            print(synthesis(traces, names, totals), "\n")


def synthesis(traces: adaptive.Traces, names: tuple[str, ...], totals: list[float]) -> adaptive.Prediction:
    """A programmer's formula: what the data allow at best, and what noise adds, by records per value and class."""
    maker = maker_of(names)
    print(f"synthesis: every option's error as {FORMULA}")
    return adaptive.fit_prediction(FORMULA, maker.learn(traces, totals))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--traces", default="choose_trees.parquet")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=20)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    start = time.process_time()
    tables, groups = databases()
    maker = adaptive.AdaptiveAlgorithm(
        tree_options.options(), tree_options.metafeatures(), tree_options.error_rate, share=SHARE, learner="fixed"
    )
    how = {"traces": args.traces, "jobs": args.jobs}
    originals = {name: groups[name] for name in SETS}
    maker.train({name: tables[name] for name in SETS}, EPSILONS, args.repetitions, groups=originals, **how)
    maker = maker.train(tables, EPSILONS, min(4, args.repetitions), groups=groups, **how)
    report(maker.trained.traces)
    print(f"{len(maker.trained.traces)} runs, {time.process_time() - start:.0f} s of processor time in this process")


if __name__ == "__main__":
    main()

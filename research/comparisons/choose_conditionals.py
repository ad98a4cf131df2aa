"""Noisy conditionals: trees that decide node by node, learned on other datasets, beside A1 and A2.

    DPSELECT_DATA=... python -m research.comparisons.choose_conditionals [--repetitions 20]

Mean test error on the same split for all; the conditional is learned on the seven other datasets. All trees have three
levels and the exponential mechanism; A1 stops by its rule and prunes, A2 does neither. The learned tree is shown with
and without C4.5 pruning.
"""

from __future__ import annotations

import argparse
import time
import warnings
from fractions import Fraction

import numpy as np

from dpselect.adaptive import NoisyChoice, tree_options
from dpselect.learn import THE_FIVE, DPID3Classifier
from research.comparisons.choose_trees import EPSILONS, SETS, table


def errors(kind, table: tree_options.LabelledTable, epsilon: Fraction, repetitions: int, **settings) -> float:
    """Mean test error of several fits."""
    public = {"domains": table.domains, "classes": table.classes, "max_records": 100_000}
    return float(
        np.mean(
            [
                tree_options.error_rate(table, kind(epsilon, **public, **settings).fit(table.columns, table.labels))
                for _ in range(repetitions)
            ]
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repetitions", type=int, default=20)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    start = time.process_time()
    tables = {name: table(name) for name in SETS}
    every = NoisyChoice.learn(tables, EPSILONS, repetitions=6, rounds=2)
    print(f"learned from {every.traces['rows'].size} nodes, {time.process_time() - start:.0f} s of processor time\n")
    head = ["A1", "A2", "learned", "learned, pruned"]
    print(f"{'dataset':<14} {'epsilon':>7} " + " ".join(f"{name:>15}" for name in head))
    ratios = []
    for name, data in tables.items():
        learned = every.without(name)
        for epsilon in EPSILONS:
            row = [
                errors(THE_FIVE["A1"], data, epsilon, args.repetitions),
                errors(THE_FIVE["A2"], data, epsilon, args.repetitions),
                *(
                    errors(
                        DPID3Classifier,
                        data,
                        epsilon,
                        args.repetitions,
                        criterion=learned,
                        mechanism="exponential",
                        prune=prune,
                    )
                    for prune in ("none", "c4.5")
                ),
            ]
            ratios.append(np.array(row) / min(row))
            print(f"{name:<14} {float(epsilon):>7g} " + " ".join(f"{each:>15.4f}" for each in row), flush=True)
    print(f"{'mean regret':<22} " + " ".join(f"{each:>15.3f}" for each in np.mean(ratios, axis=0)))
    print(f"{'worst regret':<22} " + " ".join(f"{each:>15.3f}" for each in np.max(ratios, axis=0)))
    print(f"\n{time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()

"""The library's forest beside one pruned by hierarchical heavy hitters, on tables where one class is rare.

    python -m research.comparisons.pruned_forests             # results/pruned_forests.txt
    python -m research.comparisons.pruned_forests --fitted    # tables on which settings may be chosen

AUC and average precision at epsilon .5, 1 and 4, means over two 80/20 splits, the same for both forests. Both promise
(epsilon, 10^-6). Settings of the pruned forest were chosen on six tables of ``unbalanced_tables.FITTED``, at split 90.
Then accuracy and AUC where no class is rare, at one split.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from research.comparisons import learners_measures
from research.comparisons.learners_ours import OURS, Learner, estimator
from research.comparisons.learners_tables import coded, trained
from research.comparisons.unbalanced import EPSILONS, RANKED, SPLITS, figures_of, measures, stored
from research.comparisons.unbalanced import STORED as UNBALANCED
from research.comparisons.unbalanced_tables import FITTED, TABLES, YES, unbalanced_table
from research.engine import data
from research.engine.data import Table
from research.papers.baselines.pruned_forest import HeavyHitterForest

STORED = UNBALANCED.parent / "pruned_forests.txt"
EVEN = ("nursery", "adult", "wine")
LEARNERS: dict[str, Learner] = {"forest": OURS["forest"], "pruned": estimator(HeavyHitterForest)}


def rare_class(table: Table, train: NDArray[np.bool_], chances: NDArray[np.float64]) -> tuple[float, float]:
    """Return AUC and average precision of the rare class."""
    rare = table.columns[table.target] == YES
    return measures(rare[~train], chances[:, 1])[:2]


def all_classes(table: Table, train: NDArray[np.bool_], chances: NDArray[np.float64]) -> tuple[float, float]:
    """Return accuracy, and AUC of each class against the rest."""
    return learners_measures.measures(coded(table)["y"][~train], chances)[:2]


def comparison(name: str, table: Table, splits: Sequence[int], rare: bool) -> str:
    """Return a line of a table: the first measure of both forests, then the second."""
    found = np.zeros((2, len(LEARNERS), len(EPSILONS)))
    for split in splits:
        train = trained(len(table), split)
        for column, run in enumerate(LEARNERS.values()):
            for place, epsilon in enumerate(EPSILONS):
                measured = (rare_class if rare else all_classes)(table, train, run(table, epsilon, train))
                found[:, column, place] += np.array(measured) / len(splits)
    cells = [" / ".join(f"{x:.3f}".removeprefix("0") for x in row) for row in found.reshape(-1, len(EPSILONS))]
    return f"| {name} | " + " | ".join(cells) + " |"


def header(*names: str) -> list[str]:
    """Return the first two lines of a table of two measures."""
    cells = " | ".join(f"{measure}: {name}" for measure in names for name in LEARNERS)
    return [f"| data | {cells} |", "|---" * (1 + len(names) * len(LEARNERS)) + "|"]


def ahead(lines: Sequence[str]) -> tuple[int, int]:
    """Return in how many cells the pruned forest is ahead, to three digits, by each measure.

    >>> ahead(["| groups | .5 / .6 / .7 | .6 / .6 / .8 | .1 / .1 / .1 | .2 / .1 / .0 |"])
    (2, 1)
    """
    cells = [[[float(x) for x in cell.split("/")] for cell in line.strip("| ").split("|")[1:]] for line in lines]
    first = sum(b > a for each in cells for a, b in zip(each[0], each[1], strict=True))
    return first, sum(b > a for each in cells for a, b in zip(each[2], each[3], strict=True))


def beside_stored(learner: str = "forest") -> list[str]:
    """Return the stored lines with the fits of a learner of ``unbalanced``, on the same splits, in place of ours."""
    rows, result = stored(), []
    figures = [figures_of(rows, measure) for measure in RANKED]
    for line in STORED.read_text(encoding="utf-8").split("\n\n")[0].splitlines()[2:]:
        cells = line.strip("| ").split(" | ")
        for place, each in zip((1, 3), figures, strict=True):
            values = [each.of(cells[0], learner, epsilon) for epsilon in EPSILONS]
            cells[place] = " / ".join(f"{np.mean([value[split] for split in SPLITS[:2]]):.3f}" for value in values)
        result.append("| " + " | ".join(cells) + " |")
    return result


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fitted", action="store_true", help="tables on which settings may be chosen")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    print(*header("AUC", "AP"), sep="\n")
    for name in FITTED if args.fitted else TABLES:
        print(comparison(name, unbalanced_table(name), (90,) if args.fitted else SPLITS[:2], True), flush=True)
    if not args.fitted:
        print("", *header("accuracy", "AUC"), sep="\n")
        for name in EVEN:
            print(comparison(name, data.table(name), SPLITS[:1], False), flush=True)


if __name__ == "__main__":
    main()

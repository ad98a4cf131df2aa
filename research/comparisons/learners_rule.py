"""The defaults rule of the learners, fitted on eight tables and shown on the ninth.

    DPSELECT_DATA=... python -m research.comparisons.learners_rule CELLS   # fits what is missing, takes half an hour
    python -m research.comparisons.learners_rule                           # the stored figures

Three constants of the rule are fitted by leaving one table out, on splits that are not reported: how much signal a
part of a tile gets, below which n epsilon tiles have one column, and below which the tree is taken. Fitted is what has
the least log-loss + 1 - AUC over the other eight tables. The left-out table's figures are of the reported splits.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from dpselect import learn
from dpselect.learn.boosted import rule as rules
from dpselect.learn.learner_choice import FROM
from research.comparisons.learners_measures import measures
from research.comparisons.learners_ours import OURS, estimator, fit
from research.comparisons.learners_peers import DELTA, where
from research.comparisons.learners_tables import FITTED, REPORTED, coded, trained
from research.comparisons.trees import SETS
from research.engine import data

STORED = Path(__file__).parent / "results" / "learners_rule.txt"
EPSILONS = (0.5, 1.0, 4.0)
PER_PART = (4.0, 6.0, 9.0)
ADDITIVE_BELOW = (0.0, 2000.0, 5000.0, 10_000.0, 30_000.0)
TREE_BELOW = (0.0, 250.0, 500.0, 1000.0, 2000.0)
# So many of the splits, of those to fit on and of those to show on.
FIT, SHOW = FITTED[:2], REPORTED[:5]


@dataclass(frozen=True)
class Setting:
    """Constants of the rule."""

    per_part: float = rules.BY_RHO_RULE.per_part
    additive_below: float = float(rules.ADDITIVE_BELOW)
    tree_below: float = float(FROM)

    def learner(self, mass: float) -> str:
        """Return which learner it takes for that n epsilon."""
        if mass < self.tree_below:
            return "tree"
        return f"boosted-{self.per_part:g}-{'additive' if mass < self.additive_below else 'joint'}"

    def __str__(self) -> str:
        return f"{self.per_part:g} / {self.additive_below:g} / {self.tree_below:g}"


class _Varied(learn.DPBoostedTreesClassifier):
    """The boosted learner with another amount of signal for each part."""

    per_part = 6.0

    def _boosting(self, *args: Any) -> Any:
        planned = super()._boosting(*args)
        return replace(planned, rule=replace(planned.rule, per_part=self.per_part))


def varied(per_part: float, joint: bool) -> Any:
    """Return the learner that fits such a boosted model."""
    kind = type("Varied", (_Varied,), {"per_part": per_part})
    return estimator(lambda epsilon, **k: kind(epsilon, delta=DELTA, interactions=joint, **k))


LEARNERS = {name: OURS[name] for name in ("tree", "boosted")} | {
    f"boosted-{per_part:g}-{name}": varied(per_part, name == "joint")
    for per_part, name in product(PER_PART, ("additive", "joint"))
}


class Cells:
    """Mean AUC and log-loss of a learner on some splits of a table, fitted where it is missing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows: dict[str, int] = {}
        self.known: dict[tuple[str, str, float, tuple[int, ...]], tuple[float, float]] = {}

    def mean(self, name: str, learner: str, epsilon: float, splits: tuple[int, ...]) -> tuple[float, float]:
        """Return AUC and log-loss."""
        key = (name, learner, epsilon, splits)
        if key not in self.known:
            table = data.table(name)
            y, result = coded(table)["y"], []
            for split in splits:
                fit(self.folder, name, table, learner, epsilon, split, LEARNERS[learner])
                with np.load(where(self.folder, name, learner, epsilon, split)) as cell:
                    result.append(measures(y[~trained(len(y), split)], cell["probabilities"].astype(float)))
            self.known[key] = float(np.mean(result, axis=0)[1]), float(np.mean(result, axis=0)[2])
        return self.known[key]

    def under(self, setting: Setting, name: str, epsilon: float, splits: tuple[int, ...]) -> tuple[float, float]:
        """Return the same of what a setting takes."""
        if name not in self.rows:
            self.rows[name] = len(data.table(name)) * 4 // 5
        mass = self.rows[name] * epsilon
        learner = setting.learner(mass)
        if splits == SHOW and learner == Setting().learner(mass) != "tree":
            # What the learner does by default was fitted for the comparison.
            learner = "boosted"
        return self.mean(name, learner, epsilon, splits)


def fitted(cells: Cells, left_out: str) -> Setting:
    """Return the setting that is best on the other tables; of equals the one nearest to the default comes first."""

    def loss(setting: Setting) -> float:
        total = 0.0
        for name, epsilon in product(SETS, EPSILONS):
            if name != left_out:
                auc, log_loss = cells.under(setting, name, epsilon, FIT)
                total += log_loss + 1 - auc
        return total

    settings = [Setting(*constants) for constants in product(PER_PART, ADDITIVE_BELOW, TREE_BELOW)]
    return min(settings, key=lambda setting: (round(loss(setting), 9), distance(setting)))


def distance(setting: Setting) -> int:
    """Return how many constants differ from the default."""
    default = Setting()
    return sum(getattr(setting, name) != getattr(default, name) for name in vars(default))


def report(cells: Cells) -> Iterator[str]:
    """Yield the lines: the setting fitted without each table, and its figures beside those of the default."""
    default = Setting()
    yield f"Signal per part / additive below n epsilon / tree below n epsilon; the default is {default}."
    yield "AUC and log-loss on the left-out table: with the constants fitted on the other eight, and the default's."
    yield f"{'':<15}{'fitted':>20}" + "".join(f"{f'epsilon {epsilon:g}':>32}" for epsilon in EPSILONS)
    for name in SETS:
        setting = fitted(cells, name)
        line = f"{name:<15}{setting!s:>20}"
        for epsilon in EPSILONS:
            ours, usual = (cells.under(one, name, epsilon, SHOW) for one in (setting, default))
            line += f"{f'{ours[0]:.3f} ({usual[0]:.3f})':>17}{f'{ours[1]:.3f} ({usual[1]:.3f})':>15}"
        yield line


def main() -> None:
    """Print the figures, stored or fitted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cells", type=Path, nargs="?")
    args = parser.parse_args()
    if args.cells is not None:
        STORED.write_text("\n".join(report(Cells(args.cells))) + "\n", encoding="utf-8")
    print(STORED.read_text(encoding="utf-8"), end="")


if __name__ == "__main__":
    main()

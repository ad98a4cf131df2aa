"""Which forest people should try first: ours beside one tree, boosted trees, the published forest and no privacy.

    DPSELECT_DATA=... python -m research.comparisons.forests [--splits 3] [--tables adult nursery] [--epsilons 1]
    DPSELECT_DATA=... python -m research.comparisons.forests --speed

Accuracy, AUC and log-loss (chances clipped at 1e-4), means over splits that no setting of the forest was chosen on.
Speed is processor time of one fit at epsilon 1, least of three.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpselect import learn, papers
from research.comparisons.learners_measures import measures
from research.comparisons.learners_ours import Learner, estimator
from research.comparisons.learners_tables import coded, trained
from research.engine import data

TABLES = ("adult", "nursery", "pendigits", "wine", "hiv1625")
# Settings of the forest were chosen on the two splits before these.
FIRST = 102
# So large that noise does not matter.
ENDLESS = 1e6
LEARNERS: dict[str, Learner] = {
    "forest, delta 1e-6": estimator(lambda e, **k: learn.DPRandomForestClassifier(e, **k)),
    "forest, pure": estimator(lambda e, **k: learn.DPRandomForestClassifier(e, delta=0, **k)),
    "published forest": estimator(lambda e, **k: papers.RandomDecisionForestClassifier(e, **k)),
    "tree, pure": estimator(lambda e, **k: learn.DPTreeClassifier(e, **k)),
    "boosted, delta 1e-6": estimator(lambda e, **k: learn.DPBoostedTreesClassifier(e, **k)),
}
SIZES = ((10_000, 32), (10_000, 64), (10_000, 128), (1_000_000, 12))


def plain(table: Any, _: float, train: np.ndarray) -> np.ndarray:
    """Fit scikit-learn's forest, without privacy."""
    from sklearn.ensemble import RandomForestClassifier

    codes = coded(table)
    X, y = codes["X"], codes["y"]
    model = RandomForestClassifier(random_state=0).fit(X[train], y[train])
    chances = np.zeros((int((~train).sum()), len(table.classes)))
    chances[:, model.classes_] = model.predict_proba(X[~train])
    return chances


def compare(tables: Sequence[str], epsilons: Sequence[float], splits: int) -> None:
    """Print a line for each table, learner and epsilon."""
    print(f"{'':<11}{'':<22}{'epsilon':>8}{'accuracy':>10}{'AUC':>8}{'log-loss':>10}   {splits} splits")
    for name in tables:
        table = data.table(name)
        truth = coded(table)["y"]
        for label, run in (*LEARNERS.items(), ("scikit-learn's forest", plain)):
            for epsilon in epsilons if run is not plain else (float("inf"),):
                found = []
                for split in range(FIRST, FIRST + splits):
                    train = trained(len(table), split)
                    found.append(measures(truth[~train], run(table, epsilon, train))[:3])
                accuracy, auc, loss = np.mean(found, axis=0)
                print(f"{name:<11}{label:<22}{epsilon:>8g}{accuracy:>10.3f}{auc:>8.3f}{loss:>10.3f}", flush=True)


def seconds(fit: Callable[[], object]) -> float:
    """Return the least processor time of three fits."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        fit()
        best = min(best, time.process_time() - start)
    return best


def speed() -> None:
    """Print how long fits of made-up tables take."""
    rng = np.random.default_rng(0)
    for rows, columns in SIZES:
        X = rng.uniform(0, 1, (rows, columns))
        y = (X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=rows) > 1).astype(np.int64)
        given = {"domains": dict.fromkeys(range(columns), (0, 1)), "classes": [0, 1]}
        model = learn.DPRandomForestClassifier(1, **given)
        print(f"{rows:>8} rows x {columns:>3} columns: {seconds(lambda: model.fit(X, y)):.2f} s", flush=True)


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.5, 1, 4, ENDLESS])
    parser.add_argument("--tables", nargs="+", default=list(TABLES))
    parser.add_argument("--speed", action="store_true", help="only the speed")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    if args.speed:
        speed()
    else:
        compare(args.tables, args.epsilons, args.splits)


if __name__ == "__main__":
    main()

"""Learners of other libraries on the tables that ``learners tables`` wrote: DP-EBM, diffprivlib, scikit-learn.

They want other versions than this project, so this file imports nothing of it and runs in an environment of its own:

    python -m venv PEERS && PEERS/bin/pip install interpret-core "scikit-learn==1.6.*" diffprivlib
    PEERS/bin/python research/comparisons/learners_peers.py CELLS

One process, resumable: a cell (table, learner, epsilon, split) that is there is not fitted again. All cells of the
first split come before those of the second, so that a run cut short has as many splits of each. A learner that has
taken ``--cap`` seconds of one table and epsilon gets no further splits of it.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

DELTA = 1e-6
Floats = NDArray[np.float64]


class Table:
    """Ordinal codes and numbers, class codes, public bounds, categories of each column (0: numeric), and splits."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as stored:
            self.X, self.y = stored["X"].astype(float), stored["y"].astype(int)
            self.low, self.high = stored["low"].astype(float), stored["high"].astype(float)
            self.categories, self.classes = stored["categories"], int(stored["classes"])
            self.splits, self.train = stored["splits"].tolist(), stored["train"]

    def one_hot(self) -> Floats:
        """Return categories as 0/1 columns and numbers in [0, 1]."""
        columns = []
        for code, many in enumerate(self.categories.tolist()):
            x = self.X[:, code]
            columns.append(np.eye(many)[x.astype(int)] if many else ((x - self.low[code]) / self.span[code])[:, None])
        return np.hstack(columns)

    @property
    def span(self) -> Floats:
        """Return the public range of each column."""
        return np.asarray(np.maximum(self.high - self.low, 1e-12))


def ebm(table: Table, epsilon: float) -> tuple[Any, Floats]:
    """DP-EBM with delta as ours, on binary tables only: it knows no more classes."""
    from interpret.privacy import DPExplainableBoostingClassifier

    kinds = ["nominal" if many else "continuous" for many in table.categories]
    bounds = np.stack((table.low, table.high), axis=1)
    model = DPExplainableBoostingClassifier(
        epsilon=epsilon, delta=DELTA, feature_types=kinds, privacy_bounds=bounds, random_state=None, n_jobs=1
    )
    return model, table.X


def forest(table: Table, epsilon: float) -> tuple[Any, Floats]:
    """Ten trees of diffprivlib."""
    from diffprivlib.models import RandomForestClassifier

    classes = list(range(table.classes))
    return RandomForestClassifier(10, epsilon=epsilon, bounds=(table.low, table.high), classes=classes), table.X


def logistic(table: Table, epsilon: float) -> tuple[Any, Floats]:
    """Logistic regression of diffprivlib on 0/1 columns; the norm is the largest that the domains allow."""
    from diffprivlib.models import LogisticRegression

    norm = float(np.sqrt(len(table.categories)))
    return LogisticRegression(epsilon=epsilon, data_norm=norm, max_iter=200), table.one_hot()


def boosting(table: Table, _: float) -> tuple[Any, Floats]:
    """Gradient boosting without privacy, all 100 rounds: to stop early it wants two records of every class."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(early_stopping=False), table.X


PEERS: dict[str, Callable[[Table, float], tuple[Any, Floats]]] = {
    "dp-ebm": ebm,
    "diffprivlib-forest": forest,
    "diffprivlib-logistic": logistic,
    "not-private": boosting,
}


def fit(table: Table, name: str, epsilon: float, train: NDArray[np.bool_]) -> Floats:
    """Return the probabilities of all classes on the rows that were not trained with."""
    model, X = PEERS[name](table, epsilon)
    model.fit(X[train], table.y[train])
    result = np.zeros((int((~train).sum()), table.classes))
    result[:, np.asarray(model.classes_, dtype=int)] = model.predict_proba(X[~train])
    return result


def where(cells: Path, table: str, learner: str, epsilon: float, split: int) -> Path:
    """Return the file of a cell."""
    return cells / table / learner / f"{epsilon:g}" / f"{split}.npz"


def spent(folder: Path) -> float:
    """Return the seconds that all cells of that table, learner and epsilon took."""
    return sum(float(np.load(path)["seconds"]) for path in folder.glob("*.npz"))


def main() -> None:
    """Fit what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cells", type=Path)
    parser.add_argument("--cap", type=float, default=45.0, help="seconds for one table, learner and epsilon")
    parser.add_argument("--learners", nargs="+", default=list(PEERS), choices=list(PEERS))
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    tables = {path.stem: Table(path) for path in (args.cells / "tables").glob("*.npz")}
    tables = dict(sorted(tables.items(), key=lambda item: item[1].X.size))
    epsilons = np.load(args.cells / "epsilons.npy").tolist()
    for number in range(max(len(table.splits) for table in tables.values())):
        for name, table in tables.items():
            for learner in args.learners:
                if learner == "dp-ebm" and table.classes > 2:
                    continue
                for epsilon in epsilons if learner != "not-private" else [0.0]:
                    path = where(args.cells, name, learner, epsilon, table.splits[number])
                    if path.exists() or (path.parent.exists() and spent(path.parent) > args.cap):
                        continue
                    start = time.process_time()
                    result = fit(table, learner, epsilon, table.train[number])
                    seconds = time.process_time() - start
                    path.parent.mkdir(parents=True, exist_ok=True)
                    np.savez_compressed(path, probabilities=result.astype(np.float32), seconds=seconds)
                    print(name, learner, epsilon, table.splits[number], f"{seconds:.2f} s", flush=True)


if __name__ == "__main__":
    main()

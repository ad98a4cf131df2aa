"""Our learners on the splits on which learners are compared; each fit is a cell, as of the other libraries."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect import learn
from research.comparisons.learners_peers import DELTA, where
from research.comparisons.learners_privatree import PrivaTree
from research.comparisons.learners_tables import coded, trained
from research.engine.data import Table

Floats = NDArray[np.float64]
Learner = Callable[[Table, float, NDArray[np.bool_]], Floats]


def estimator(make: Callable[..., Any]) -> Learner:
    """Fit one of our estimators and return its probabilities of the table's classes on the other rows."""

    def run(table: Table, epsilon: float, train: NDArray[np.bool_]) -> Floats:
        model = make(epsilon, domains=table.domains, classes=table.classes)
        model.fit({name: values[train] for name, values in table.columns.items()}, table.target)
        probabilities = model.predict_proba({name: table.columns[name][~train] for name in table.domains})
        order = [model.classes_.tolist().index(label) for label in table.classes]
        return np.asarray(probabilities[:, order])

    return run


def privatree(as_released: bool) -> Learner:
    """Fit PrivaTree's rule, in our writing."""

    def run(table: Table, epsilon: float, train: NDArray[np.bool_]) -> Floats:
        codes = coded(table)
        model = PrivaTree(epsilon, codes["low"], codes["high"], codes["categories"], as_released)
        return model.fit(codes["X"][train], codes["y"][train]).predict_proba(codes["X"][~train])

    return run


def boosted(**settings: Any) -> Learner:
    """Fit the boosted learner with such settings."""
    return estimator(lambda epsilon, **k: learn.DPBoostedTreesClassifier(epsilon, **settings, **k))


OURS: dict[str, Learner] = {
    "tree": estimator(lambda e, **k: learn.DPTreeClassifier(e, **k)),
    "boosted": boosted(delta=DELTA),
    "boosted-pure": boosted(delta=0),
    "boosted-additive": boosted(delta=DELTA, interactions=False),
    "forest": estimator(lambda e, **k: learn.DPRandomForestClassifier(e, delta=DELTA, **k)),
    "privatree": privatree(as_released=False),
    "privatree-as-released": privatree(as_released=True),
}
# Sound only for two classes.
BINARY = ("privatree", "privatree-as-released")


def fit(
    cells: Path, name: str, table: Table, learner: str, epsilon: float, split: int, run: Learner | None = None
) -> None:
    """Fit a cell unless it is there."""
    path = where(cells, name, learner, epsilon, split)
    if path.exists() or (learner in BINARY and len(table.classes) > 2):
        return
    start = time.process_time()
    probabilities = (run or OURS[learner])(table, epsilon, trained(len(table), split))
    seconds = time.process_time() - start
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, probabilities=probabilities.astype(np.float32), seconds=seconds)
    print(name, learner, epsilon, split, f"{seconds:.2f} s", flush=True)

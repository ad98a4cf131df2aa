"""Many fits of one model to one table that is read once, and how well their trees recognise each class.

The data of experiments are public: no budget pays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import Neighbours
from dpselect.kernel.privacy_filter import use_accountant
from dpselect.learn import DPEvolutionaryTreeClassifier
from dpselect.learn.training import TrainingData, of_frame
from dpselect.learn.tree import Tree
from dpselect.release.open_session import open_session
from dpselect.views.records import Records
from research.engine import data

Floats = NDArray[np.float64]


def several_recalls(
    name: str, target: str | None, settings: Mapping[str, Any], mechanism: Any, epsilon: float, many: int
) -> Floats:
    """Return the recall of each class by each tree of so many searches, shape (many, trees, classes)."""
    table, total = data.table(name, target), Fraction(epsilon)
    model = DPEvolutionaryTreeClassifier(
        epsilon, domains=table.domains, classes=table.classes, mechanism=mechanism, **settings
    )
    training, codes, weights = _read(name, target)
    program = model._dry_run_plan(training.known, total)
    result = []
    for _ in range(many):
        with use_accountant(None), open_session(Guarantee(total, Neighbours.ADD_REMOVE)) as draws:
            result.append(recalls(program(training.records, draws), codes, weights))
    return np.array(result)


def recalls(trees: Sequence[Tree], codes: Sequence[NDArray[np.int64]], weights: Floats) -> Floats:
    """Return the recall of every class by every tree, shape (trees, classes).

    Args:
        trees: with one label for each leaf.
        codes: of distinct records, one array per attribute.
        weights: which part of each class is such a record, shape (classes, records).
    """
    result = []
    for tree in trees:
        label = tree.counts.argmax(axis=1)[tree.apply(codes)]
        result.append([float(weights[place, label == place].sum()) for place in range(len(weights))])
    return np.array(result)


@lru_cache(maxsize=2)
def _read(name: str, target: str | None) -> tuple[TrainingData, list[NDArray[np.int64]], Floats]:
    """Return a table as models train on it, the codes of its distinct records, and which parts of classes they are."""
    table = data.table(name, target)
    model = DPEvolutionaryTreeClassifier(1, domains=table.domains, classes=table.classes)
    training = of_frame(table.columns, table.target, model._reading())
    records = training.records
    assert isinstance(records, Records)
    distinct, place = np.unique(np.stack([np.asarray(each) for each in records.codes]), axis=1, return_inverse=True)
    counts = np.zeros((len(table.classes), distinct.shape[1]))
    np.add.at(counts, (records.labels, place.ravel()), 1.0)
    return training, list(distinct), counts / counts.sum(axis=1, keepdims=True)

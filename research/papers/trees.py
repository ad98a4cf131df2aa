"""What the experiments with trees share: splits into folds, and fits."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from research.engine import data
from research.engine.runs import generator

Rows = NDArray[np.int64]


@lru_cache(maxsize=64)
def _order(size: int, again: int) -> Rows:
    order: Rows = generator("folds", f"{size}, {again}").permutation(size)
    return order


def fold(size: int, draw: int, folds: int = 10) -> tuple[Rows, Rows]:
    """Return training and test rows of the ``draw``-th split of repeated cross-validation, for every model alike."""
    parts = np.array_split(_order(size, draw // folds), folds)
    test = parts[draw % folds]
    return np.concatenate([part for place, part in enumerate(parts) if place != draw % folds]), test


def cut(size: int, draw: int, share: float) -> tuple[Rows, Rows]:
    """Return training and test rows of the ``draw``-th random split, for every model alike."""
    order = _order(size, draw)
    at = int(size * share)
    return order[:at], order[at:]


def accuracy(table: data.Table, model: Any, split: tuple[Rows, Rows]) -> float:
    """Return the share of test rows that a model, fitted to the training rows, gets right."""
    train, test = split
    model.fit(table.rows(train), table.target)
    predicted = model.predict({name: table.columns[name][test] for name in table.domains})
    return float(np.mean(predicted == table.columns[table.target][test]))

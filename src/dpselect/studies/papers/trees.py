"""What the experiments with trees share: splits into folds, fits, and the published calibrations made to draw."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dpselect as dps
from dpselect.mechanisms.kinds import LawOnly, Mechanism, SmoothMechanism
from dpselect.studies.engine import data
from dpselect.studies.engine.runs import generator

Rows = NDArray[np.int64]


def published_for_simulation(**given: Any) -> Mechanism:
    """Return Smooth Noisy Max as the thesis calibrates it, able to draw: for simulation on public data only.

    The library refuses to draw from calibrations that are not private; a reproduction of trees has to.
    """
    fenced = dps.mechanism("smooth-noisy-max", calibration="chaves-2024", unsound="reproduction", **given)
    assert isinstance(fenced, LawOnly)
    return SmoothMechanism(fenced.name, fenced.summary, fenced.smooth, fenced.sampler, fenced.parameters)


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
    found = model.predict({name: table.columns[name][test] for name in table.domains})
    return float(np.mean(found == table.columns[table.target][test]))

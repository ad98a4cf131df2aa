"""What the experiments with trees share: splits into folds, fits, and the published calibrations made to draw."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dpselect as dps
from dpselect.mechanisms.kinds import LawOnly, Mechanism, Smooth, SmoothMechanism
from dpselect.mechanisms.sampler import PERMUTE_AND_FLIP
from dpselect.mechanisms.smooth.scores import SmoothScores
from dpselect.studies.engine import data
from dpselect.studies.engine.runs import generator

Rows = NDArray[np.int64]
# The default of the calibration for Laplace-log-normal noise.
_SIGMA = 0.5


def published_for_simulation(noise: str = "student-t") -> Mechanism:
    """Return Smooth Noisy Max as the thesis calibrates it, able to draw: for simulation on public data only.

    The library refuses to draw from calibrations that are not private; a reproduction of trees has to. The winner is
    that of simulated noise, in floating point, and the door names it again with certainty.
    """
    fenced = dps.mechanism("smooth-noisy-max", calibration="chaves-2024", unsound="reproduction", noise=noise)
    assert isinstance(fenced, LawOnly)
    won = partial(_won, smooth=fenced.smooth, noise=noise)
    return SmoothMechanism(fenced.name, fenced.summary, won, PERMUTE_AND_FLIP, fenced.parameters)


def _won(scores: dps.Scores, epsilon: Fraction, smooth: Smooth, noise: str) -> SmoothScores:
    """Return scores of which one is far ahead of all others."""
    weighed, draw = smooth(scores, epsilon), np.random.default_rng()
    if noise == "student-t":
        drawn = draw.standard_t(3, len(weighed)) / np.sqrt(3)
    else:
        drawn = draw.laplace(size=len(weighed))
    if noise == "laplace-log-normal":
        drawn *= np.exp(_SIGMA * draw.standard_normal(len(weighed)))
    winner = (weighed.ticks * float(weighed.rate) + drawn).argmax()
    return SmoothScores((np.arange(len(weighed)) == winner).astype(np.int64), Fraction(2**20))


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

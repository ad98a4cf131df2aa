"""The facts that trees are shaped by: the survey's class counts of every bin, smoothed. All of it was released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.boosted.column_summary import SurveyRelease, SurveySummary
from dpselect.learn.domains import Attribute
from dpselect.views.gradient_sums import SCORE_UNIT

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
# Half of the chance of a column to be tried is even, half goes by what it seems to tell by itself.
_EVEN = 0.5


@dataclass(frozen=True, eq=False)
class TableSummary:
    """Facts about the table.

    Attributes:
        bins: for each column the bin of every code.
        cells: for each column about how many records of each class are in each bin, shape (bins, classes), positive.
        ordered: which columns are numbers.
        weights: how likely each column is to be tried, shape (columns,); 0 where it has one bin.
        records: about how many records there are.
        prior: about the share of each class, shape (classes,).
    """

    bins: tuple[Integers, ...]
    cells: tuple[Floats, ...]
    ordered: tuple[bool, ...]
    weights: Floats
    records: float
    prior: Floats

    @property
    def sizes(self) -> Integers:
        """Return how many bins each column has."""
        return np.array([len(each) for each in self.cells], dtype=np.int64)


def ground_of(known: SurveyRelease, surveyed: SurveySummary, attributes: Sequence[Attribute]) -> TableSummary:
    """Return what follows from a survey."""
    prior = prior_of(surveyed, known.counts.size)
    cells = tuple(
        _smooth(table.astype(np.float64), column.bins, prior, known.table_deviation)
        for table, column in zip(known.tables, surveyed.columns, strict=True)
    )
    live = np.array([len(each) > 1 for each in cells], dtype=np.float64)
    told = surveyed.promise * live
    weights = live / max(float(live.sum()), 1.0)
    if told.sum() > 0:
        weights = _EVEN * weights + (1 - _EVEN) * told / told.sum()
    bins = tuple(column.bins for column in surveyed.columns)
    return TableSummary(bins, cells, tuple(each.is_ordered for each in attributes), weights, surveyed.records, prior)


def prior_of(surveyed: SurveySummary, classes: int) -> Floats:
    """Return the share of each class at the scores that the survey starts from."""
    scores = surveyed.start / SCORE_UNIT
    logs = np.append(0.0, scores) if scores.size == 1 else scores
    shares = np.exp(logs - logs.max())[:classes]
    return np.asarray(shares / shares.sum())


def _smooth(table: Floats, bins: Integers, prior: Floats, deviation: float) -> Floats:
    """Return positive counts of each bin, whose shares are drawn to those of the table by the noise."""
    counts = np.zeros((int(bins.max()) + 1, prior.size))
    np.add.at(counts, bins, table)
    spread = deviation * np.sqrt(np.bincount(bins) * prior.size)[:, None]
    total = np.maximum(counts.sum(axis=1, keepdims=True), spread / 4) + 1e-3
    pull = 2 * spread + spread**2 / np.maximum(total, spread + 1e-9) + 1e-6
    mixed = np.maximum(counts, 0.0) + pull * prior
    return np.asarray(mixed / mixed.sum(axis=1, keepdims=True) * total)

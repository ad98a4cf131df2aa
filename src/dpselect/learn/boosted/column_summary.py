"""The first questions of a fit: noisy class counts and histograms, and what follows from them without spending more.

From them come the size and balance of the table, bins of numbers that hold about as many records each, an order of the
categories, and first weights of the columns. Everything after the two releases is post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.learn.boosted.budget_shares import Shares
from dpselect.learn.boosted.noise import ONE_CELL, SumNoise, one_cell_of_each
from dpselect.learn.domains import Attribute
from dpselect.views.gradient_sums import SCORE_UNIT, WIDEST, ScorableTable

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
_BINS = 32
# The share of records that is spread evenly before bins are cut, so that noise alone makes none of them wide.
_EVEN = 0.032


@dataclass(frozen=True, eq=False)
class ColumnSummary:
    """Facts about one column; all of them released.

    Attributes:
        bins: the bin of every code, shape (size,).
        shares: about which share of the records each bin has, shape (bins,).
        orders: what sorts the bins of categories, a row for each direction; of numbers their own order alone.
        aside: the bin of missing values of a numeric column, which has no place in its order; -1 for none.
    """

    bins: Integers
    shares: Floats
    orders: Floats
    aside: int = -1

    @property
    def size(self) -> int:
        """Return how many bins there are."""
        return int(self.shares.size)

    @property
    def weights(self) -> Integers:
        """Return how many of 10^6 records have each code, at least 1: those of a bin are spread evenly."""
        of_bin = self.shares / np.bincount(self.bins, minlength=self.size)
        return np.maximum(np.rint(1e6 * of_bin[self.bins]), 1).astype(np.int64)


@dataclass(frozen=True, eq=False)
class SurveySummary:
    """The start of the rounds; all of it released.

    Attributes:
        records: about how many there are.
        start: the scores of every record, shape (outputs,).
        curvature: about the Hessian of a record at the start, shape (outputs,).
        columns: one for each attribute.
        promise: how much each column seems to tell by itself, shape (columns,).
    """

    records: float
    start: Integers
    curvature: Floats
    columns: tuple[ColumnSummary, ...]
    promise: Floats

    @property
    def weights(self) -> tuple[Integers, ...]:
        """Return for each column how many of 10^6 records have each code, at least 1."""
        return tuple(each.weights for each in self.columns)


@dataclass(frozen=True, eq=False)
class SurveyRelease:
    """Noisy class counts, a noisy table (size, classes) for each column, and the deviations of both."""

    counts: Integers
    tables: Sequence[Integers]
    deviation: float
    table_deviation: float


def release_survey(records: ScorableTable, draws: Any, noise: SumNoise, shares: Shares) -> SurveyRelease:
    """Ask for the two releases."""
    tables = [each[0] for each in records.level(1)]
    counts = noise.noisy(draws, tables[0].sum(axis=0), shares.counts, ONE_CELL)
    moves = one_cell_of_each(len(tables))
    noisy = noise.noisy(draws, np.concatenate([each.ravel() for each in tables]), shares.survey, moves)
    parts = np.split(noisy, np.cumsum([each.size for each in tables])[:-1])
    return SurveyRelease(
        counts,
        [part.reshape(each.shape) for part, each in zip(parts, tables, strict=True)],
        noise.deviation(shares.counts, ONE_CELL),
        noise.deviation(shares.survey, moves),
    )


def of_classes(known: SurveyRelease, attributes: Sequence[Attribute]) -> SurveySummary:
    """Return what follows for a classifier."""
    if known.counts.size == 1:
        # Domains that are read from the data may hold one class: nobody has the second.
        pairs = [np.append(each, np.zeros_like(each), axis=1) for each in known.tables]
        known = replace(known, counts=np.append(known.counts, 0), tables=pairs)
    size, prior = _balance(known)
    columns, promise = [], []
    for table, attribute in zip(known.tables, attributes, strict=True):
        column, told = _column(table.astype(np.float64), attribute, size, prior, known.table_deviation)
        columns.append(column)
        promise.append(told)
    logs = np.log(prior)
    scores = np.array([logs[1] - logs[0]]) if prior.size == 2 else logs - logs.mean()
    start = np.clip(np.rint(scores * SCORE_UNIT), -WIDEST, WIDEST).astype(np.int64)
    bounded = np.clip(prior, 0.02, 0.98)[1:]
    curvature = bounded * (1 - bounded) if prior.size == 2 else np.maximum(prior * (1 - prior), 0.01)
    return SurveySummary(size, start, curvature, tuple(columns), np.array(promise))


def _balance(known: SurveyRelease) -> tuple[float, Floats]:
    """Return about how many records there are, and the share of each class, drawn to even ones by the noise."""
    classes = known.counts.size
    sizes = np.array([len(table) for table in known.tables])
    # Every histogram counts all records: the longer it is, the noisier its sum.
    sums = np.stack([table.sum(axis=0) for table in known.tables])
    counts = (sums / sizes[:, None]).sum(axis=0) / (1 / sizes).sum()
    deviation = known.table_deviation / math.sqrt(float((1 / sizes).sum()))
    one, other = 1 / (deviation**2 + 1e-9), 1 / (known.deviation**2 + 1e-9)
    counts = (counts * one + known.counts * other) / (one + other)
    deviation = 1 / math.sqrt(one + other)
    size = max(float(counts.sum()), classes * deviation, 10.0)
    trusted = 1 / (1 + (deviation / (size / 4)) ** 2)
    positive = np.maximum(counts, 0.0)
    prior = 1 / classes + trusted * (positive / max(float(positive.sum()), 1.0) - 1 / classes)
    prior = np.maximum(prior, (1 + deviation / 10) / size / 2)
    return size, prior / prior.sum()


def _column(
    table: Floats, attribute: Attribute, size: float, prior: Floats, deviation: float
) -> tuple[ColumnSummary, float]:
    """Return what is known of a column, and how much it seems to tell."""
    classes, bins = prior.size, _bins(table, attribute, size, deviation)
    many = int(bins.max()) + 1
    counts = np.zeros((many, classes))
    np.add.at(counts, bins, table)
    variance = np.bincount(bins, minlength=many) * deviation**2
    totals = counts.sum(axis=1)
    apart = counts - totals[:, None] * prior
    # What noise alone would give is taken away.
    excess = (apart**2).sum(axis=1) - variance * (1 - 2 * prior + classes * prior**2).sum()
    large, spread = np.maximum(totals, 1.0), np.sqrt(variance)
    told = max(float((excess / (large + spread)).sum()), 0.0)
    held = np.maximum(totals, 0.0) + math.sqrt(classes) * spread / 2 + 1
    aside = many - 1 if attribute.is_ordered and attribute.missing else -1
    if attribute.is_ordered:
        orders = np.arange(many, dtype=np.float64)[None]
    else:
        orders = (apart / (large + 2 * spread + 2)[:, None]).T[-1 if classes == 2 else 0 :]
    return ColumnSummary(bins, held / held.sum(), orders, aside), told


def _bins(table: Floats, attribute: Attribute, size: float, deviation: float) -> Integers:
    """Return the bin of every code: categories one each, numbers in bins of about as many records."""
    codes = attribute.size
    if not attribute.is_ordered:
        return np.arange(codes)
    known = codes - attribute.missing
    held = np.maximum(table[:known].sum(axis=1) - deviation, 0) + deviation / 2 + 1e-9 + _EVEN * size / known
    middle = (np.cumsum(held) - held / 2) / held.sum()
    bins = np.minimum((middle * _BINS).astype(np.int64), _BINS - 1)
    bins = np.unique(bins, return_inverse=True)[1].reshape(-1)
    return np.append(bins, bins.max() + 1) if attribute.missing else bins

"""Imola and Yang 2018, Figure 1.1: what private histograms do to sparse two-dimensional data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dpselect as dps
from dpselect import histograms
from research.engine import data
from research.engine.experiment import (
    Cell,
    Claim,
    Effort,
    Experiment,
    Judgement,
    Point,
    Results,
    mean_of,
    point,
)
from research.engine.series import Series
from research.engine.verdicts import figure, reproduced
from research.papers import losses

SETS = ("adult_2d", "beijing_taxi_s", "cabspotting_s", "checkin", "loan")
SIDE = 128
EPSILONS = (0.01, 0.1, 1.0)
DAWA, MWEM = "dawa", "mwem"
SERIES = (
    Series(DAWA, "as described", "dawa"),
    Series(MWEM, "as described", "mwem"),
    Series("coarse_dawa", "sound", "coarse dawa"),
    Series("hb", "sound", "hb"),
    Series("identity", "sound", "identity"),
    Series("uniform", "sound", "uniform"),
)
EMPTY = "empty cells"


def grid(_: Effort) -> list[Cell]:
    """One cell per histogram and algorithm, and one for each loss."""
    names = [each.name for each in SERIES]
    cells: list[Cell] = [{"dataset": name, "series": series} for name in SETS for series in names]
    return cells + losses.cells(names)


def coarse(counts: NDArray[np.int64], side: int) -> NDArray[np.int64]:
    """Sum neighbouring cells until every axis has ``side`` of them."""
    shape = [each for axis in counts.shape for each in (side, axis // side)]
    summed: NDArray[np.int64] = counts.reshape(shape).sum(axis=tuple(range(1, 2 * counts.ndim, 2)))
    return summed


def measure(cell: Cell, effort: Effort, _: np.random.Generator) -> Sequence[Point]:
    """Mean scaled error of 2,000 random ranges, and the share of empty cells that are said to hold one; the losses."""
    if "loss" in cell:
        return losses.points(str(cell["loss"]), partial(loss, str(cell["loss"])))
    name, series = str(cell["dataset"]), str(cell["series"])
    counts = coarse(data.histogram(name).astype(np.int64), SIDE)
    ranges = histograms.Workload.random_ranges(counts.shape, 2000)
    points = []
    for epsilon in EPSILONS:
        estimates = [
            histograms.EVERY_ALGORITHM[series](counts, epsilon=epsilon)
            for _ in range(3 if effort.name == "quick" else 10)
        ]
        errors = (histograms.scaled_average_error(each, counts, ranges) for each in estimates)
        wrong = (100 * float(np.mean(each[counts == 0] >= 0.5)) for each in estimates)
        points += [
            point(f"{name}, ranges", series, epsilon, mean_of(errors)),
            point(f"{name}, {EMPTY}", series, epsilon, mean_of(wrong)),
        ]
    return points


def loss(series: str, epsilon: float) -> float:
    """Return the loss of one algorithm by its name, on small tables."""
    name, _, coarser = series.rpartition("_")
    module = import_module(f"dpselect.histograms.{coarser}")
    settings: dict[str, Any] = {"price": module.BUCKET_PRICE} if name else {}
    if series == MWEM:
        queries = histograms.Workload.prefixes((2, 2))
        settings = {"queries": queries, "rounds": 2, "mechanism": dps.mechanism("permute-and-flip")}
    return losses.histogram(partial(module.estimate, **settings), epsilon)


def _white(results: Results) -> Judgement:
    shares = [results.at(f"{name}, {EMPTY}", DAWA, 0.01).value for name in SETS]
    low, high = f"{min(shares):.0f}%", f"{max(shares):.0f}%"
    return Judgement(
        f"{'about ' + low if low == high else low + ' to ' + high} of the empty cells",
        reproduced(EXPERIMENT.private(results, DAWA)) if min(shares) > 10 else "refuted",
        "counted as many: more than 10% on every dataset",
    )


def _better(results: Results) -> Judgement:
    ratios = {
        (name, e): results.at(f"{name}, ranges", DAWA, e).value / results.at(f"{name}, ranges", MWEM, e).value
        for name in SETS
        for e in EPSILONS
    }
    won = sum(ratio < 1 for ratio in ratios.values())
    least, most = (figure(float(f"{end(ratios.values()):.2g}")) for end in (min, max))
    return Judgement(
        f"DAWA errs less for {won} of {len(ratios)} datasets and budgets; its error is {least} to {most} times MWEM's",
        reproduced(all(EXPERIMENT.private(results, each) for each in (DAWA, MWEM)))
        if 0 < won < len(ratios)
        else "refuted",
        "neither is always better",
    )


EXPERIMENT = Experiment(
    name="jostle_figure_1_1",
    paper="004",
    item="Figure 1.1",
    title="Private histograms of sparse two-dimensional data.",
    method=(
        f"Two-dimensional histograms on {SIDE} x {SIDE} cells; the scaled average error of 2,000 random ranges, "
        "over ten runs. No program is published: what the text describes is the set-up. The figure is a screenshot of "
        "another dataset and is printed without numbers but for its epsilon."
    ),
    grid=grid,
    measure=measure,
    x_label="epsilon",
    y_label="scaled error of ranges",
    y_labels={EMPTY: "given a record, per cent"},
    y_scale="log",
    task="a two-dimensional histogram",
    better="lower",
    claims=(
        Claim("DAWA predicts many of the empty cells to be non-zero", "epsilon = 0.01", _white),
        Claim("Neither DAWA nor MWEM is better on all data", "a choice is needed", _better),
    ),
    series=SERIES,
    losses_on=(
        "All tables of 2 x 2 cells with counts of 0 and 1, and the same with one record more, every draw at its worst "
        "(MWEM: two rounds)."
    ),
)

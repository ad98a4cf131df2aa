"""Chaves 2024, Table 3 and section 5.3: what the histograms hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from research.engine import data
from research.engine.experiment import Cell, Effort, Experiment, Point, Printed
from research.engine.series import Series

TUPLES, ZERO, REPEATED = "tuples", "zero counts, per cent", "j, repetitions of the median"
PRINTED = {"patent": (32_558, 97.80, 0), "hepth": (347_414, 21.17, 2), "income": (20_787_122, 44.97, 10)}


def grid(_: Effort) -> list[Cell]:
    """One cell per histogram."""
    return [{"dataset": name} for name in PRINTED]


def measure(cell: Cell, _: Effort, __: np.random.Generator) -> Sequence[Point]:
    """Count: the sum of the cells, the share of empty cells, and the median's repetitions on its thinner side."""
    name = str(cell["dataset"])
    counts = np.sort(data.histogram(name))
    place = counts.size * 50 // 100
    first, last = np.searchsorted(counts, counts[place]), np.searchsorted(counts, counts[place], side="right") - 1
    return [
        Point(name, TUPLES, 50, float(counts.sum())),
        Point(name, ZERO, 50, 100 * float(np.mean(counts == 0))),
        Point(name, REPEATED, 50, float(min(place - first, last - place))),
    ]


def _printed() -> tuple[Printed, ...]:
    return tuple(
        Printed(name, series, 50, value, decimals=decimals)
        for name, row in PRINTED.items()
        for series, value, decimals in zip((TUPLES, ZERO, REPEATED), row, (0, 2, 0), strict=True)
    )


EXPERIMENT = Experiment(
    name="smooth_noisy_max_table_3",
    paper="000",
    item="Table 3",
    title="The histograms of the percentile experiments.",
    method="Counted. A value's repetitions j are the smaller number of equal values beside the median, above or below.",
    grid=grid,
    measure=measure,
    x_label="percentile",
    y_label="",
    task="",
    better="higher",
    printed=_printed(),
    series=tuple(Series(each, "reference", "reference") for each in (TUPLES, ZERO, REPEATED)),
    kind="table",
    remark=(
        "The row printed for PATENT is another histogram's by mistake: the counts published with the thesis, used here "
        "and in Figure 7, hold 27,948,226 tuples."
    ),
)

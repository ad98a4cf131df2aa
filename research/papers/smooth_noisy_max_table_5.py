"""Chaves 2024, section 7.3 and Table 5: the datasets of the random forests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpselect.learn.random_decision_forest import fletcher_islam_depth
from research.engine import data
from research.engine.experiment import Cell, Effort, Experiment, Point, Printed
from research.engine.series import Series

FACTS = ("rows", "continuous attributes", "discrete attributes", "classes", "depth")
PRINTED = {
    "adult_full": (48_842, 6, 8, 2, 9),
    "compas": (4_732, 9, 4, 11, 5),
    "wine": (4_898, 11, 0, 7, 10),
    "mushroom": (8_124, 0, 22, 2, 11),
    "pendigits": (109_092, 17, 0, 10, 12),
    "wallsensor": (5_456, 4, 0, 4, 4),
}


def grid(_: Effort) -> list[Cell]:
    """One cell per dataset."""
    return [{"dataset": name} for name in PRINTED]


def measure(cell: Cell, _: Effort, __: np.random.Generator) -> Sequence[Point]:
    """Count rows, attributes and classes, and compute the depth from the numbers of attributes."""
    name = str(cell["dataset"])
    table = data.table(name)
    discrete = sum(isinstance(domain, list) for domain in table.domains.values())
    continuous = len(table.domains) - discrete
    facts = (len(table), continuous, discrete, len(table.classes), fletcher_islam_depth(continuous, discrete))
    return [Point(name, fact, 0, float(value)) for fact, value in zip(FACTS, facts, strict=True)]


EXPERIMENT = Experiment(
    name="smooth_noisy_max_table_5",
    paper="000",
    item="Table 5",
    title="The datasets of the random forests, and the depths of their trees.",
    method="Counted; the depth is that of Fletcher and Islam 2019, from the numbers of attributes.",
    grid=grid,
    measure=measure,
    x_label="",
    y_label="",
    task="",
    better="higher",
    printed=tuple(
        Printed(name, fact, 0, value) for name, row in PRINTED.items() for fact, value in zip(FACTS, row, strict=True)
    ),
    decimals=0,
    series=tuple(Series(each, "reference", "reference") for each in FACTS),
    kind="table",
    remark=(
        "Pen-digits has 10,992 rows; the 17th attribute of the thesis is the index of the row in the authors' file. "
        "The depths that the formula gives for Compas and Wine are 9, not 5 and 10."
    ),
)

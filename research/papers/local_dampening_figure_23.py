"""Farias 2021, Figure 23: private ID3 trees on NLTCS."""

from __future__ import annotations

from research.engine.experiment import Cell, Effort, Experiment
from research.papers import id3_trees
from research.papers.id3_trees import CORRECTED, DEPTHS, GLOBAL, LOCAL, PRINTED, SHIFTED, panel

READINGS = {
    "a13": [panel("nltcs", "a13", depth) for depth in DEPTHS],
    "a13, printed stop": [panel("nltcs", "a13", depth, PRINTED) for depth in DEPTHS],
    "a15": [panel("nltcs", "a15", depth, CORRECTED) for depth in DEPTHS],
}
PLACES = [place for places in READINGS.values() for place in places]
_NEEDS = "it needs the class column, which the thesis does not name"


def grid(_: Effort) -> list[Cell]:
    """One cell per class column, depth, stopping rule and series, and one for each loss."""
    return id3_trees.both_stops("nltcs", "a13") + id3_trees.cells([("nltcs", "a15")])


EXPERIMENT = Experiment(
    name="local_dampening_figure_23",
    paper="001",
    item="Figure 23",
    title="Accuracy of private ID3 trees on NLTCS, for two class columns and two stopping rules.",
    method=id3_trees.METHOD
    + " The class is not named: a13, which the program of Farias et al. 2024 takes, and the last column are shown, and "
    "for a13 the stopping rule as printed, sqrt(2)/2, too.",
    grid=grid,
    measure=id3_trees.measure,
    x_label="total epsilon",
    y_label="accuracy",
    task="a tree on NLTCS",
    better="higher",
    claims=(
        id3_trees.mostly("LocalDiffPID3 improves on GlobalDiffPID3", READINGS, LOCAL, GLOBAL, needs=_NEEDS),
        id3_trees.most(
            "LocalDiffPID3 improves on GlobalDiffPID3 by up to", "5 %", PLACES, (LOCAL, GLOBAL), 5, needs=_NEEDS
        ),
        id3_trees.most(
            "ShiftedLocalDiffPID3 improves on LocalDiffPID3 by up to", "1 %", PLACES, (SHIFTED, LOCAL), 1, needs=_NEEDS
        ),
    ),
    series=id3_trees.series(),
    losses_on=id3_trees.LOSSES_ON,
    remark="Use the default tree: from epsilon 0.1 on it is ahead of every ID3 tree here.",
)

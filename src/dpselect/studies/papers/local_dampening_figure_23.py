"""001, Figure 23: private ID3 trees on NLTCS."""

from __future__ import annotations

from dpselect.studies.engine.experiment import Cell, Effort, Experiment
from dpselect.studies.papers import id3_trees
from dpselect.studies.papers.id3_trees import GLOBAL, LOCAL, SHIFTED

SETS = (("nltcs", "a15"),)
PLACES = tuple(id3_trees.panel(*each, depth) for each in SETS for depth in id3_trees.DEPTHS)


def grid(_: Effort) -> list[Cell]:
    """One cell a class column, depth and series."""
    return id3_trees.cells(SETS)


EXPERIMENT = Experiment(
    name="local_dampening_figure_23",
    paper="001",
    item="Figure 23",
    title="Accuracy of private ID3 trees on NLTCS.",
    method=id3_trees.METHOD,
    grid=grid,
    measure=id3_trees.measure,
    x_label="total epsilon",
    y_label="accuracy",
    task="a tree on NLTCS",
    better="higher",
    claims=(
        id3_trees.mostly("LocalDiffPID3 improves on GlobalDiffPID3", PLACES, LOCAL, GLOBAL),
        id3_trees.lead("LocalDiffPID3 improves on GlobalDiffPID3 by up to", "5 %", PLACES, LOCAL, GLOBAL, 5),
        id3_trees.lead("ShiftedLocalDiffPID3 improves on LocalDiffPID3 by up to", "1 %", PLACES, SHIFTED, LOCAL, 1),
    ),
    remark="Use the default tree: from epsilon 0.1 on it is ahead of every ID3 tree here.",
)

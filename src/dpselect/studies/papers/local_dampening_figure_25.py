"""001, Figure 25: private ID3 trees on Adult."""

from __future__ import annotations

from dpselect.studies.engine.experiment import Cell, Effort, Experiment
from dpselect.studies.papers import id3_trees
from dpselect.studies.papers.id3_trees import GLOBAL, LOCAL, SHIFTED

SETS = (("adult", "income"),)
PLACES = tuple(id3_trees.panel(*each, depth) for each in SETS for depth in id3_trees.DEPTHS)


def grid(_: Effort) -> list[Cell]:
    """One cell a class column, depth and series."""
    return id3_trees.cells(SETS)


EXPERIMENT = Experiment(
    name="local_dampening_figure_25",
    paper="001",
    item="Figure 25",
    title="Accuracy of private ID3 trees on Adult.",
    method=id3_trees.METHOD,
    grid=grid,
    measure=id3_trees.measure,
    x_label="total epsilon",
    y_label="accuracy",
    task="a tree on Adult",
    better="higher",
    claims=(
        id3_trees.lead("ShiftedLocalDiffPID3 improves on GlobalDiffPID3 by up to", "4 %", PLACES, SHIFTED, GLOBAL, 4),
        id3_trees.lead(
            "LocalDiffPID3 improves just a little on GlobalDiffPID3", "a little: about 1", PLACES, LOCAL, GLOBAL, 1
        ),
    ),
    remark="Use the default tree: it is ahead of every ID3 tree here.",
)

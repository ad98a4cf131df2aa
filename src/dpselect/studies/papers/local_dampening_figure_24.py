"""001, Figure 24: private ID3 trees on ACS."""

from __future__ import annotations

from dpselect.studies.engine.experiment import Cell, Claim, Effort, Experiment, Judgement, Results
from dpselect.studies.papers import id3_trees
from dpselect.studies.papers.id3_trees import GLOBAL, LOCAL, SHIFTED

SETS = (("acs", "a22"), ("acs", "a10"))
PLACES = tuple(id3_trees.panel(*each, depth) for each in SETS for depth in id3_trees.DEPTHS)


def grid(_: Effort) -> list[Cell]:
    """One cell a class column, depth and series."""
    return id3_trees.cells(SETS)


def _inverted(results: Results) -> Judgement:
    result, largest = {}, 0.0
    for place in (id3_trees.panel(*each, 2) for each in SETS):
        ours, theirs = (results.line(place, series)[-1] for series in (LOCAL, GLOBAL))
        result[place], largest = 100 * (ours.value - theirs.value), ours.x
    text = ", ".join(f"{place}: {value:+.1f} points" for place, value in result.items())
    return Judgement(
        text,
        "reproduced" if min(result.values()) < -0.5 else "refuted",
        f"half a point at epsilon {largest:g} is asked for",
    )


EXPERIMENT = Experiment(
    name="local_dampening_figure_24",
    paper="001",
    item="Figure 24",
    title="Accuracy of private ID3 trees on ACS, for two class columns.",
    method=id3_trees.METHOD + " The class is not named: the last column and a harder one are both shown.",
    grid=grid,
    measure=id3_trees.measure,
    x_label="total epsilon",
    y_label="accuracy",
    task="a tree on ACS",
    better="higher",
    claims=(
        id3_trees.lead("ShiftedLocalDiffPID3 improves on GlobalDiffPID3 by at most", "8 %", PLACES, SHIFTED, GLOBAL, 8),
        Claim(
            "At depth 2 LocalDiffPID3 picks worse attributes as B grows: the inversion problem",
            "below global",
            _inverted,
        ),
    ),
    remark=(
        "Use the default tree: it is among the best at every budget. The max operator alone picks poorly for a10, and "
        "local dampening, shifted or not, misorders attributes there. The thesis does not say which column is the "
        "class."
    ),
)

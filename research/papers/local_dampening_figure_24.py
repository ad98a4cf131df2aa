"""Farias 2021, Figure 24: private ID3 trees on ACS."""

from __future__ import annotations

from research.engine.claims import quantile
from research.engine.experiment import Cell, Claim, Effort, Experiment, Judgement, Results
from research.engine.verdicts import reproduced
from research.papers import id3_trees
from research.papers.id3_trees import GLOBAL, LOCAL, SHIFTED

SETS = (("acs", "a22"), ("acs", "a10"))
_NEEDS = "it needs the class column, which the thesis does not name"
# Points of accuracy that count as behind.
_BEHIND = 0.5
PLACES = tuple(id3_trees.panel(*each, depth) for each in SETS for depth in id3_trees.DEPTHS)


def grid(_: Effort) -> list[Cell]:
    """One cell per class column, depth and series, and one for each loss."""
    return id3_trees.cells(SETS)


def _inverted(results: Results) -> Judgement:
    every = [id3_trees.leads(results, [id3_trees.panel(*each, 2)], LOCAL, GLOBAL)[-1] for each in SETS]
    text = ", ".join(f"{gain.setting}: {gain.value:+.1f} ± {gain.error:.1f} points" for gain in every)
    limit = quantile(len(every))
    behind = any(gain.value < -limit * gain.error and gain.value < -_BEHIND for gain in every)
    if all(gain.value - limit * gain.error > -_BEHIND for gain in every):
        return Judgement(text, "refuted", f"half a point behind is beyond chance for no column; {_NEEDS}")
    if not behind:
        return Judgement(text, "not comparable", _NEEDS)
    verdict = reproduced(EXPERIMENT.private(results, LOCAL))
    return Judgement(text, verdict, "behind by more than half a point and than chance, for one column or the other")


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
        id3_trees.most(
            "ShiftedLocalDiffPID3 improves on GlobalDiffPID3 by at most",
            "8 %",
            PLACES,
            (SHIFTED, GLOBAL),
            8,
            needs=_NEEDS,
        ),
        Claim(
            "At depth 2 LocalDiffPID3 picks worse attributes as B grows: the inversion problem",
            "below global",
            _inverted,
        ),
    ),
    series=id3_trees.series(),
    losses_on=id3_trees.LOSSES_ON,
    remark=(
        "Use the default tree: it is among the best at every budget. The max operator alone picks poorly for a10, and "
        "local dampening, shifted or not, misorders attributes there. The thesis does not say which column is the "
        "class."
    ),
)

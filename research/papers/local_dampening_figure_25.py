"""Farias 2021, Figure 25: private ID3 trees on Adult."""

from __future__ import annotations

import math

from research.engine.claims import accepted
from research.engine.experiment import Cell, Claim, Effort, Experiment, Judgement, Results, Verdict
from research.engine.verdicts import reproduced
from research.papers import id3_trees
from research.papers.id3_trees import GLOBAL, LOCAL, SHIFTED

SETS = (("adult", "income"),)
_NEEDS = "it needs how the four columns of numbers are cut and which 12 columns are used, which are not printed"
PLACES = tuple(id3_trees.panel(*each, depth) for each in SETS for depth in id3_trees.DEPTHS)


def grid(_: Effort) -> list[Cell]:
    """One cell per class column, depth and series, and one for each loss."""
    return id3_trees.cells(SETS)


def _little(results: Results) -> Judgement:
    """A mean gain of about one point, half to one and a half, over all settings; none at all refutes it."""
    gains = id3_trees.leads(results, PLACES, LOCAL, GLOBAL)
    mean = sum(gain.value for gain in gains) / len(gains)
    chance = 2 * math.hypot(*(gain.error for gain in gains)) / len(gains)
    best = max(gains, key=lambda gain: gain.value)
    shown = (
        f"{mean:+.1f} points on average of {len(gains)} settings; {best.value:.1f} at best ({best.setting}), "
        f"{min(gain.value for gain in gains):.1f} at worst"
    )
    why = f"{accepted(1, 0.5 + chance)}"
    if mean + chance < 0.5:
        verdict: Verdict = "same direction, other size" if mean > chance else "refuted"
        said = "smaller" if mean > chance else "no gain is measured"
        return Judgement(shown, verdict, f"{why}; {said}; {_NEEDS}")
    if mean - chance > 1.5:
        return Judgement(shown, "same direction, other size", f"{why}; {_NEEDS}")
    if chance > 0.5:
        return Judgement(shown, "not comparable", f"{why}: more runs decide")
    return Judgement(shown, reproduced(EXPERIMENT.private(results, LOCAL)), why)


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
        id3_trees.most(
            "ShiftedLocalDiffPID3 improves on GlobalDiffPID3 by up to",
            "4 %",
            PLACES,
            (SHIFTED, GLOBAL),
            4,
            needs=_NEEDS,
        ),
        Claim("LocalDiffPID3 improves just a little on GlobalDiffPID3", "a little: about 1", _little),
    ),
    series=id3_trees.series(),
    losses_on=id3_trees.LOSSES_ON,
    remark="Use the default tree: it is ahead of every ID3 tree here.",
)

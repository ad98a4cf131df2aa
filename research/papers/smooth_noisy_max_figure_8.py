"""Chaves 2024, Figure 8: why the error of LD2 falls, rises and falls again: a bias can vanish by chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from research.engine import data
from research.engine.experiment import Cell, Claim, Effort, Experiment, Judgement, Point, Results
from research.engine.series import PRIVACY, Series
from research.papers import percentile_losses
from research.papers.smooth_noisy_max_figure_7 import LD2, epsilons, mechanism, prepared

EXACT, ERROR = "Pr[the median's value]", "error"
# Two errors of the same mechanism.
BIAS, SPREAD = "LD2: |x_p - E x|, the thesis's", "LD2: E |x - x_p|"


def grid(_: Effort) -> list[Cell]:
    """One cell: HEPTH; and the loss."""
    return [{"dataset": "hepth"}, {"loss": LD2}]


def measure(cell: Cell, effort: Effort, _: np.random.Generator) -> Sequence[Point]:
    """The probability of the median, the bias and the honest error at every epsilon, from the law of LD2."""
    if "loss" in cell:
        return [
            Point(PRIVACY, "LD2", e, percentile_losses.of_median(mechanism(LD2), e) / e) for e in epsilons(effort)[::4]
        ]
    name = str(cell["dataset"])
    right = float(np.sort(data.histogram(name))[4096 // 2])
    dampening, scores, places = prepared(name, 50, LD2)
    points = []
    for epsilon in epsilons(effort):
        law = np.asarray(dampening.pmf(scores, epsilon))
        points += [
            Point(EXACT, "LD2", epsilon, float(law[places == right].sum())),
            Point(ERROR, BIAS, epsilon, abs(float(law @ places) - right)),
            Point(ERROR, SPREAD, epsilon, float(law @ np.abs(places - right))),
        ]
    points.append(Point("the median of HEPTH", "value", 50, right))
    return points


def _value(results: Results) -> Judgement:
    value = results.at("the median of HEPTH", "value", 50).value
    return Judgement(f"{value:g}", "reproduced" if value == 41 else "refuted", "counted")


def _chance(results: Results) -> Judgement:
    line = results.line(ERROR, BIAS)
    falls = [i for i in range(1, len(line) - 1) if line[i].value < min(line[i - 1].value, line[i + 1].value)]
    if not falls:
        return Judgement("the bias falls without a dip", "refuted")
    least = min(falls, key=lambda i: line[i].value)
    chance = results.at(EXACT, "LD2", line[least].x).value
    return Judgement(
        f"the bias dips to {line[least].value:.2f} at epsilon {line[least].x:.2f}, where Pr[median] is {chance:.3f}",
        "reproduced" if chance < 0.5 else "refuted",
        "a dip with Pr[median] below one half is chance",
    )


EXPERIMENT = Experiment(
    name="smooth_noisy_max_figure_8",
    paper="000",
    item="Figure 8",
    title="Probabilities of local dampening with the median utility (LD2) on HEPTH.",
    method=(
        "The law of local dampening on the median utility of Farias 2021, and two errors of that one mechanism. The "
        "figure is printed without numbers."
    ),
    grid=grid,
    measure=measure,
    x_label="epsilon",
    y_label="probability",
    y_labels={ERROR: "in counts"},
    y_scale="linear",
    task="",
    better="higher",
    claims=(
        Claim("The median of HEPTH", "41", _value),
        Claim("Where the error first gets low, it is low by chance", "low Pr[median] at a low error", _chance),
    ),
    series=(
        Series("LD2", "as described", "local dampening"),
        *(Series(each, "reference", "reference") for each in (BIAS, SPREAD)),
        Series("value", "reference", "reference"),
    ),
    losses_on=(
        "The loss of LD2 is exact on all lists of four records of three values, one of them replaced; it is at least "
        "that much elsewhere. Its two errors are of the same mechanism and have no loss of their own."
    ),
    remark="Report E |x - x_p|, which cannot vanish by chance, rather than |x_p - E x|.",
)

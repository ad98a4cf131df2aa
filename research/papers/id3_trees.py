"""What FiguresField 23 to 25 of Farias 2021 share: private ID3 trees under repeated ten-fold cross-validation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dpselect.learn import DPID3Classifier, DPTreeClassifier
from dpselect.papers import SulqID3Classifier
from research.engine import data
from research.engine.claims import Gain, at_most, quantile, up_to
from research.engine.experiment import Cell, Claim, Effort, Judgement, Point, Results, point, repeated
from research.engine.series import Series
from research.engine.verdicts import reproduced
from research.papers import losses, trees
from research.papers.printed_stop import PrintedStop

EPSILONS = (0.01, 0.05, 0.1, 0.5, 1.0, 2.0)
LOSSES_AT = (0.1, 1.0)
DEPTHS = (2, 5)
GLOBAL, LOCAL, SHIFTED = "GlobalDiffPID3", "LocalDiffPID3", "ShiftedLocalDiffPID3"
SULQ, FLIP, DEFAULT = "SuLQ ID3", "ID3, max operator, permute-and-flip", "DPTreeClassifier"
OF_THE_THESIS = (GLOBAL, LOCAL, SHIFTED)
NAMES = (*OF_THE_THESIS, SULQ, FLIP, DEFAULT)
CORRECTED, PRINTED = "corrected", "printed"
PAPER = 100
_MOST_RECORDS = 50_000
# Where leads are small, errors of this share of the usual one.
_FINE = 0.6


def series() -> tuple[Series, ...]:
    """Return what the lines are."""
    return (
        Series(GLOBAL, "as described", "exponential"),
        Series(LOCAL, "as described", "local dampening"),
        Series(SHIFTED, "as described", "shifted local dampening"),
        Series(SULQ, "as described", "noisy counts"),
        Series(FLIP, "sound", "permute-and-flip"),
        Series(DEFAULT, "sound", "default tree"),
    )


def made(name: str, epsilon: float, depth: int, stop: str = CORRECTED, **settings: Any) -> Any:
    """Return the untrained model of a series."""
    gain: dict[str, Any] = {"criterion": "information-gain", "max_records": _MOST_RECORDS}
    id3 = PrintedStop if stop == PRINTED else DPID3Classifier
    kinds: dict[str, Callable[[], Any]] = {
        GLOBAL: lambda: id3(epsilon, depth, mechanism="exponential", **gain, **settings),
        LOCAL: lambda: id3(epsilon, depth, mechanism="local-dampening", **gain, **settings),
        SHIFTED: lambda: id3(epsilon, depth, mechanism="shifted-local-dampening", **gain, **settings),
        SULQ: lambda: SulqID3Classifier(epsilon, depth, **settings),
        FLIP: lambda: DPID3Classifier(epsilon, depth, **settings),
        DEFAULT: lambda: DPTreeClassifier(epsilon, **settings),
    }
    return kinds[name]()


def cells(datasets: Sequence[tuple[str, str]]) -> list[Cell]:
    """Return one cell for each dataset and class column, depth and series, and one for each loss."""
    every: list[Cell] = [
        {"dataset": name, "target": target, "depth": depth, "series": one, "stop": CORRECTED}
        for name, target in datasets
        for depth in DEPTHS
        for one in NAMES
    ]
    return every + losses.cells(NAMES)


def both_stops(name: str, target: str) -> list[Cell]:
    """Return the thesis's three methods under both stopping rules, measured more finely; the others once."""
    return [
        {"dataset": name, "target": target, "depth": depth, "series": one, "stop": stop, "fine": int(not others)}
        for depth in DEPTHS
        for stop in (CORRECTED, PRINTED)
        for one in NAMES
        for others in (one not in OF_THE_THESIS,)
        if not others or stop == CORRECTED
    ]


def measure(cell: Cell, effort: Effort, _: np.random.Generator) -> Sequence[Point]:
    """Mean accuracy on the fold that was left out, at every epsilon; the losses of whole fits."""
    if "loss" in cell:
        of = str(cell["loss"])
        return losses.points(of, lambda epsilon: losses.tree(made(of, epsilon, 1), epsilon), LOSSES_AT)
    name, target = str(cell["dataset"]), str(cell["target"])
    depth, one, stop = int(cell["depth"]), str(cell["series"]), str(cell["stop"])
    table = data.table(name, target)
    fine = replace(effort, target=effort.target * _FINE) if cell.get("fine") else effort

    def accuracy(epsilon: float, run: int) -> float:
        model = made(one, epsilon, depth, stop, domains=table.domains, classes=table.classes)
        return trees.accuracy(table, model, trees.fold(len(table), run))

    return [
        point(panel(name, target, depth, stop), one, epsilon, repeated(partial(accuracy, epsilon), fine, paper=PAPER))
        for epsilon in (EPSILONS[::2] if effort.name == "quick" else EPSILONS)
    ]


def panel(name: str, target: str, depth: int, stop: str = CORRECTED) -> str:
    """Return the title of a panel."""
    return f"{name} ({target}), depth {depth}" + (", printed stop" if stop == PRINTED else "")


def leads(results: Results, places: Sequence[str], above: str, below: str) -> list[Gain]:
    """Return by how many points of accuracy one series is above another, at every budget of every panel.

    Raises:
        Unmeasured: a series was not measured.
    """
    return [
        Gain(
            f"{place}, epsilon {ours.x:g}",
            100 * (ours.value - theirs.value),
            100 * math.hypot(*(0.0 if math.isnan(each.error) else each.error for each in (ours, theirs))),
        )
        for place in places
        for ours, theirs in zip(results.line(place, above), results.line(place, below), strict=True)
    ]


def _private(results: Results, name: str) -> bool:
    return any(results.private(each) for each in series() if each.name == name)


def most(
    text: str, printed: str, places: Sequence[str], series: tuple[str, str], points: float, *, needs: str
) -> Claim:
    """Judge by how many points one series is above another at most; any other size is told with what is not printed."""
    above, below = series

    def judge(results: Results) -> Judgement:
        gains = leads(results, places, above, below)
        judged_by = at_most if "at most" in text else up_to
        judgement = judged_by(points, gains, private=_private(results, above), unit=" points")
        if judgement.verdict.startswith("reproduced"):
            return judgement
        return Judgement(judgement.ours, judgement.verdict, f"{judgement.why}; {needs}")

    return Claim(text, printed, judge)


def mostly(text: str, readings: Mapping[str, Sequence[str]], above: str, below: str, *, needs: str) -> Claim:
    """Judge "in almost every budget" by the reading that fits best.

    Above beyond chance on average, above at all in four settings of five, and below beyond chance in one of ten at
    most. A reading that is above on average only has the direction; where every reading is below beyond chance in more
    than one setting of ten, the sentence is refuted.
    """

    def judge(results: Results) -> Judgement:
        shown, held, ahead_on_average, lost = [], False, False, True
        for reading, places in readings.items():
            gains = leads(results, places, above, below)
            mean = sum(gain.value for gain in gains) / len(gains)
            error = math.hypot(*(gain.error for gain in gains)) / len(gains)
            limit = quantile(len(gains))
            ahead, behind = (sum(sign * gain.value > limit * gain.error for gain in gains) for sign in (1, -1))
            above_at_all = sum(gain.value > 0 for gain in gains)
            often = 5 * above_at_all >= 4 * len(gains)
            held = held or (mean > 2 * error and often and behind <= len(gains) // 10)
            ahead_on_average = ahead_on_average or mean > 2 * error
            lost = lost and behind > len(gains) // 10
            told = f"{reading}: {mean:+.1f} ± {error:.1f} points on average, above in {above_at_all} of {len(gains)}"
            shown.append(f"{told} settings (clearly in {ahead}) and clearly below in {behind}")
        ours = "; ".join(shown)
        if held:
            return Judgement(ours, reproduced(_private(results, above)), "in one reading of the set-up")
        if lost:
            return Judgement(ours, "refuted", f"below beyond chance in every reading; {needs}")
        if ahead_on_average:
            why = f"above on average in one reading of the set-up, not in four settings of five; {needs}"
            return Judgement(ours, "same direction, other size", why)
        return Judgement(ours, "not comparable", needs)

    return Claim(text, "almost every budget", judge)


LOSSES_ON = (
    "Whole fits with one level of splits, on tables of up to three records with two attributes and two classes: every "
    "count, split and leaf, by exact laws. They are lower bounds for larger tables."
)
METHOD = (
    "No program is published: what the text describes is the set-up. Ten-fold cross-validation, repeated with other "
    "folds, until the standard error is the one aimed at (the thesis: 10 times). Columns of numbers have ten even "
    "public bins. B is the total of a tree: d levels of a count and a selection, and a leaf, B / (2 (d + 1)) each. "
    "Sensitivities are the corrected ones (errata), with a public bound of 50,000 records; the stopping rule is the "
    "corrected sqrt(2)/epsilon. SuLQ ID3 asks for noisy counts of every attribute; the default tree finds its own "
    "depth. The figure is printed without numbers."
)

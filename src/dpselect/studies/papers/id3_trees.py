"""What Figures 23 to 25 of 001 share: private ID3 trees under repeated ten-fold cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpselect.learn import DPID3Classifier, DPTreeClassifier
from dpselect.published import SulqID3Classifier
from dpselect.studies.engine import data
from dpselect.studies.engine.experiment import Cell, Claim, Effort, Judgement, Point, Results, point, repeated
from dpselect.studies.papers import trees

EPSILONS = (0.01, 0.05, 0.1, 0.5, 1.0, 2.0)
DEPTHS = (2, 5)
GLOBAL, LOCAL, SHIFTED = "GlobalDiffPID3", "LocalDiffPID3", "ShiftedLocalDiffPID3"
SULQ, FLIP, DEFAULT = "SuLQ ID3", "ID3, max operator, permute-and-flip", "DPTreeClassifier"
SERIES = (GLOBAL, LOCAL, SHIFTED, SULQ, FLIP, DEFAULT)
PAPER = 100
_MOST_RECORDS = 50_000
# Leads known less well than this many points are not judged.
_CLEAR = 3.0


def made(series: str, epsilon: float, depth: int, **settings: Any) -> Any:
    """Return the untrained model of a series."""
    gain: dict[str, Any] = {"criterion": "information-gain", "max_records": _MOST_RECORDS}
    kinds: dict[str, Callable[[], Any]] = {
        GLOBAL: lambda: DPID3Classifier(epsilon, depth, mechanism="exponential", **gain, **settings),
        LOCAL: lambda: DPID3Classifier(epsilon, depth, mechanism="local-dampening", **gain, **settings),
        SHIFTED: lambda: DPID3Classifier(epsilon, depth, mechanism="shifted-local-dampening", **gain, **settings),
        SULQ: lambda: SulqID3Classifier(epsilon, depth, **settings),
        FLIP: lambda: DPID3Classifier(epsilon, depth, **settings),
        DEFAULT: lambda: DPTreeClassifier(epsilon, **settings),
    }
    return kinds[series]()


def cells(datasets: Sequence[tuple[str, str]]) -> list[Cell]:
    """Return one cell for each dataset and class column, depth and series; the default tree finds its own depth."""
    return [
        {"dataset": name, "target": target, "depth": depth, "series": series}
        for name, target in datasets
        for depth in DEPTHS
        for series in SERIES
    ]


def measure(cell: Cell, effort: Effort, _: np.random.Generator) -> Sequence[Point]:
    """Mean accuracy on the fold that was left out, at every epsilon."""
    name, target = str(cell["dataset"]), str(cell["target"])
    depth, series = int(cell["depth"]), str(cell["series"])
    table = data.table(name, target)

    def accuracy(run: int, epsilon: float) -> float:
        model = made(series, epsilon, depth, domains=table.domains, classes=table.classes)
        return trees.accuracy(table, model, trees.fold(len(table), run))

    return [
        point(
            panel(name, target, depth),
            series,
            epsilon,
            repeated(lambda run, e=epsilon: accuracy(run, e), effort, paper=PAPER),  # type: ignore[misc]
        )
        for epsilon in (EPSILONS[::2] if effort.name == "quick" else EPSILONS)
    ]


def panel(name: str, target: str, depth: int) -> str:
    """Return the title of a panel."""
    return f"{name} ({target}), depth {depth}"


def lead(text: str, printed: str, places: Sequence[str], above: str, below: str, points: float) -> Claim:
    """Judge by how many points of accuracy one series is above another at most, over budgets and panels."""

    def judge(results: Results) -> Judgement:
        leads = []
        for place in places:
            for ours, theirs in zip(results.line(place, above), results.line(place, below), strict=True):
                error = 100 * float(np.hypot(ours.error, theirs.error))
                leads.append((100 * (ours.value - theirs.value), error, ours.x, place))
        most, error, x, place = max(leads)
        shown = f"{most:.1f} points at epsilon {x:g} ({place}); {min(leads)[0]:.1f} at worst"
        if not 2 * error <= _CLEAR:
            return Judgement(shown, "not comparable", f"too few runs: the standard error is {error:.1f} points")
        allowed = 2 + 2 * error
        held = abs(most - points) <= allowed
        why = f"apart by {abs(most - points):.1f}, allowed {allowed:.1f}"
        return Judgement(shown, "reproduced" if held else "refuted", why)

    return Claim(text, printed, judge)


def mostly(text: str, places: Sequence[str], above: str, below: str) -> Claim:
    """Judge whether one series is above another in almost every setting: in nine of ten, not counting near ties."""

    def judge(results: Results) -> Judgement:
        leads = [
            100 * (ours.value - theirs.value)
            for place in places
            for ours, theirs in zip(results.line(place, above), results.line(place, below), strict=True)
        ]
        better, worse = (sum(sign * lead > 0.5 for lead in leads) for sign in (1, -1))
        told = f"more than half a point above in {better} of {len(leads)} settings, below in {worse}"
        return Judgement(told, "reproduced" if better >= 9 * worse and better else "refuted")

    return Claim(text, "almost every budget", judge)


METHOD = (
    "Ten-fold cross-validation, repeated with other folds, until the standard error is the one aimed at (the thesis: "
    "10 times). Columns of numbers have ten even public bins. B is the total of a tree: d levels of a count and a "
    "selection, and a leaf, B / (2 (d + 1)) each. Sensitivities are the corrected ones (errata), with a public bound "
    "of 50,000 records; the stopping rule is the corrected sqrt(2)/epsilon. SuLQ ID3 asks for noisy counts of every "
    "attribute; the default tree finds its own depth. The figure is printed without numbers."
)

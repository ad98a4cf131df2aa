"""What an experiment is: one table or figure of a paper, its printed numbers, and how one cell of it is measured.

An experiment is a description and holds no state. Its grid is a list of cells, small dictionaries of numbers and
strings. ``measure(cell, effort, rng)`` turns a cell into points; a cell that names a ``dataset`` is skipped when the
data folder does not hold it. Points with ``runs = 0`` are exact, computed from laws. True privacy losses are points
too, in the panel ``PRIVACY``.

All seeds of the library live in this package: ``rng`` splits rows and simulates data. Releases never see it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from research.engine.series import PRIVACY, Series, price

Cell = Mapping[str, str | int | float]
Verdict = Literal[
    "reproduced",
    "reproduced, without privacy",
    "same direction, other size",
    "depends on unpublished data or choices",
    "refuted",
    "not comparable",
]


@dataclass(frozen=True)
class Effort:
    """How much work: the standard error aimed at, and at most and at least how many runs of a slow measurement."""

    name: str
    target: float
    most: int
    least: int = 3

    def runs(self, *, paper: int, spread: float = 0.5) -> int:
        """Return how many draws of that standard deviation reach the target; the paper's count under ``paper``."""
        return paper if self.name == "paper" else math.ceil((spread / self.target) ** 2)


QUICK = Effort("quick", 0.03, 5)
FULL = Effort("full", 0.01, 100, 10)
PAPER = Effort("paper", 0.0, 10**6)
EFFORTS = {effort.name: effort for effort in (QUICK, FULL, PAPER)}


@dataclass(frozen=True)
class Estimate:
    """A mean, its standard error, and the number of runs behind it."""

    value: float
    error: float
    runs: int


def repeated(
    draw: Callable[[int], float], effort: Effort, *, paper: int, least: int | None = None, most: int | None = None
) -> Estimate:
    """Return the mean of ``draw(0), draw(1), ...``: until the standard error is the target, or as often as allowed.

    Under ``paper`` exactly the paper's count is drawn; ``least`` and ``most`` replace the effort's own bounds.
    """
    most = effort.most if most is None else most
    least = effort.least if least is None else least
    values: list[float] = []
    while True:
        values.append(float(draw(len(values))))
        runs = len(values)
        error = float(np.std(values, ddof=1) / math.sqrt(runs)) if runs > 1 else math.inf
        if effort.name == "paper":
            if runs >= paper:
                break
        elif runs >= most or (runs >= least and error <= effort.target):
            break
    return Estimate(float(np.mean(values)), error if len(values) > 1 else math.nan, len(values))


def mean_of(samples: Iterable[float]) -> Estimate:
    """Return the mean of given runs with its standard error."""
    values = np.asarray(list(samples), dtype=float)
    error = float(values.std(ddof=1) / math.sqrt(values.size)) if values.size > 1 else math.nan
    return Estimate(float(values.mean()), error, int(values.size))


@dataclass(frozen=True)
class Point:
    """One number of ours: where it is drawn (panel, series, x), its standard error and how many runs it took."""

    panel: str
    series: str
    x: float
    value: float
    error: float = 0.0
    runs: int = 0


def point(panel: str, series: str, x: float, estimate: Estimate) -> Point:
    """Return an estimate as a point."""
    return Point(panel, series, float(x), estimate.value, estimate.error, estimate.runs)


@dataclass(frozen=True)
class Printed:
    """One number of a paper, at the place of our point.

    Attributes:
        tolerance: how far ours may lie from it beyond chance and rounding; the experiment's when left out.
        not_comparable: what would make it comparable; empty when it is.
        depends: on which unpublished data or choices it rests; empty when on none.
        error: the printed number's own standard error, where its paper or log tells it.
        decimals: how many are printed; the experiment's when left out.
        ours: names of our series that it is compared with; the experiment's ``judged_by`` when left out.
    """

    panel: str
    series: str
    x: float
    value: float
    tolerance: float | None = None
    not_comparable: str = ""
    depends: str = ""
    error: float | None = None
    decimals: int | None = None
    ours: tuple[str, ...] = ()


def printed(
    panel: str,
    x: Sequence[float],
    rows: Mapping[str, Sequence[float]],
    *,
    tolerance: float | None = None,
    not_comparable: str = "",
    depends: str = "",
) -> tuple[Printed, ...]:
    """Return a printed table: one row per series, one column per x."""
    return tuple(
        Printed(panel, series, float(place), float(value), tolerance, not_comparable, depends)
        for series, values in rows.items()
        for place, value in zip(x, values, strict=True)
    )


class Unmeasured(LookupError):
    """A number that was not measured, because its data are not here."""


@dataclass(frozen=True)
class Results:
    """The points of one experiment."""

    points: Sequence[Point]
    _index: Mapping[tuple[str, str, float], Point] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        index = {(each.panel, each.series, each.x): each for each in self.points}
        object.__setattr__(self, "_index", index)

    def at(self, panel: str, series: str, x: float) -> Point:
        """Return the point of that place.

        Raises:
            Unmeasured: there is none.
        """
        result = self._index.get((panel, series, float(x)))
        if result is None:
            raise Unmeasured(f"{panel}, {series}, {x:g} was not measured.")
        return result

    def line(self, panel: str, series: str) -> list[Point]:
        """Return the points of a series in order of x.

        Raises:
            Unmeasured: there are none.
        """
        points = sorted((p for p in self.points if (p.panel, p.series) == (panel, series)), key=lambda p: p.x)
        if not points:
            raise Unmeasured(f"{panel}, {series} was not measured.")
        return points

    def panels(self) -> list[str]:
        """Return the panels in order of first appearance, without the privacy losses."""
        return [each for each in dict.fromkeys(point.panel for point in self.points) if each != PRIVACY]

    def loss(self, series: str) -> float | None:
        """Return the greatest privacy loss measured for a series, in epsilons; None when none was."""
        losses = [each.value for each in self.points if (each.panel, each.series) == (PRIVACY, series)]
        return max(losses, default=None)

    def private(self, series: Series) -> bool:
        """Return whether a series is a mechanism whose privacy loss is at most epsilon, as far as was measured."""
        if series.kind == "reference":
            return False
        loss = self.loss(series.name)
        # What the paper has is not believed without a loss.
        return series.kind == "sound" if loss is None else loss <= 1 + 1e-9

    def series(self, panel: str) -> list[str]:
        """Return the series of a panel in order of first appearance."""
        return list(dict.fromkeys(each.series for each in self.points if each.panel == panel))


@dataclass(frozen=True)
class Judgement:
    """What became of a claim: ours in words, the verdict, and why or by how much."""

    ours: str
    verdict: Verdict
    why: str = ""


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper with a number in it, and how our results judge it."""

    text: str
    printed: str
    judge: Callable[[Results], Judgement]


@dataclass(frozen=True)
class NotReproduced:
    """A printed claim that no experiment here repeats, and why."""

    paper: str
    item: str
    text: str
    printed: str
    because: str


@dataclass(frozen=True)
class Experiment:
    """One table or figure.

    Attributes:
        name: the file's name, used on the command line. paper: ``"000"`` to ``"004"``. item: ``"Figure 7"``.
        title: what is measured, in one sentence. method: data, settings and every departure from the paper.
        grid: the cells for an effort. measure: the points of one cell; a function of a module, for other processes.
        x_label, y_label: with units. x_scale, y_scale: ``"linear"``, ``"log"`` or ``"symlog"``.
        y_labels: labels of panels of another unit, by how their titles end; x_labels: of another x, by their titles.
        printed: the paper's numbers. judged_by: by a printed series, the names of our series that it is compared with.
        decimals: how many are printed. paper_runs: how many runs are behind a printed mean, 0 when none or unknown.
        spread: the standard deviation of one run of the paper's at an exact point of ours.
        tolerance: how far ours may lie from print beyond chance and rounding, with ``tolerance_because``.
        claims: the paper's sentences with numbers. task: what is chosen, for the summary of best mechanisms; empty when
            nothing is ranked.
        series: every line: as released, as described, sound or a reference. losses_on: on which databases the privacy
            losses were measured, and whether they are exact or lower bounds. drawn: the series of the picture, at most
            six; chosen by their kind when left out.
        better: ``"higher"`` or ``"lower"``.
        kind: ``"figure"`` (lines first) or ``"table"`` (numbers first).
        remark: what to use instead, or why the paper's number cannot be had.
    """

    name: str
    paper: str
    item: str
    title: str
    method: str
    grid: Callable[[Effort], Sequence[Cell]]
    measure: Callable[[Cell, Effort, np.random.Generator], Sequence[Point]]
    x_label: str
    y_label: str
    task: str
    better: Literal["higher", "lower"]
    x_scale: str = "log"
    y_scale: str = "linear"
    y_labels: Mapping[str, str] = field(default_factory=dict)
    x_labels: Mapping[str, str] = field(default_factory=dict)
    printed: tuple[Printed, ...] = ()
    judged_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    decimals: int | None = None
    paper_runs: int = 0
    spread: Callable[[Point], float] | None = None
    tolerance: float = 0.0
    tolerance_because: str = ""
    claims: tuple[Claim, ...] = ()
    series: tuple[Series, ...] = ()
    losses_on: str = ""
    drawn: tuple[str, ...] = ()
    kind: Literal["figure", "table"] = "figure"
    remark: str = ""

    def label(self, panel: str) -> str:
        """Return what the values of a panel are, with their unit."""
        return next((label for ending, label in self.y_labels.items() if panel.endswith(ending)), self.y_label)

    def described(self, name: str) -> Series | None:
        """Return what a series is; None when the experiment does not say."""
        return next((each for each in self.series if each.name == name), None)

    def private(self, results: Results, name: str) -> bool:
        """Return whether a series is a mechanism whose privacy loss is at most epsilon, as far as was measured."""
        described = self.described(name)
        if described is None:
            # Where nothing is described, everything is taken for a mechanism.
            return not self.series
        return results.private(described)

    def series_label(self, results: Results, name: str, beside: Sequence[str]) -> str:
        """Return a series' name, with what it costs where it is not private and stands beside one that is."""
        described = self.described(name)
        reference = described is not None and described.kind == "reference"
        if reference or self.private(results, name) or not any(self.private(results, each) for each in beside):
            return name
        loss = results.loss(name)
        if loss is None:
            return f"{name} (loss not measured)"
        return f"{name} (not private: loss {price(loss)})"

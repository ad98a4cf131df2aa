"""002, Table I: run time of the mechanisms for m markers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

import dpselect as dps
from dpselect.studies.engine.experiment import (
    Cell,
    Claim,
    Effort,
    Experiment,
    Judgement,
    Point,
    Results,
    mean_of,
    point,
    printed,
)
from dpselect.studies.papers import markers

PANEL = "Seconds a selection"
SIZES = (20, 50, 100, 200, 500, 1000)
ROWS = {
    "EM": (1.5e-4, 3.5e-4, 6.6e-4, 1.5e-3, 3.4e-3, 6.4e-3),
    "PF": (1.3e-4, 3.2e-4, 6.4e-4, 1.4e-3, 3.2e-3, 6.3e-3),
    "SPS, Th.4": (4.6e-4, 1.1e-3, 2.3e-3, 4.8e-3, 1.1e-2, 2.0e-2),
    "SPS, Th.5": (0.90, 2.2, 4.6, 10.0, 22.7, 43.1),
}
SMOOTH = "SPS, exact smooth bound"
_MACHINE = "another machine and another program, which computes the bound in another way"
OURS = {
    "EM": "exponential",
    "PF": "permute-and-flip",
    SMOOTH: "smooth-private-selection",
}


def grid(_: Effort) -> list[Cell]:
    """One cell a mechanism and size."""
    return [{"series": name, "markers": m} for name in OURS for m in SIZES]


def measure(cell: Cell, effort: Effort, rng: np.random.Generator) -> Sequence[Point]:
    """Processor seconds from counts to a name, scores and sensitivities included; the mean of ten runs."""
    name, size = str(cell["series"]), int(cell["markers"])
    b, c, families = markers.simulated(size, rng)
    mechanism = dps.mechanism(OURS[name])

    def once() -> object:
        scores = dps.utilities.tdt(b, c, families=families)
        if name != SMOOTH:
            # EM and PF need the global sensitivity only.
            scores = dps.Scores(scores.values, scores.sensitivity.ceiling, neighbours="family", zero=scores.zero)
        return dps.select(scores, 21, mechanism=mechanism)

    once()
    runs = 3 if effort.name == "quick" else 10
    return [point(PANEL, name, size, mean_of(_seconds(once) for _ in range(runs)))]


def _seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def _linear(results: Results) -> Judgement:
    line = {p.x: p.value for p in results.line(PANEL, SMOOTH)}
    grown = line[1000] / line[100]
    return Judgement(f"{grown:.1f} times the time for ten times the markers", "not comparable", _MACHINE)


def _minute(results: Results) -> Judgement:
    taken = results.at(PANEL, SMOOTH, 1000).value
    return Judgement(f"{taken:.3g} s", "not comparable", f"{_MACHINE}; {43.1 / taken:.0f} times less than printed")


EXPERIMENT = Experiment(
    name="smooth_private_selection_table_1",
    paper="002",
    item="Table I",
    title="Run time of a selection among m markers.",
    method="Simulated studies of 150 families; processor seconds of one process, everything from the counts on.",
    grid=grid,
    measure=measure,
    x_label="markers",
    y_label="seconds",
    y_scale="log",
    task="the fastest selection among markers",
    better="lower",
    printed=printed(PANEL, SIZES, ROWS, not_comparable=_MACHINE),
    claims=(
        Claim("Run time is almost proportional to m", "10 times from 100 to 1000 markers", _linear),
        Claim("With m = 1000 smooth private selection takes less than a minute", "43.1 s", _minute),
    ),
    kind="table",
    remark="Seconds of different machines are told, not judged; the smooth bound needs no search over databases.",
)

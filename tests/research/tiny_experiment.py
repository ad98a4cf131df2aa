"""A tiny experiment for the tests of the engine; a module of its own so that other processes can import it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dpselect import datasets
from research.engine.experiment import (
    Cell,
    Claim,
    Effort,
    Experiment,
    Judgement,
    Point,
    Printed,
    Results,
)
from research.engine.series import Series

MEASURED: list[float] = []


def grid(_: Effort) -> list[Cell]:
    """Return three cells without data and one with."""
    return [{"x": 1.0}, {"x": 2.0}, {"x": 3.0}, {"x": 4.0, "dataset": "no such dataset"}]


def measure(cell: Cell, _: Effort, rng: np.random.Generator) -> Sequence[Point]:
    """Return the double, and a simulated number; TROUBLE fails at the second cell or kills the process at the third."""
    x = float(cell["x"])
    if (x, os.environ.get("TROUBLE")) == (2.0, "fail"):
        raise ZeroDivisionError("two")
    if (x, os.environ.get("TROUBLE")) == (3.0, "kill"):
        os.kill(os.getpid(), signal.SIGKILL)
    MEASURED.append(x)
    return [
        Point("doubles <&>", "twice", x, 2 * x),
        Point("doubles <&>", "random", x, float(rng.random()), 0.01, 7),
    ]


def data_grid(_: Effort) -> list[Cell]:
    """Return one cell without data and two with."""
    return [{"x": 1.0}, {"x": 2.0, "dataset": "steps"}, {"x": 3.0, "dataset": "steps"}]


def read(cell: Cell, *_: object) -> Sequence[Point]:
    """Return the sum of the data, where there are some; TROUBLE interrupts at the third cell."""
    x = float(cell["x"])
    if (x, os.environ.get("TROUBLE")) == (3.0, "interrupt"):
        stop()
    MEASURED.append(x)
    found = np.load(datasets.every()["steps"].path).sum() if "dataset" in cell else 0
    return [Point("doubles <&>", "twice", x, float(found))]


def want(cell: Cell, *_: object) -> Sequence[Point]:
    """Find the machine at fault, in two ways."""
    raise MemoryError("of 9 GiB") if cell["x"] == 1.0 else OSError("the cable is loose")


def linger(cell: Cell, *_: object) -> Sequence[Point]:
    """Write down the process, and take a minute."""
    Path(os.environ["LINGERING"], str(os.getpid())).touch()
    time.sleep(60)
    return [Point("doubles <&>", "twice", float(cell["x"]), 0.0)]


def stop(*_: object) -> Sequence[Point]:
    """Be interrupted."""
    raise KeyboardInterrupt


def _last(results: Results) -> Judgement:
    value = results.at("doubles <&>", "twice", 3).value
    return Judgement(f"{value:g}", "reproduced" if value == 6 else "refuted")


def _away(results: Results) -> Judgement:
    return Judgement(f"{results.at('doubles <&>', 'twice', 4).value:g}", "reproduced")


EXPERIMENT = Experiment(
    name="tiny",
    paper="000",
    item="Figure 0",
    title="Twice a number | and more.",
    method="By addition.",
    grid=grid,
    measure=measure,
    x_label="x",
    y_label="2 x",
    task="the double",
    better="higher",
    printed=(
        Printed("doubles <&>", "twice", 1, 2.05),
        Printed("doubles <&>", "twice", 2, 5),
        Printed("doubles <&>", "twice", 3, 6, not_comparable="another unit"),
        Printed("doubles <&>", "random", 1, 0.5, tolerance=1.0),
    ),
    tolerance=0.1,
    claims=(Claim("three doubled", "6", _last), Claim("four doubled", "8", _away)),
    series=(Series("twice", "sound", "permute-and-flip"), Series("random", "as released", "exponential")),
)

"""002, Figure 2: noises with gamma = 2, 4, 6 and 10 in case (IV)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import mean

import numpy as np

from dpselect.studies.engine.experiment import Cell, Claim, Effort, Experiment, Judgement, Point, Results, point
from dpselect.studies.papers import markers
from dpselect.studies.papers.smooth_private_selection_figure_1 import SIZES, mean_chance, panel

GAMMAS = (2, 4, 6, 10)


def grid(_: Effort) -> list[Cell]:
    """One cell a size and noise."""
    return [{"markers": m, "gamma": gamma} for m in SIZES for gamma in GAMMAS]


def measure(cell: Cell, effort: Effort, _: np.random.Generator) -> Sequence[Point]:
    """Exact probabilities, the mean over simulated studies; none where beta alone would cost all of epsilon."""
    size, gamma = int(cell["markers"]), int(cell["gamma"])
    points = []
    for e in markers.EPSILONS:
        law = partial(markers.published, epsilon=e, theorem=5, sides=1, gamma=gamma)
        try:
            points.append(point(panel(size), f"gamma = {gamma}", e, mean_chance(size, effort, law)))
        except ValueError:
            continue
    return points


def _four(results: Results) -> Judgement:
    lines = {
        gamma: {(m, p.x): p.value for m in SIZES for p in results.line(panel(m), f"gamma = {gamma}")}
        for gamma in GAMMAS
    }
    # With many markers and a small epsilon beta alone would cost all of it: only places that all noises have count.
    places = set.intersection(*(set(line) for line in lines.values()))
    means = {gamma: mean(line[place] for place in places) for gamma, line in lines.items()}
    ours = ", ".join(f"{gamma}: {value:.1f}" for gamma, value in means.items())
    won = max(means, key=lambda gamma: means[gamma])
    missing = len(set.union(*(set(line) for line in lines.values()))) - len(places)
    why = f"without {missing} places where some noise cannot be had" if missing else ""
    return Judgement(f"mean accuracy by gamma {ours}", "reproduced" if won == 4 else "refuted", why)


EXPERIMENT = Experiment(
    name="smooth_private_selection_figure_2",
    paper="002",
    item="Figure 2",
    title="Which noise smooth private selection should use.",
    method="The studies of Figure 1, case (IV): Theorem 5 and one-sided noise. The figure is printed without numbers.",
    grid=grid,
    measure=measure,
    x_label="epsilon",
    x_scale="linear",
    y_label="probability of the best, per cent",
    task="the noise of smooth private selection",
    better="higher",
    claims=(Claim("Accuracy is highest when gamma = 4", "gamma = 4", _four),),
)

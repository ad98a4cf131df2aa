"""Yamamoto and Shibuya 2024, Figure 1: naming the most significant of 5, 10, 15 or 20 simulated markers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from research.engine.experiment import (
    Cell,
    Claim,
    Effort,
    Estimate,
    Experiment,
    Judgement,
    Point,
    Results,
    point,
    repeated,
)
from research.engine.runs import generator
from research.engine.verdicts import reproduced
from research.papers import markers

SIZES = (5, 10, 15, 20)
MOST = 32


def grid(_: Effort) -> list[Cell]:
    """One cell per size and mechanism, and one per loss."""
    cells: list[Cell] = [{"markers": m, "series": each.name} for m in SIZES for each in markers.SERIES]
    return cells + [{"loss": each.name} for each in markers.SERIES]


def studies(size: int) -> list[markers.Study]:
    """Return simulated studies, the same for every mechanism."""
    rng = generator("markers", str(size))
    return [markers.simulated(size, rng) for _ in range(MOST)]


def mean_chance(size: int, effort: Effort, law: Callable[[markers.Study], NDArray[np.float64]]) -> Estimate:
    """Return the mean probability over simulated studies, in per cent, each exact."""
    sample = studies(size)
    most = 5 if effort.name == "quick" else MOST
    mean = repeated(
        lambda i: markers.chance(law(sample[i]), sample[i]), effort, paper=5, least=min(most, 40), most=most
    )
    return Estimate(100 * mean.value, 100 * mean.error, mean.runs)


def measure(cell: Cell, effort: Effort, _: np.random.Generator) -> Sequence[Point]:
    """Exact probabilities, the mean over simulated studies; or the exact losses."""
    if "loss" in cell:
        return markers.losses(str(cell["loss"]))
    size, name = int(cell["markers"]), str(cell["series"])
    return [
        point(panel(size), name, e, mean_chance(size, effort, partial(markers.law_of, name, epsilon=e)))
        for e in markers.EPSILONS
    ]


def panel(size: int) -> str:
    """Return the title of a panel."""
    return f"{size} markers, 150 families"


def ahead(case: str, rivals: Sequence[str], results: Results) -> Judgement:
    """Judge whether a case leads at every number of markers, on average over epsilon: as described, then as released.

    A rival with privacy of its own is the same in both.
    """
    judged = [_ahead(case + ending, [_beside(rival, ending) for rival in rivals], results) for ending in _ENDINGS]
    for (shown, leads, why), private in zip(judged, (True, False), strict=True):
        if leads:
            return Judgement(shown, reproduced(private), why)
    return Judgement(judged[0][0], "refuted", f"{judged[0][2]}; as released {judged[1][0]}")


_ENDINGS = ("", markers.RELEASED)


def _beside(rival: str, ending: str) -> str:
    return rival + ending if rival in markers.PUBLISHED else rival


def _ahead(series: str, rivals: Sequence[str], results: Results) -> tuple[str, bool, str]:
    leads = {
        m: [
            results.at(panel(m), series, e).value - max(results.at(panel(m), rival, e).value for rival in rivals)
            for e in markers.EPSILONS
        ]
        for m in SIZES
    }
    means = {m: mean(row) for m, row in leads.items()}
    behind = sum(lead <= 0 for row in leads.values() for lead in row)
    ours = ", ".join(f"{lead:+.1f}" for lead in means.values())
    return (
        f"mean lead {ours} points at m = {', '.join(map(str, SIZES))}",
        min(means.values()) > 0,
        f"behind at {behind} of {sum(map(len, leads.values()))} single places; every mechanism meets the same studies",
    )


EXPERIMENT = Experiment(
    name="smooth_private_selection_figure_1",
    paper="002",
    item="Figure 1",
    title="Probability that the most significant of 5, 10, 15 or 20 simulated markers is named.",
    method=(
        "Studies simulated as in section V-A (150 families, s from Binomial(300, 2/3), b from Binomial(s, 1/2)); "
        "gamma = 4; exact probabilities, the mean over simulated studies. As released: beta is capped so that half of "
        "epsilon is left, and noise is drawn from the hundredths up to 10. As described: Theorems 2 to 5 with all of "
        "the noise. The figure is printed without numbers."
    ),
    grid=grid,
    measure=measure,
    x_label="epsilon",
    x_scale="linear",
    y_label="probability of the best, per cent",
    task="the most significant genetic marker, simulated",
    better="higher",
    claims=(
        Claim(
            "Case (III) outperforms EM and PF at every m",
            "above both",
            partial(ahead, "SPS (III) Th.5, two-sided", ("EM", "PF")),
        ),
        Claim(
            "Case (IV) outperforms EM and PF at every m",
            "above both",
            partial(ahead, "SPS (IV) Th.5, one-sided", ("EM", "PF")),
        ),
        Claim(
            "One-sided noise beats two-sided noise (cases I and II)",
            "one-sided better",
            partial(ahead, "SPS (II) Th.4, one-sided", ("SPS (I) Th.4, two-sided",)),
        ),
    ),
    series=markers.SERIES,
    losses_on=markers.LOSSES_ON,
    drawn=(
        "SPS (IV) Th.5, one-sided, as released",
        "SPS (IV) Th.5, one-sided",
        "SPS (III) Th.5, two-sided, as released",
        markers.PF,
        markers.SNM,
    ),
    remark="Use smooth-noisy-max with its sound calibration: it pays with the logarithm of the number of markers.",
)

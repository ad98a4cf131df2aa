"""Imola and Yang 2018, Figure 1.2 and section 4: the histogram or tree is chosen by what was learned on public data.

Regret is the loss of a pipeline, its metafeatures paid from the same epsilon, over the least loss of any single option
given all of it, on databases left out of the training together with all that is derived from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from importlib.resources import as_file, files
from typing import Any

import numpy as np

from research.engine.claims import quantile
from research.engine.experiment import (
    Cell,
    Claim,
    Effort,
    Experiment,
    Judgement,
    Point,
    Results,
    mean_of,
    point,
)
from research.engine.series import Series
from research.engine.verdicts import reproduced
from research.papers import jostle_figure_1_1, jostle_figure_4_2, losses
from research.papers.choice_losses import of_choice_maker

FOREST, TREE = "choice maker, forest", "choice maker, regret tree"
LEARNERS = {FOREST: "forest", TREE: "regret-tree"}
# The published options whose lines are shown, and all that are chosen from.
SHOWN = {"histogram": ("dawa", "mwem", "hb", "identity"), "tree": ("A1", "A2", "A3", "A5")}
AMONG = {
    "histogram": ("identity", "uniform", "hb", "privelet", "dawa", "mwem"),
    "tree": ("A1", "A2", "A3", "A4", "A5"),
}
EPSILONS = {"histogram": (0.01, 0.03, 0.1, 0.3, 1.0), "tree": (0.03, 0.1, 0.3, 1.0, 3.0)}
TABLES = ("hiv1625", "nursery", "contraceptive", "mushroom", "adult", "nltcs", "wine", "pendigits")
LEAD = "lead over the best single option"
_SHARE = Fraction(1, 20)
_LOSSES_AT = (1.0, 2.0)


def grid(_: Effort) -> list[Cell]:
    """One cell per kind of choice and learner, and one for each loss."""
    cells: list[Cell] = [{"kind": kind, "series": name} for kind in ("tree", "histogram") for name in LEARNERS]
    return cells + losses.cells((*LEARNERS, *(f"always {name}" for names in SHOWN.values() for name in names)))


def measure(cell: Cell, effort: Effort, _: np.random.Generator) -> Sequence[Point]:
    """Mean held-out regret at every epsilon, and the mean lead over the single option that is best in hindsight."""
    if "loss" in cell:
        return losses.points(str(cell["loss"]), partial(_loss, str(cell["loss"])), _LOSSES_AT)
    kind, series = str(cell["kind"]), str(cell["series"])
    regret = _regret(kind, series, 3 if effort.name == "quick" else 20)
    wanted = (series, *(f"always {name}" for name in SHOWN[kind])) if series == FOREST else (series,)
    points = [
        point(f"{kind}s", name, total, mean_of(row["policies"][name] for row in regret.rows if row["epsilon"] == total))
        for name in wanted
        for total in EPSILONS[kind]
    ]
    single = min((f"always {name}" for name in AMONG[kind]), key=regret.mean)
    # What is derived from a dataset is not a dataset of its own.
    groups = {row["group"] for row in regret.rows}
    leads = [
        float(np.mean([_lead(row["policies"], single, series) for row in regret.rows if row["group"] == group]))
        for group in sorted(groups)
    ]
    return [*points, point(f"{kind}s, {LEAD}", series, 1.0, mean_of(leads))]


def _lead(policies: dict[str, float], single: str, series: str) -> float:
    return policies[single] - policies[series]


def _regret(kind: str, series: str, draws: int) -> Any:
    """Return the held-out regret of one maker, from the runs that the studies of peers keep."""
    from dpselect import adaptive
    from dpselect.adaptive import histogram_options, tree_options
    from dpselect.adaptive.regret import leave_out
    from dpselect.histograms.shapes import EVERY_SHAPE

    with as_file(files("research.comparisons") / "results" / f"choose_{kind}s.parquet") as path:
        traces = adaptive.Traces.read(path)
    if kind == "tree":
        maker = adaptive.AdaptiveAlgorithm(
            tree_options.options(names=AMONG[kind]),
            tree_options.metafeatures(),
            tree_options.error_rate,
            share=_SHARE,
            derived=tree_options.DERIVED,
            features=tree_options.FEATURES,
        )
        measured = [name for name in traces.values() if name in TABLES]
    else:
        maker = adaptive.AdaptiveAlgorithm(
            histogram_options.options(AMONG[kind]),
            histogram_options.metafeatures(),
            histogram_options.range_error,
            share=_SHARE,
            derived=histogram_options.DERIVED,
        )
        # Made-up shapes only train.
        measured = [name for name in traces.values() if not name.startswith(tuple(EVERY_SHAPE))]
    recipes = {series: replace(maker.recipe, learner=LEARNERS[series])}
    return leave_out(traces, recipes, AMONG[kind], EPSILONS[kind], draws, measured)


def _loss(series: str, epsilon: float) -> float:
    if series in LEARNERS:
        return of_choice_maker(LEARNERS[series], epsilon)
    option = series.removeprefix("always ")
    of = jostle_figure_4_2._loss if option in AMONG["tree"] else jostle_figure_1_1.loss
    return of(option, epsilon)


def _beats(kind: str, results: Results) -> Judgement:
    leads = {series: results.at(f"{kind}s, {LEAD}", series, 1.0) for series in LEARNERS}
    shown = ", ".join(f"{series} {each.value:+.2f} ± {each.error:.2f}" for series, each in leads.items())
    limit = quantile(len(leads))
    ahead = [series for series, each in leads.items() if each.value > limit * each.error]
    said = f"mean regret less than that of the best single option in hindsight by: {shown}"
    if ahead:
        return Judgement(
            said, reproduced(all(EXPERIMENT.private(results, each) for each in ahead)), "metafeatures are paid for"
        )
    if all(each.value < -limit * each.error for each in leads.values()):
        return Judgement(said, "refuted", "metafeatures are paid for")
    return Judgement(said, "not comparable", "it needs more datasets: chance could hide the lead")


EXPERIMENT = Experiment(
    name="jostle_choices",
    paper="004",
    item="Figure 1.2, section 4",
    title="Regret of choosing the algorithm by what was learned on public data.",
    method=(
        "Options: six published histograms, or the five trees. A twentieth of epsilon pays for metafeatures. The runs "
        "are those of the benchmarks choose_histograms and choose_trees; nine histograms, each as it is and resampled "
        "to 2,000 records, and eight tables are left out of the training in turn, with all that is derived from them. "
        "The paper prints no number and does not say what learns: a forest and a regret tree are shown. The lead is "
        "averaged over the epsilons, with one value per dataset."
    ),
    grid=grid,
    measure=measure,
    x_label="epsilon",
    y_label="loss over the least loss of any option",
    y_labels={LEAD: "difference of mean regrets"},
    y_scale="log",
    task="",
    better="lower",
    claims=(
        Claim("A choice maker beats committing to one histogram", "no number", partial(_beats, "histogram")),
        Claim("A choice maker beats committing to one tree", "no number", partial(_beats, "tree")),
    ),
    series=(
        Series(FOREST, "as described", "choice maker, forest"),
        Series(TREE, "as described", "choice maker, regret tree"),
        Series("always dawa", "as described", "dawa"),
        Series("always mwem", "as described", "mwem"),
        Series("always hb", "as described", "hb"),
        Series("always identity", "as described", "identity"),
        Series("always A1", "as described", "A1, Friedman and Schuster"),
        Series("always A2", "as described", "A2, Mohammed"),
        Series("always A3", "as described", "A3, Jagannathan"),
        Series("always A5", "as described", "A5, Fletcher and Islam"),
    ),
    losses_on=(
        "Choice makers: whole answers of the same code that chooses between two mechanisms and a constant, on all "
        "tables of up to three records, by exact laws. Single options: as in Figures 1.1 and 4.2. They are lower "
        "bounds for larger tables."
    ),
    remark="Commit to one option where it is never far from the best: the default tree needs no choice.",
)

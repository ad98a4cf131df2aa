"""004, Figure 1.2 and section 4: choosing the histogram or the tree by what was learned on public data.

Regret is the loss of a pipeline, its metafeatures paid from the same epsilon, over the least loss of any single option
given all of it, on databases left out of the training together with all that is derived from them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from dpselect.studies.engine import data
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
)
from dpselect.studies.papers import trees
from dpselect.studies.papers.jostle_figure_1_1 import coarse

HISTOGRAMS = ("adult_2d", "beijing_taxi_s", "cabspotting_s", "checkin", "loan", "hepth", "income", "patent", "medcost")
TABLES = ("hiv1625", "nursery", "contraceptive", "mushroom", "nltcs", "wine")
FOREST, FIXED = "choice maker, forest", "choice maker, one option an epsilon"
EPSILONS = {"histogram": ("1/100", "1/10", "1"), "tree": ("1/10", "1", "3")}
_SHARE = Fraction(1, 20)
Maker = Any


def grid(_: Effort) -> list[Cell]:
    """One cell a kind of choice; the histograms or tables that are there take part."""
    return [{"kind": "histogram"}, {"kind": "tree"}]


def measure(cell: Cell, effort: Effort, _: np.random.Generator) -> Sequence[Point]:
    """Mean held-out regret at every epsilon, by policy."""
    from dpselect.chooser.regret import leave_out

    kind = str(cell["kind"])
    makers: Mapping[str, Callable[[], tuple[Maker, dict[str, Any]]]] = {"histogram": _histograms, "tree": _trees}
    maker, databases = makers[kind]()
    if len(databases) < 2:
        return []
    totals = [Fraction(each) for each in EPSILONS[kind]]
    trained = maker.train(databases, totals, 2 if effort.name == "quick" else 20, jobs=1)
    recipes = {name: replace(maker, learner=learner).recipe for name, learner in ((FOREST, "forest"), (FIXED, "fixed"))}
    regret = leave_out(
        trained.trained.traces, recipes, [option.name for option in maker.options], [float(each) for each in totals]
    )
    return [
        point(
            f"{kind}s, {len(databases)} datasets",
            policy,
            total,
            mean_of(row["policies"][policy] for row in regret.rows if row["epsilon"] == total),
        )
        for policy in regret.policies
        for total in regret.epsilons
    ]


def _histograms() -> tuple[Maker, dict[str, Any]]:
    from dpselect import chooser
    from dpselect.chooser import cells

    maker = chooser.ChoiceMaker(
        cells.options(),
        cells.metafeatures(),
        cells.range_error,
        share=_SHARE,
        derived=cells.DERIVED,
        learner="fixed",
    )
    available = data.available()
    result = {name: data.histogram(name).astype(np.int64) for name in HISTOGRAMS if name in available}
    return maker, {name: coarse(counts, 1024 if counts.ndim == 1 else 64) for name, counts in result.items()}


def _trees() -> tuple[Maker, dict[str, Any]]:
    from dpselect import chooser
    from dpselect.chooser import trees as options

    maker = chooser.ChoiceMaker(
        options.options(), options.metafeatures(), options.error_rate, share=_SHARE, learner="fixed"
    )
    available = data.available()
    return maker, {name: _table(name) for name in TABLES if name in available}


def _table(name: str) -> Any:
    from dpselect.chooser.trees import Table

    table = data.table(name)
    codes: dict[str, Any] = {}
    known: dict[str, Any] = {}
    for column, domain in table.domains.items():
        codes[column], known[column] = table.columns[column], domain
        if isinstance(domain, list):
            place = {value: code for code, value in enumerate(domain)}
            codes[column] = np.array([place[value] for value in table.columns[column].tolist()])
            known[column] = list(range(len(domain)))
    labels = np.searchsorted(table.classes, table.columns[table.target])
    train, test = trees.cut(len(table), 0, 0.8)
    held_out = {column: values[test] for column, values in codes.items()}
    training = {column: values[train] for column, values in codes.items()}
    return Table(training, labels[train], known, list(range(len(table.classes))), (held_out, labels[test]))


def _beats(kind: str, results: Results) -> Judgement:
    panels = [each for each in results.panels() if each.startswith(kind)]
    if not panels:
        results.line(kind, FOREST)
    means = {series: _mean(results.line(panels[0], series)) for series in results.series(panels[0])}
    alone = {name: value for name, (value, _) in means.items() if name not in (FOREST, FIXED)}
    best = min(alone, key=lambda name: alone[name])
    ours = ", ".join(f"{name} {value:.2f} ± {error:.2f}" for name, (value, error) in means.items() if name not in alone)
    shown = f"mean regret {ours}, {best} {alone[best]:.2f} ± {means[best][1]:.2f}"
    lead = alone[best] - means[FOREST][0]
    if abs(lead) <= 2 * math.hypot(means[best][1], means[FOREST][1]):
        why = "within two standard errors: too few datasets; the benchmarks of the chooser have more"
        return Judgement(shown, "not comparable", why)
    return Judgement(
        shown,
        "reproduced" if lead > 0 else "refuted",
        "the forest against the single option that is best in hindsight; metafeatures are paid for",
    )


def _mean(line: Sequence[Point]) -> tuple[float, float]:
    # The same datasets stand at every epsilon, so their errors do not average out.
    return float(np.mean([each.value for each in line])), float(np.mean([each.error for each in line]))


def _histograms_beat(results: Results) -> Judgement:
    return _beats("histogram", results)


def _trees_beat(results: Results) -> Judgement:
    return _beats("tree", results)


EXPERIMENT = Experiment(
    name="jostle_choices",
    paper="004",
    item="Figure 1.2, section 4",
    title="Regret of choosing the algorithm by what was learned on public data.",
    method=(
        "Options: six histograms, or the five trees and the default one. A twentieth of epsilon pays for metafeatures. "
        "Every dataset is left out of the training on which it is judged. The paper prints no number."
    ),
    grid=grid,
    measure=measure,
    x_label="epsilon",
    y_label="loss over the least loss of any option",
    y_scale="log",
    task="",
    better="lower",
    claims=(
        Claim("A choice maker beats committing to one histogram", "no number", _histograms_beat),
        Claim("A choice maker beats committing to one tree", "no number", _trees_beat),
    ),
    remark="Commit to one option where it is never far from the best: the default tree needs no choice.",
)

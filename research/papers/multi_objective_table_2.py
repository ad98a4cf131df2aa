"""003, Table 2: nodes chosen by degree and ego density, and how often the true top k beats them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

import dpselect as dps
from research.engine.experiment import (
    Cell,
    Claim,
    Effort,
    Experiment,
    Judgement,
    Point,
    Results,
    point,
    printed,
)
from research.engine.series import PRIVACY, Series
from research.papers import coauthors, nodes
from research.papers.multi_objective_losses import of_nodes, of_program_on_stars, of_strict_draw
from research.papers.peeling import inclusion
from research.papers.released.multi_objective_draw import FloatDraw
from research.papers.released.strict_nodes import StrictNodes

Floats = NDArray[np.float64]

EPSILONS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
SIZES = {"github": 3, "enron": 3, nodes.SIMULATED: 10}
GLOBAL, LOCAL = "MOT_g", "MOT_l"
RELEASED_GLOBAL, RELEASED_LOCAL = "MOT_g, as released", "MOT_l, as released"
TEXT_GLOBAL, TEXT_LOCAL, FLIP = "MOT_g, as described", "MOT_l, as described", "local-dampening-flip"
RELEASED = (RELEASED_GLOBAL, RELEASED_LOCAL)
SERIES = {
    TEXT_GLOBAL: ("exponential", "global"),
    TEXT_LOCAL: ("local-dampening", "local"),
    FLIP: (FLIP, "local"),
}
# Who beats a node, by the ending of the panel: larger in both, among the largest hubs or the last of the tied nodes; or
# by the text at least as large, among the first of the tied nodes.
LAST, TEXT = ", the last of the tied nodes", ", by the text, the first of the tied nodes"
_PAPER = 500
# Exponents are rounded to this part of a unit before an exact law is taken.
_TICKS = 2**20

_TIES = (
    "which of the tied nodes were the true top 3 is not known: the authors' list of them would decide (see the remark)"
)


def grid(_: Effort) -> list[Cell]:
    """One cell per graph and series, and one for the loss of every series."""
    published = [each for each in nodes.cells(list(SIZES), series=list(RELEASED)) if each["graph"] != nodes.SIMULATED]
    losses: list[Cell] = [{"loss": series} for series in (*RELEASED, *SERIES)]
    return [*published, *nodes.cells(list(SIZES), series=list(SERIES)), *losses]


def objectives(name: str) -> list[dps.Scores]:
    """Return the scores of both objectives."""
    return [nodes.scores(name, "degree"), nodes.scores(name, "ego-density")]


@lru_cache(maxsize=4)
def combined(name: str, reach: str) -> dps.Scores:
    """Return the Pareto scores of all nodes, with local or global sensitivity."""
    return dps.multiobjective.pareto(objectives(name), sensitivity=reach)


@lru_cache(maxsize=4)
def lost(name: str, k: int) -> Floats:
    """Return 1 for every node that one of the true top k beats: at least as good in both, better in one."""
    points = np.stack([np.asarray(part.values, dtype=float) for part in objectives(name)], axis=1)
    best = points[nodes.best(combined(name, "global").values, k)]
    weakly = (best[:, None, :] >= points[None, :, :]).all(axis=2)
    strictly = (best[:, None, :] > points[None, :, :]).any(axis=2)
    return (weakly & strictly).any(axis=0).astype(float)


def measure(cell: Cell, effort: Effort, _: np.random.Generator) -> Sequence[Point]:
    """The expected share of k winners that the true top k beats, at every total budget."""
    if "loss" in cell:
        return [Point(PRIVACY, str(cell["loss"]), epsilon, loss(str(cell["loss"]), epsilon)) for epsilon in EPSILONS]
    name, series = str(cell["graph"]), str(cell["series"])
    if series in RELEASED:
        return released(nodes.title(cell), series, strict(name), SIZES[name])
    mechanism, reach = SERIES[series]
    k, scores, graph = SIZES[name], combined(name, reach), nodes.title(cell)
    measures = {TEXT: lost(name, k), **beaten(strict(name), k)}
    return [
        point(
            f"{graph}{ending}",
            series,
            epsilon,
            nodes.recall(scores, worth, k, epsilon, mechanism, effort, paper=_PAPER),
        )
        for ending, worth in measures.items()
        for epsilon in EPSILONS
    ]


@lru_cache(maxsize=2)
def strict(name: str) -> StrictNodes:
    """Return the nodes of a graph by the conventions of the program."""
    degree, density = (np.asarray(part.values) for part in objectives(name))
    return StrictNodes.of(degree.astype(np.int64), density.astype(float))


def released(title: str, series: str, graph: StrictNodes, k: int) -> list[Point]:
    """Return the exact share of k winners of the program that the true top k beats in both, for two orders of ties."""
    units = graph.global_units() if series == RELEASED_GLOBAL else graph.local_units()
    draw, points = FloatDraw(k, unsound="reproduction"), []
    for ending, worth in beaten(graph, k).items():
        for epsilon in EPSILONS:
            share = Fraction(epsilon) / k
            exponents = units * float(share / 2)
            if draw.ends(exponents):
                value = float(worth[draw.top(exponents)].mean())
            else:
                chances = inclusion(np.round(units * _TICKS).astype(np.int64), k, share / 2 / _TICKS)
                value = float(chances @ worth) / k
            points.append(Point(title + ending, series, epsilon, value))
    return points


def beaten(graph: StrictNodes, k: int) -> dict[str, Floats]:
    """Return 1 for every node that one of the true top k beats in both, by how ties for the top k are ordered."""
    score, degree, density = graph.scores()[graph.kind], graph.degree[graph.kind], graph.density[graph.kind]
    found = {}
    for ending, order in (("", np.lexsort((degree, score))), (LAST, np.argsort(score, kind="stable"))):
        best = order[-k:]
        ahead = (degree[best, None] > degree[None]) & (density[best, None] > density[None])
        found[ending] = ahead.any(axis=0).astype(float)
    return found


def loss(series: str, epsilon: float) -> float:
    """Return the greatest loss of a series that is known here, over epsilon."""
    if series == RELEASED_LOCAL:
        return of_program_on_stars(epsilon, k=3)
    if series == RELEASED_GLOBAL:
        return of_strict_draw(StrictNodes.global_units, epsilon)
    mechanism, reach = SERIES[series]
    return of_nodes(lambda parts: dps.multiobjective.pareto(parts, sensitivity=reach), mechanism, epsilon)


def _better(results: Results) -> Judgement:
    """The table itself decides; ours is told beside it."""
    printed_names = {coauthors.NAME: "DBLP"}
    against = [
        f"{printed_names.get(graph, graph)} at {epsilon:g}"
        for graph, (shared, local) in _ROWS.items()
        for epsilon, one, other in zip(EPSILONS, shared, local, strict=True)
        if other > one
    ]
    lead = {
        f"{title} at {ours.x:g}": theirs.value - ours.value
        for title in (f"{graph}{ending}" for graph in ("Github", "Enron") for ending in ("", LAST, TEXT))
        for ours, theirs in zip(results.line(title, TEXT_LOCAL), results.line(title, TEXT_GLOBAL), strict=True)
    }
    behind = [where for where, value in lead.items() if value < -0.005]
    shown = (
        "as described, no worse by more than .005 in"
        f" {len(lead) - len(behind)} of {len(lead)} settings on real graphs, "
        "by three measures"
    )
    return Judgement(shown, "refuted", f"by the printed table itself, which has MOT_l behind: {', '.join(against)}")


def _zero(results: Results) -> Judgement:
    first = next((p.x for p in results.line(f"Github{TEXT}", TEXT_LOCAL) if p.value < 0.005), None)
    shown = "never up to 50" if first is None else f"from epsilon {first:g} on"
    own = "the one printed cell below .5 has .15"
    floats = (
        "as released, exponents are too large for floating point from epsilon 5 on, and the draw is the exact top 3"
    )
    return Judgement(shown, "not comparable", f"{own}; {floats}; {_TIES}")


def _orders(results: Results) -> Judgement:
    level = 0.3
    lines = [
        [(p.x, 1 - p.value) for p in results.line(f"Github{TEXT}", series)] for series in (TEXT_LOCAL, TEXT_GLOBAL)
    ]
    value = nodes.orders(*(nodes.reached(line, 1 - level) for line in lines))
    return Judgement(f"{value:.1f} orders of magnitude at error {level}", "not comparable", _TIES)


def _reasonable(results: Results) -> Judgement:
    value = results.at(f"Enron{TEXT}", TEXT_LOCAL, 20.0).value
    return Judgement(f"Enron {value:.2f}, printed 0.07", "not comparable", f"{_TIES}; DBLP is not available")


_SIMULATED = "DBLP is not available, and the graph is simulated: the authors' file would make it comparable"
_ROWS = {
    "Github": ((0.20, 0.21, 0.22, 0.18, 0.16, 0.10, 0.05, 0.00), (0.15, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00)),
    "Enron": ((0.41, 0.39, 0.42, 0.34, 0.33, 0.22, 0.15, 0.07), (0.41, 0.41, 0.39, 0.38, 0.30, 0.16, 0.07, 0.00)),
    coauthors.NAME: (
        (0.07, 0.09, 0.09, 0.09, 0.08, 0.07, 0.07, 0.05),
        (0.08, 0.09, 0.08, 0.08, 0.07, 0.06, 0.05, 0.00),
    ),
}

EXPERIMENT = Experiment(
    name="multi_objective_table_2",
    paper="003",
    item="Table 2",
    title="Share of the nodes chosen by PrivPareto, by degree and ego density, that the true top k beats.",
    method=(
        "k = 3, and 10 for the graph in place of DBLP (so the paper's text; its caption says 3). Each draw spends "
        "epsilon / k. Every line is scored by three measures, one a panel, and ranked within each. A node is beaten by "
        "one that is larger in both objectives, densities halved and 1 for nodes with one neighbour, as in the "
        "program: among the largest hubs of the tied nodes, or, the program's own order, among the last of them. Or by "
        "the text, by one at least as large in both and larger in one, density 0 for nodes of degree 0 and 1, among "
        "the first of the tied nodes in the public order. As released: the program's score, the exact top k where "
        "exponents are too large for floating point; exact. As described: corrected sensitivities (errata); exact. "
        "Drawn for the flip sampler. DBLP is a simulated graph of its size."
    ),
    grid=grid,
    measure=measure,
    x_label="total epsilon",
    y_label="share beaten by the true top k",
    task="the top k nodes by degree and ego density",
    better="lower",
    printed=tuple(
        place
        for title, (globally, locally) in _ROWS.items()
        for place in printed(
            title,
            EPSILONS,
            {GLOBAL: globally, LOCAL: locally},
            not_comparable=_SIMULATED if title == coauthors.NAME else _TIES,
        )
    ),
    judged_by={GLOBAL: (RELEASED_GLOBAL, TEXT_GLOBAL), LOCAL: (RELEASED_LOCAL, TEXT_LOCAL)},
    decimals=2,
    paper_runs=_PAPER,
    claims=(
        Claim("MOT_l is better than MOT_g", "all datasets and budgets", _better),
        Claim("Github: MOT_l has zero error with", "epsilon < 0.5", _zero),
        Claim("Github: MOT_l has the error of MOT_g with less budget", "two orders of magnitude", _orders),
        Claim("Enron and DBLP: MOT_l achieves a reasonable error with", "epsilon = 20", _reasonable),
    ),
    series=(
        Series(RELEASED_GLOBAL, "as released", "exponential"),
        Series(RELEASED_LOCAL, "as released", "local dampening"),
        Series(TEXT_GLOBAL, "as described", "exponential"),
        Series(TEXT_LOCAL, "as described", "local dampening"),
        Series(FLIP, "sound", "permute-and-flip"),
    ),
    losses_on=(
        "As released, local: two graphs with one hub, one edge more or less, where exponents are too large for "
        "floating point (exact there; one draw without that is private). The others: one draw on all graphs of four "
        "nodes, exact there and a lower bound for larger graphs."
    ),
    kind="table",
    remark=(
        "By the program's own order the true top 3 on Github are the last of the tied nodes, and every cell is 0. By "
        "the largest hubs, which were picked after the fact, the printed global line is reproduced on Github, and not "
        "on Enron: .029 is the most there, where .41 is printed. So that explanation fits one graph of two, and the "
        "table is not explained. The authors' list "
        "of the true top 3, or their graph files, would decide. With many ties for the true top k, report recall of "
        "the Pareto front, or weigh the objectives (Figure 3)."
    ),
)

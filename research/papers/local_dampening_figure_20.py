"""001, Figure 20: recall of the k most influential nodes against the budget."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

import dpselect as dps
from dpselect.utilities.ego_betweenness import quarter_bound
from research.engine.claims import between
from research.engine.experiment import Cell, Claim, Effort, Experiment, Judgement, Point, Results, point
from research.engine.series import Series
from research.papers import losses, nodes

SIZES = (5, 10, 20)
EM, PF, LD, SLD = "EMPrivTopk", "PFPrivTopk", "LDPrivTopk", "SLDPrivTopk"
SLD_FLIP, DEGREE = "shifted-local-dampening-flip", "permute-and-flip on the degree"
SERIES = {
    EM: ("exponential", "ego-betweenness"),
    PF: ("permute-and-flip", "ego-betweenness"),
    LD: ("local-dampening", "ego-betweenness"),
    SLD: ("shifted-local-dampening", "ego-betweenness"),
    SLD_FLIP: (SLD_FLIP, "ego-betweenness"),
    DEGREE: ("permute-and-flip", "degree"),
}
LEVEL = 0.5


def grid(_: Effort) -> list[Cell]:
    """One cell per graph, k and series, and one for each loss; the large simulated graph only at k = 10."""
    every = nodes.cells(list(nodes.GRAPHS), k=SIZES, series=list(SERIES))
    return [cell for cell in every if cell["graph"] != nodes.SIMULATED or cell["k"] == 10] + losses.cells(SERIES)


def epsilons(effort: Effort) -> list[float]:
    """Return one or two budgets for each power of ten from 1e-3 to 1e4."""
    steps = 1 if effort.name == "quick" else 2
    return [10.0 ** (-3 + i / steps) for i in range(7 * steps + 1)]


def measure(cell: Cell, effort: Effort, _: np.random.Generator) -> Sequence[Point]:
    """The expected share of the true top k among k winners, at every total budget."""
    if "loss" in cell:
        return losses.points(str(cell["loss"]), partial(_loss, *SERIES[str(cell["loss"])]))
    name, k, series = str(cell["graph"]), int(cell["k"]), str(cell["series"])
    mechanism, utility = SERIES[series]
    truth = nodes.best(nodes.scores(name, "ego-betweenness").values, k)
    scores = nodes.scores(name, utility)
    worth = np.zeros(len(scores))
    worth[truth] = 1.0
    points = []
    for epsilon in epsilons(effort):
        figure = nodes.recall(scores, worth, k, epsilon, mechanism, effort, paper=100)
        points.append(point(panel(nodes.title(cell), k), series, epsilon, figure))
    return points


def _loss(mechanism: str, utility: str, epsilon: float) -> float:
    """Return the loss of naming one and three of four nodes, the larger one."""
    return max(losses.selection(dps.mechanism(mechanism), utility.replace("-", " "), epsilon, k) for k in (1, 3))


def panel(graph: str, k: int) -> str:
    """Return the title of a panel."""
    return f"{graph}, k = {k}"


def saved(rival: str, least: float, most: float) -> Claim:
    """Judge the orders of magnitude between the budgets of shifted dampening and a rival: as many as printed."""

    def judge(results: Results) -> Judgement:
        result = {}
        for name in (nodes.GRAPHS["enron"][0], nodes.GRAPHS["github"][0]):
            for k in SIZES:
                lines = [[(p.x, p.value) for p in results.line(panel(name, k), series)] for series in (SLD, rival)]
                result[f"{name} k={k}"] = nodes.orders(*(nodes.reached(line, LEVEL) for line in lines))
        private = EXPERIMENT.private(results, SLD)
        return between(least, most, result, private=private, shown=f"orders of magnitude at recall {LEVEL}")

    return Claim(
        f"SLDPrivTopk reaches the accuracy of {rival} with less budget", f"{least:g} to {most:g} orders", judge
    )


def _ceiling(name: str, degree: int, printed: float) -> Claim:
    def judge(_: Results) -> Judgement:
        value = float(quarter_bound(degree)) / 4
        return Judgement(
            f"B({degree}) = {value:,.1f}; the sharp value is B(D - 1) = {float(quarter_bound(degree - 1)) / 4:,.1f}",
            "reproduced" if value == printed else "refuted",
            "" if value == printed else "Enron and DBLP are printed the wrong way round",
        )

    return Claim(f"Global sensitivity of EBC on {name}, largest degree {degree}", f"{printed:,.1f}", judge)


def _inverted(results: Results) -> Judgement:
    most = {
        place: max(p.value for p in results.line(place, LD))
        for place in (panel(name, k) for name in ("Enron", "Github") for k in SIZES)
    }
    place = max(most, key=lambda each: most[each])
    return Judgement(
        f"its recall never exceeds {most[place]:.2f} ({place}) at any budget up to 10,000",
        "reproduced" if most[place] < LEVEL else "refuted",
        f"low means below {LEVEL}; exact",
    )


EXPERIMENT = Experiment(
    name="local_dampening_figure_20",
    paper="001",
    item="Figure 20",
    title="Share of the k nodes with the largest ego betweenness that are named, against the total budget.",
    method=(
        "No program is published: what the text describes is the set-up. Each of the k draws spends B/k. Public "
        "bounds on the degree: the largest degrees that the thesis prints. Recall is exact for mechanisms of the "
        "exponential sampler; permute-and-flip is drawn. DBLP is not available: a simulated co-authorship graph of "
        "its size stands in at k = 10 and says nothing about DBLP itself. The figure is printed without numbers."
    ),
    grid=grid,
    measure=measure,
    x_label="total epsilon",
    y_label="recall of the true top k",
    task="the top k nodes by ego betweenness",
    better="higher",
    claims=(
        _ceiling("Github", 9458, 22_361_076.5),
        _ceiling("DBLP", 343, 477_826.5),
        _ceiling("Enron", 1383, 29_326.5),
        saved(EM, 3, 4),
        saved(PF, 2, 4),
        Claim("LDPrivTopk suffers from the inversion problem", "low accuracy", _inverted),
    ),
    series=(
        Series(EM, "as described", "exponential"),
        Series(PF, "as described", "permute-and-flip"),
        Series(LD, "as described", "local dampening"),
        Series(SLD, "as described", "shifted local dampening"),
        Series(SLD_FLIP, "sound", "shifted local dampening"),
        Series(DEGREE, "sound", "permute-and-flip"),
    ),
    losses_on=(
        "One node and three nodes are named, on all graphs of 4 nodes. The laws are exact, and lower bounds for larger "
        "graphs."
    ),
    remark=(
        "On these graphs shifted dampening ranks nearly by degree, and permute-and-flip on the degree finds the same "
        "nodes with three to ten times less budget still; where the best connected are not the brokers, ask for open "
        "pairs with local-dampening-flip."
    ),
)

"""001, Figure 16: ego betweenness against its sensitivity, node by node."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.stats import spearmanr

from research.engine.experiment import Cell, Claim, Effort, Experiment, Judgement, Point, Results
from research.engine.series import Series
from research.papers import nodes

MEAN, LEAST, MOST = "mean delta of the nodes in the bin", "least", "largest"
RANKS, CORRELATION, FALLS = "over all nodes, per cent", "Spearman correlation", "steps down"
DISTANCES = (0, 10, 100, 1000)


def grid(_: Effort) -> list[Cell]:
    """One cell per graph; the thesis shows Enron."""
    return nodes.cells(list(nodes.GRAPHS))


def measure(cell: Cell, _: Effort, __: np.random.Generator) -> Sequence[Point]:
    """Exact: delta at distance 0 in bins of EBC, the correlation at several distances, and where delta falls."""
    name = nodes.title(cell)
    scores = nodes.scores(str(cell["graph"]), "ego-betweenness")
    ebc, delta = np.asarray(scores.values, dtype=float), np.asarray(scores.sensitivity.at(0), dtype=float)
    edges = np.concatenate(([0.0], np.geomspace(1, ebc.max() * 1.001, 25)))
    points = []
    for low, high in pairwise(edges.tolist()):
        inside = delta[(ebc >= low) & (ebc < high)]
        if inside.size:
            middle = float(np.sqrt(max(low, 0.25) * high))
            figures = {MEAN: inside.mean(), LEAST: inside.min(), MOST: inside.max()}
            points += [Point(name, series, middle, float(value)) for series, value in figures.items()]
    for t in DISTANCES:
        at = np.asarray(scores.sensitivity.at(t), dtype=float)
        if np.ptp(at) > 0:
            points.append(Point(RANKS, f"{CORRELATION}, {name}", t, 100 * float(spearmanr(ebc, at).statistic)))
    order = np.lexsort((delta, ebc))
    up = np.diff(ebc[order]) > 0
    points.append(Point(RANKS, f"{FALLS}, {name}", 0, 100 * float((np.diff(delta[order])[up] < 0).mean())))
    return points


def _strict(results: Results) -> Judgement:
    share = results.at(RANKS, f"{FALLS}, Enron", 0).value
    return Judgement(
        f"{share:.0f} % of the steps up in EBC are steps down in delta", "reproduced" if share > 0 else "refuted"
    )


def _weak(results: Results) -> Judgement:
    value = results.at(RANKS, f"{CORRELATION}, Enron", 0).value / 100
    return Judgement(f"Spearman correlation {value:.2f}", "reproduced" if value > 0 else "refuted")


EXPERIMENT = Experiment(
    name="local_dampening_figure_16",
    paper="001",
    item="Figure 16",
    title="Ego betweenness of a node against the sensitivity delta(G, 0, v): they grow together, but not strictly.",
    method=(
        "delta(G, t, v) = min(B(d(v) + t), B(D - 1)), B(d) = max(d(d - 1)/4, d); the thesis prints no numbers. All "
        "are facts of the graphs, not releases. Github and a simulated co-authorship graph of the size of DBLP are "
        "shown beside Enron. Bins of EBC are equal in logarithms."
    ),
    grid=grid,
    measure=measure,
    x_label="ego betweenness (EBC)",
    x_scale="symlog",
    y_label="delta(G, 0, v)",
    y_labels={RANKS: "per cent"},
    x_labels={RANKS: "distance t"},
    y_scale="symlog",
    task="",
    better="higher",
    claims=(
        Claim("EBC and its sensitivity clearly violate strict monotonicity", "violated", _strict),
        Claim("They are still positively correlated", "positive", _weak),
    ),
    series=tuple(
        Series(name, "reference", "reference")
        for name in (
            *(MEAN, LEAST, MOST),
            *(f"{what}, {name}" for what in (CORRELATION, FALLS) for name, _ in nodes.GRAPHS.values()),
        )
    ),
    remark="Shifted local dampening lives on this correlation; dampening without the shift misorders the nodes.",
)

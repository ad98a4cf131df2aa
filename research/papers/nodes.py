"""What the experiments on nodes share: graphs, scores computed once a process, and how good k winners are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

import dpselect as dps
from dpselect import datasets
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.numbers import exact_epsilon
from dpselect.kernel.privacy_filter import use_accountant
from dpselect.release.open_session import open_session
from dpselect.release.questions import Question
from dpselect.views import Graph
from research.engine.experiment import Cell, Effort, Estimate, Results, Unmeasured, mean_of
from research.papers import coauthors
from research.papers.peeling import inclusion

SIMULATED = "dblp-like"
# Title, and the public bound on the degree: the largest degrees that the papers print.
GRAPHS = {"enron": ("Enron", 1383), "github": ("Github", 9458), SIMULATED: (coauthors.NAME, coauthors.MAX_DEGREE)}
_BLOCK = 50


def cells(names: Sequence[str], **axes: Sequence[str | int]) -> list[Cell]:
    """Return one cell per graph and value of every axis; the simulated graph needs no dataset."""
    result: list[Cell] = [{"graph": name} if name == SIMULATED else {"graph": name, "dataset": name} for name in names]
    for axis, values in axes.items():
        result = [{**cell, axis: value} for cell in result for value in values]
    return result


def title(cell: Cell) -> str:
    """Return how panels name the graph of a cell."""
    return GRAPHS[str(cell["graph"])][0]


@lru_cache(maxsize=2)
def graph(name: str) -> Graph:
    """Return a graph of the data folder, or the simulated one."""
    return coauthors.coauthors() if name == SIMULATED else datasets.graph(name)


@lru_cache(maxsize=6)
def scores(name: str, utility: str) -> dps.Scores:
    """Return the scores of all nodes of a graph, by the name of the utility."""
    if utility == "ego-betweenness":
        return dps.utilities.ego_betweenness(graph(name), max_degree=GRAPHS[name][1], sensitivity="degree")
    return dps.utilities.degree(graph(name)) if utility == "degree" else dps.utilities.ego_density(graph(name))


def real(results: Results) -> list[str]:
    """Return the panels of graphs that are not simulated: claims are judged by them.

    Raises:
        Unmeasured: there are none.
    """
    panels = [panel for panel in results.panels() if not panel.startswith(coauthors.NAME)]
    if not panels:
        raise Unmeasured("Enron and Github were not measured.")
    return panels


def best(values: ArrayLike, k: int) -> NDArray[np.intp]:
    """Return the true top k, ties in the public order."""
    return np.argsort(-np.asarray(values), kind="stable")[:k]


def recall(
    scores: dps.Scores, worth: NDArray[np.float64], k: int, epsilon: float, name: str, effort: Effort, *, paper: int
) -> Estimate:
    """Return the mean worth of k winners drawn one after the other at epsilon / k each.

    With the exponential sampler it is exact; other samplers are drawn until the standard error is the target.
    """
    mechanism = dps.mechanism(name)
    share = exact_epsilon(epsilon) / k
    ticks, rate = mechanism.quantize(scores, share)
    if mechanism.sampler == dps.mechanism("exponential").sampler:
        return Estimate(float(inclusion(ticks, k, rate) @ worth) / k, 0.0, 0)
    if k == 1:
        return Estimate(float(np.exp(mechanism.tick_log_pmf(ticks, rate)) @ worth), 0.0, 0)
    drawn, most = list[float](), effort.runs(paper=paper)
    asked = Question(mechanism.sampler, ticks, rate, Guarantee(share, scores.neighbours))
    # The data of experiments are public: no budget pays.
    with use_accountant(None), open_session(asked.guarantee, count=k * most) as draws:
        while True:
            many = min(_BLOCK, most - len(drawn))
            drawn += [float(worth[draws.draw(asked, k)].mean()) for _ in range(many)]
            estimate = mean_of(drawn)
            if estimate.runs >= most or (effort.name != "paper" and estimate.error <= effort.target):
                return estimate


def reached(line: Sequence[tuple[float, float]], level: float) -> float | None:
    """Return the least budget from which a growing line of (epsilon, value) is at a level, by a line in logarithms."""
    if line[-1][1] < level:
        return None
    for (e, value), (following, after) in zip(line[-2::-1], line[:0:-1], strict=True):
        if value < level:
            return float(e * (following / e) ** ((level - value) / (after - value)))
    return line[0][0]


def orders(cheap: float | None, dear: float | None) -> float:
    """Return by how many orders of magnitude one budget is below another; infinite when that never suffices."""
    if cheap is None:
        return -math.inf
    return math.inf if dear is None else math.log10(dear / cheap)

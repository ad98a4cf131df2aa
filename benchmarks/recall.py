"""How much epsilon the top k of a real graph costs: recall of the true top k, mechanism by mechanism.

    DPSELECT_DATA=... python benchmarks/recall.py [--draws 1000] [--graphs enron github]

Recall is the share of the true top k (by ego betweenness) among the k named, the mean of that many exact
top-k draws; its standard error is at most 0.5 / sqrt(draws). Every list costs epsilon in total. Public facts:
the nodes, and the maximum degree (1383 for Enron, 9458 for GitHub, as in the papers). "limit" is the recall
that is left when epsilon grows without bound: the order of the effective scores, ties broken at random.
Entropy here comes from the operating system, as in a release.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from itertools import product

import numpy as np

import dpselect as dps
from dpselect import datasets
from dpselect.core.coins import fresh
from dpselect.core.release import peel

MAX_DEGREE = {"enron": 1383, "github": 9458}
SIZES = (5, 10, 20)
EPSILONS = [Fraction(10) ** power * factor for power in range(-3, 4) for factor in (1, Fraction("3.162"))] + [
    Fraction(10) ** 4
]
ROWS = [(name, "ego-betweenness") for name in dps.mechanisms.EVERY_MECHANISM if name != "inverse-sensitivity"]
ROWS += [("permute-and-flip", "degree")]
_cache: dict[str, dict[str, dps.Scores]] = {}


def scores_of(graph: str) -> dict[str, dps.Scores]:
    """Return both scores of a graph, computed once a process."""
    if graph not in _cache:
        loaded = datasets.graph(graph)
        _cache[graph] = {
            "ego-betweenness": dps.utilities.ego_betweenness(loaded, max_degree=MAX_DEGREE[graph]),
            "degree": dps.utilities.degree(loaded),
        }
    return _cache[graph]


def shown(epsilon: Fraction) -> str:
    """Return epsilon with three digits, and no exponent."""
    return f"{float(epsilon):.3g}" if epsilon < 1000 else f"{float(epsilon):.0f}"


def limit(ticks: np.ndarray, truth: np.ndarray, k: int) -> float:
    """Return the expected recall when the largest ticks win and ties are broken at random."""
    threshold = np.sort(ticks)[-k]
    above, tied = ticks > threshold, ticks == threshold
    share = (k - above.sum()) / tied.sum()
    return float((above[truth].sum() + share * tied[truth].sum()) / k)


def cell(task: tuple[str, str, str, int, int]) -> tuple[list[float], float]:
    """Return recall at every epsilon, and its limit, for one graph, mechanism, metric and k."""
    graph, name, metric, k, draws = task
    scores = scores_of(graph)
    truth = np.argsort(scores["ego-betweenness"].values)[::-1][:k]
    mechanism = dps.mechanism(name)
    unit = mechanism.effective(scores[metric])
    recalls: list[float] = []
    for epsilon in EPSILONS:
        if recalls and recalls[-1] == 1.0:
            recalls.append(1.0)  # perfect at a smaller epsilon already
            continue
        rate = unit.rate(epsilon / k)
        found = [np.isin(peel(unit.ticks, k, rate, mechanism.sampler, fresh), truth).mean() for _ in range(draws)]
        recalls.append(float(np.mean(found)))
    return recalls, limit(unit.ticks, truth, k)


def main() -> None:
    """Print one table a graph and k."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--graphs", nargs="+", default=["enron", "github"], choices=sorted(MAX_DEGREE))
    given = parser.parse_args()
    tasks = [(graph, name, metric, k, given.draws) for graph, k, (name, metric) in product(given.graphs, SIZES, ROWS)]
    with ProcessPoolExecutor(2) as pool:
        results = pool.map(cell, tasks)
        for number, (task, (recalls, most)) in enumerate(zip(tasks, results, strict=True)):
            graph, name, metric, k, draws = task
            if number % len(ROWS) == 0:
                print(f"\n{graph}, k = {k}: recall of the true top {k}, mean of {draws} draws")
                heads = "".join(f"{shown(epsilon):>8}" for epsilon in EPSILONS)
                print(f"{'epsilon':<38}{heads}{'limit':>8}  reaches .9 at")
            reached = next((shown(e) for e, r in zip(EPSILONS, recalls, strict=True) if r >= 0.9), "never")
            label = name if metric == "ego-betweenness" else f"{name} on {metric}"
            print(
                f"{label:<38}" + "".join(f"{r:>8.3f}" for r in recalls) + f"{most:>8.3f}  {reached}",
                flush=True,
            )
            print(f"{number + 1}/{len(tasks)}", end="\r", file=sys.stderr)


if __name__ == "__main__":
    main()

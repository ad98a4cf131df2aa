"""Which metric names the brokers: open pairs, degree and ego betweenness, judged by ego betweenness.

    DPSELECT_DATA=... python -m dpselect.studies.peers.brokers [--graphs communities enron github] [--draws 40]

Two figures per cell, means over lists drawn as `dpselect top-k` draws them, epsilon paying for the whole list: the
share of the true top k by ego betweenness that is named, and the ego betweenness of those named as a share of that of
the true top k. *limit* is the list at infinite epsilon, without noise. "communities" has 40 dense communities of 60 to
160 nodes and 40 brokers with 30 to 80 neighbours scattered over them; degree ranks no broker among the first 20.
Public facts: the nodes, and the maximum degree (400, 1383 for Enron, 9458 for GitHub).
"""

from __future__ import annotations

import argparse
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

import dpselect as dps
from dpselect.kernel.budget import paying_from
from dpselect.kernel.guarantee import Guarantee
from dpselect.release.opened import opened
from dpselect.studies.papers import nodes

SIZES = (5, 20)
EPSILONS = (Fraction(1, 10), Fraction(1), Fraction(10), Fraction(100))
ROWS = (
    ("degree", "permute-and-flip"),
    ("open-pairs", "local-dampening-flip"),
    ("ego-betweenness", "shifted-local-dampening-flip"),
    ("ego-betweenness", "local-dampening-flip"),
    ("ego-betweenness", "permute-and-flip"),
    ("log-betweenness", "permute-and-flip"),
)
# Far beyond what is drawn: the data of experiments are public.
_PAID = Guarantee(10**6, "edge")


def communities() -> dps.Graph:
    """Return 40 communities, in which three of five pairs are adjacent, and 40 brokers; the same at every call."""
    rng = np.random.default_rng(1)
    sizes = rng.integers(60, 160, 40)
    rng = np.random.default_rng(1)
    ends: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    members = 0
    for size in sizes.tolist():
        one, other = np.triu_indices(size, 1)
        adjacent = rng.random(one.size) < 0.6
        ends.append((one[adjacent] + members, other[adjacent] + members))
        members += size
    for broker in range(members, members + 40):
        near = rng.choice(members, int(rng.integers(30, 81)), replace=False)
        ends.append((np.full(near.size, broker), near))
    source, target = (np.concatenate(part) for part in zip(*ends, strict=True))
    return dps.Graph.from_edges(source, target, nodes=members + 40)


def graph_of(name: str) -> tuple[dps.Graph, int]:
    """Return a graph and its public maximum degree."""
    return (communities(), 400) if name == "communities" else (nodes.graph(name), nodes.GRAPHS[name][1])


def lists(scores: dps.Scores, mechanism: str, k: int, epsilon: Fraction, count: int) -> list[list[int]]:
    """Return lists of k, each drawn in one pass for epsilon in all."""
    with paying_from(None), opened(_PAID) as draws:
        asked = draws.ask(scores, epsilon / k, mechanism=dps.mechanism(mechanism))
        return [draws.ordered(asked, k)[0] for _ in range(count)]


def judged(named: list[list[int]], values: NDArray[np.float64], k: int) -> tuple[float, float]:
    """Return the mean share of the true top k that is named, and of their values."""
    true = nodes.best(values, k)
    recall = np.mean([np.isin(one, true).mean() for one in named])
    return float(recall), float(np.mean([values[one].sum() for one in named]) / values[true].sum())


def main() -> None:
    """Print one table a graph and k."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = ["communities", "enron", "github"]
    parser.add_argument("--graphs", nargs="+", default=names, choices=names)
    parser.add_argument("--draws", type=int, default=40)
    asked = parser.parse_args()
    for name in asked.graphs:
        graph, bound = graph_of(name)
        scores = {
            "degree": dps.utilities.degree(graph),
            "open-pairs": dps.utilities.open_pairs(graph, max_degree=bound),
            "log-betweenness": dps.utilities.log_betweenness(graph),
            "ego-betweenness": dps.utilities.ego_betweenness(graph, max_degree=bound),
        }
        truth = scores["ego-betweenness"].values.astype(np.float64)
        for k in SIZES:
            print(f"\n{name}, {len(graph):,} nodes, k = {k}: share of the true top {k} / of their ego betweenness")
            heads = [f"{float(epsilon):g}" for epsilon in EPSILONS]
            print(f"{'epsilon':<48}" + "".join(f"{head:>13}" for head in [*heads, "limit"]))
            for metric, mechanism in ROWS:
                ticks, _ = dps.mechanism(mechanism).prepared(scores[metric], Fraction(1))
                cells = [
                    judged(lists(scores[metric], mechanism, k, epsilon, asked.draws), truth, k) for epsilon in EPSILONS
                ]
                cells.append(judged([nodes.best(ticks, k).tolist()], truth, k))
                line = "".join(f"{f'{recall:.2f} / {share:.2f}':>13}" for recall, share in cells)
                print(f"{f'{metric}, {mechanism}':<48}{line}", flush=True)


if __name__ == "__main__":
    main()

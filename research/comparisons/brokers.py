"""Which metric names the brokers: degree, open pairs and ego betweenness, judged by ego betweenness.

    DPSELECT_DATA=... python -m research.comparisons.brokers [--graphs communities enron] [--draws 40]

Two figures per cell, means over lists drawn as `dpselect top-k` draws them, epsilon paying for the whole list: the
share of the true top k by ego betweenness that is named, and the ego betweenness of those named as a share of that of
the true top k. *limit* is the list at infinite epsilon, without noise.
Before each graph stands whether degree and betweenness part on it: both figures for the first by each metric alone.
Public facts: the nodes, and the maximum degree (400 for made-up graphs, 1383 for Enron, 9458 for GitHub).
"""

from __future__ import annotations

import argparse
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import dpselect as dps
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.privacy_filter import use_accountant
from dpselect.release.open_session import open_session
from research.comparisons import broker_graphs
from research.papers import nodes

SIZES = (5, 20)
EPSILONS = (Fraction(1, 10), Fraction(1), Fraction(10), Fraction(100))
# What is asked, and how the list is drawn.
ROWS = (
    ("degree", "permute-and-flip"),
    ("open pairs", "local-dampening-flip"),
    ("linear decay, K = 20", "local-dampening-flip"),
    ("log betweenness", "permute-and-flip"),
    ("ego betweenness, published", "shifted-local-dampening-flip"),
    ("ego betweenness, published", "local-dampening-flip"),
    ("ego betweenness, published", "permute-and-flip"),
    ("ego betweenness, overlap", "local-dampening-flip"),
    ("ego betweenness, refined", "local-dampening-flip"),
    ("margin of ego betweenness, refined", "permute-and-flip"),
    ("margin of linear decay, K = 20", "permute-and-flip"),
    ("margin of open pairs", "permute-and-flip"),
)
_MARGIN = "margin of "
# So many columns are for what is asked and how it is drawn.
_LABEL = 56
RESULT = Path(__file__).parent / "results" / "brokers.txt"
# Far beyond what is drawn: the data of experiments are public.
_PAID = Guarantee(10**6, "edge")


def asked_of(graph: dps.Graph, bound: int) -> dict[str, dps.Scores]:
    """Return the scores of all nodes by what is asked, without margins."""
    betweenness = {
        f"ego betweenness, {name}": dps.utilities.ego_betweenness(graph, max_degree=bound, sensitivity=name)
        for name in ("overlap", "refined")
    }
    return betweenness | {
        "degree": dps.utilities.degree(graph),
        "open pairs": dps.utilities.open_pairs(graph, max_degree=bound),
        "linear decay, K = 20": dps.utilities.linear_decay(graph, max_degree=bound),
        "log betweenness": dps.utilities.log_betweenness(graph),
        "ego betweenness, published": dps.papers.ego_betweenness(graph, max_degree=bound),
    }


def with_margins(scores: dict[str, dps.Scores], k: int) -> dict[str, dps.Scores]:
    """Return these scores, and the margins for lists of k that rows ask for."""
    asked = [metric for metric, _ in ROWS if metric.startswith(_MARGIN)]
    return scores | {metric: dps.utilities.margin(scores[metric.removeprefix(_MARGIN)], k) for metric in asked}


def lists(scores: dps.Scores, mechanism: str, k: int, epsilon: Fraction, count: int) -> list[list[int]]:
    """Return lists of k, each drawn in one pass for epsilon in all."""
    with use_accountant(None), open_session(_PAID) as draws:
        asked = draws.prepare(scores, epsilon / k, mechanism=dps.mechanism(mechanism))
        return [draws.rank(asked, k)[0] for _ in range(count)]


def judged(named: list[list[int]], values: NDArray[np.float64], k: int) -> tuple[float, float]:
    """Return the mean share of the true top k that is named, and of their values."""
    true = nodes.best(values, k)
    recall = np.mean([np.isin(one, true).mean() for one in named])
    return float(recall), float(np.mean([values[one].sum() for one in named]) / values[true].sum())


def parted(scores: dict[str, dps.Scores], truth: NDArray[np.float64]) -> str:
    """Return in a line what degree and open pairs rank first, judged by ego betweenness."""
    said = []
    for metric in ("degree", "open pairs"):
        figures = [judged([nodes.best(scores[metric].values, k).tolist()], truth, k) for k in SIZES]
        said.append(f"{metric} " + ", ".join(f"{recall:.2f} / {share:.2f}" for recall, share in figures))
    return f"without privacy, top {' and '.join(map(str, SIZES))} by {'; by '.join(said)}"


def stored() -> dict[tuple[str, int], dict[str, list[tuple[float, float]]]]:
    """Return the printed figures: graph and k to row to recall and share at every epsilon and in the limit."""
    tables: dict[tuple[str, int], dict[str, list[tuple[float, float]]]] = {}
    for line in RESULT.read_text(encoding="utf-8").splitlines():
        if head := re.match(r"(\w+), .* k = (\d+): ", line):
            table = tables.setdefault((head[1], int(head[2])), {})
            continue
        cells = re.findall(r"(\d\.\d\d) / (\d\.\d\d)", line[_LABEL:])
        if len(cells) == len(EPSILONS) + 1:
            table[line[:_LABEL].strip()] = [(float(recall), float(share)) for recall, share in cells]
    return tables


def main() -> None:
    """Print one table per graph and k."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", nargs="+", default=broker_graphs.NAMES, choices=broker_graphs.NAMES)
    parser.add_argument("--draws", type=int, default=40)
    args = parser.parse_args()
    for name in args.graphs:
        graph, bound = broker_graphs.graph_of(name)
        scores = asked_of(graph, bound)
        truth = scores["ego betweenness, published"].values.astype(np.float64)
        print(f"\n{name}: {parted(scores, truth)}")
        for k in SIZES:
            print(f"\n{name}, {len(graph):,} nodes, k = {k}: share of the true top {k} / of their ego betweenness")
            heads = [*(f"{float(epsilon):g}" for epsilon in EPSILONS), "limit"]
            print(f"{'epsilon':<{_LABEL}}" + "".join(f"{head:>13}" for head in heads))
            asked = with_margins(scores, k)
            for metric, mechanism in ROWS:
                cells = row(asked[metric], mechanism, truth, k, args.draws)
                line = "".join(f"{f'{recall:.2f} / {share:.2f}':>13}" for recall, share in cells)
                print(f"{f'{metric}, {mechanism}':<{_LABEL}}{line}", flush=True)


def row(
    scores: dps.Scores, mechanism: str, truth: NDArray[np.float64], k: int, draws: int
) -> list[tuple[float, float]]:
    """Return both figures at every epsilon and in the limit."""
    cells = [judged(lists(scores, mechanism, k, epsilon, draws), truth, k) for epsilon in EPSILONS]
    ticks, _ = dps.mechanism(mechanism).quantize(scores, Fraction(1))
    return [*cells, judged([nodes.best(ticks, k).tolist()], truth, k)]


if __name__ == "__main__":
    main()

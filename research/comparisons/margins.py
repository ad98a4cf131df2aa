"""Margins beside what they compete with: brokers of graphs, markers of a study, medians.

    DPSELECT_DATA=... python -m research.comparisons.margins [--parts communities enron github markers median]

Graphs: share of the true top k by ego betweenness that is named, and their ego betweenness as a share of that of the
true top k. Markers: the same by the TDT statistic. Both are means over lists drawn as `dpselect` draws them, epsilon
paying for the whole list; *limit* is the list without noise. Medians: mean distance from the true one, by exact laws.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import dpselect as dps
from research.comparisons import broker_graphs
from research.comparisons.brokers import EPSILONS, SIZES, row

GRAPHS = ("communities", "enron", "github")
_FLIP, _DAMPENED, _SHIFTED = "permute-and-flip", "local-dampening-flip", "shifted-local-dampening-flip"


def main() -> None:
    """Print the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="+", default=[*GRAPHS, "markers", "median"])
    parser.add_argument("--draws", type=int, default=40)
    args = parser.parse_args()
    for part in args.parts:
        if part == "median":
            medians()
        elif part == "markers":
            markers(args.draws)
        else:
            brokers(part, args.draws)


def brokers(name: str, draws: int) -> None:
    """Print one table per k: three sensitivities of ego betweenness."""
    graph, bound = broker_graphs.graph_of(name)
    scores = {
        kind: dps.utilities.ego_betweenness(graph, max_degree=bound, sensitivity=kind)
        for kind in ("degree", "overlap", "refined")
    }
    for k in SIZES:
        head(f"{name}, {len(graph):,} nodes, k = {k}: share of the true top {k} / of their ego betweenness")
        for kind, asked in scores.items():
            compared(f"ego betweenness, {kind}", asked, k, draws)


def markers(draws: int) -> None:
    """Print one table per number of families: 5,000 markers, of which ten are linked."""
    draw = np.random.default_rng(3)
    for families in (150, 1000):
        passed = draw.binomial(2 * families, 0.4, 5000)
        first = draw.binomial(passed, np.concatenate([np.linspace(0.62, 0.8, 10), np.full(4990, 0.5)]))
        plain = dps.utilities.tdt(first, passed - first, families=families)
        # Drawn by what draws from graphs: the relation has no part in a law.
        scores = dps.Scores(plain.values, plain.sensitivity, neighbours="edge")
        for k in (3, 10):
            head(f"5,000 markers, {families} families, k = {k}: share of the true top {k} / of their TDT")
            compared("tdt", scores, k, draws)


def compared(label: str, scores: dps.Scores, k: int, draws: int) -> None:
    """Print a line for each way to draw the same scores."""
    begun = time.process_time()
    margins = dps.utilities.margin(scores, k)
    took = time.process_time() - begun
    for way, asked, mechanism in (
        (_FLIP, scores, _FLIP),
        (_DAMPENED, scores, _DAMPENED),
        (_SHIFTED, scores, _SHIFTED),
        (f"margin ({took:.2f} s)", margins, _FLIP),
    ):
        cells = row(asked, mechanism, scores.values.astype(np.float64), k, draws)
        line = "".join(f"{f'{recall:.2f} / {share:.2f}':>13}" for recall, share in cells)
        print(f"{f'{label}, {way}':<56}{line}", flush=True)


def head(title: str) -> None:
    """Print the head of a table."""
    heads = [*(f"{float(epsilon):g}" for epsilon in EPSILONS), "limit"]
    print(f"\n{title}\n{'epsilon':<56}" + "".join(f"{each:>13}" for each in heads))


def medians() -> None:
    """Print the mean distance from the median of 501 numbers, records as candidates and a grid by rank."""
    draw = np.random.default_rng(1)
    values = np.clip(draw.normal(500, 80, 501), 0, 1000)
    records = dps.papers.median(values, upper=1000)
    ranks = dps.utilities.median(values, lower=0.0, upper=1000.0, step=1.0)
    away = np.abs(np.asarray(ranks.candidates) - np.median(values))
    ways = {
        f"records, {_DAMPENED}": (records, _DAMPENED, -records.values),
        f"records, {_SHIFTED}": (records, _SHIFTED, -records.values),
        "records, margin": (dps.utilities.margin(records, 1), _FLIP, -records.values),
        f"ranks, {_FLIP}": (ranks, _FLIP, away),
        "ranks, margin": (dps.utilities.margin(ranks, 1), _FLIP, away),
    }
    print(
        f"\nmedian of 501 numbers of 0 to 1000: mean distance\n{'epsilon':<56}"
        + "".join(f"{float(e):>13g}" for e in EPSILONS)
    )
    for label, (scores, mechanism, loss) in ways.items():
        laws = (dps.mechanism(mechanism).pmf(scores, epsilon) for epsilon in EPSILONS)
        print(f"{label:<56}" + "".join(f"{float(law @ loss):>13.2f}" for law in laws))


if __name__ == "__main__":
    main()

"""How much epsilon the top k of a real graph costs: recall of the true top k, mechanism by mechanism.

    DPSELECT_DATA=... python -m research.comparisons.recall [--graphs enron github]

Recall is the expected share of the true top k (by ego betweenness) among the k named: exact for mechanisms of the
exponential sampler, drawn until the standard error is 0.01 for the others. Every list costs epsilon in total. Public
facts: the nodes, and the maximum degree (1383 for Enron, 9458 for GitHub, as in the papers). The papers' own figure is
`dpselect reproduce local_dampening_figure_20`.
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np

import dpselect as dps
from research.engine.experiment import FULL
from research.papers import local_dampening_figure_20 as figure
from research.papers import nodes

HEAVY_TAILED = {name for name in dps.mechanisms.MECHANISMS if dps.mechanism(name).sampler.tails}
ROWS = [(name, "ego-betweenness") for name in dps.mechanisms.MECHANISMS if name != "inverse-sensitivity"]
ROWS = [row for row in ROWS if row[0] not in HEAVY_TAILED] + [("permute-and-flip", "degree")]


def main() -> None:
    """Print one table per graph and k."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", nargs="+", default=["enron", "github"], choices=list(nodes.GRAPHS))
    given = parser.parse_args()
    epsilons = figure.epsilons(FULL)
    for name, k in product(given.graphs, figure.SIZES):
        print(f"\n{nodes.GRAPHS[name][0]}, k = {k}: recall of the true top {k}")
        print(
            f"{'epsilon':<38}"
            + "".join(f"{e:>8.3g}" if e < 999 else f"{e:>8.0f}" for e in epsilons)
            + "  reaches .9 at"
        )
        worth = np.zeros(len(nodes.graph(name)))
        worth[nodes.best(nodes.scores(name, "ego-betweenness").values, k)] = 1.0
        for mechanism, utility in ROWS:
            given_scores = nodes.scores(name, utility)
            line = [nodes.recall(given_scores, worth, k, e, mechanism, FULL, paper=100).value for e in epsilons]
            label = mechanism if utility == "ego-betweenness" else f"{mechanism} on {utility}"
            reached = nodes.reached(list(zip(epsilons, line, strict=True)), 0.9)
            where = "never" if reached is None else f"{reached:.3g}"
            print(f"{label:<38}" + "".join(f"{each:>8.3f}" for each in line) + f"  {where}", flush=True)


if __name__ == "__main__":
    main()

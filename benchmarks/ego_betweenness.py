"""Ego betweenness of all nodes: processor seconds against looping igraph over ego networks, in one process.

    DPSELECT_DATA=... python benchmarks/ego_betweenness.py        needs igraph; about two minutes

Single thread, after warm-up; ours is the least of 3, igraph runs once over every node of degree at least 2.
Memory is the peak that NumPy and the kernel add while they run.
"""

from __future__ import annotations

import resource
import time

import numpy as np

import dpselect as dps
from dpselect import datasets

MAX_DEGREE = {"enron": 1383, "github": 9458}


def by_igraph(graph: dps.Graph) -> np.ndarray:
    """Return the betweenness of each node within its ego network."""
    import igraph

    source = np.repeat(np.arange(len(graph)), graph.degrees)
    kept = source < graph.indices
    whole = igraph.Graph(len(graph), np.stack((source[kept], graph.indices[kept]), axis=1).tolist())
    values = np.zeros(len(graph))
    for v in np.flatnonzero(graph.degrees >= 2).tolist():
        nodes = [v, *whole.neighbors(v)]
        ego = whole.induced_subgraph(nodes)
        # igraph keeps vertices in increasing order of their number.
        values[v] = ego.betweenness(vertices=int(np.searchsorted(np.sort(nodes), v)), directed=False)
    return values


def main() -> None:
    """Print the table."""
    print(
        f"{'graph':<8}{'nodes':>8}{'ours s':>9}{'igraph s':>10}{'ratio':>8}{'peak MiB':>10}{'max rel. diff':>15}"
    )
    for name, bound in MAX_DEGREE.items():
        graph = datasets.graph(name)
        dps.utilities.ego_betweenness(dps.Graph.named("karate"), max_degree=33)
        before, times = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, []
        for _ in range(3):
            start = time.process_time()
            values = dps.utilities.ego_betweenness(graph, max_degree=bound).values
            times.append(time.process_time() - start)
        extra = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        start = time.process_time()
        theirs = by_igraph(graph)
        other = time.process_time() - start
        difference = np.max(np.abs(values - theirs) / np.maximum(theirs, 1))
        print(
            f"{name:<8}{len(graph):>8}{min(times):>9.3f}{other:>10.1f}{other / min(times):>8.0f}{extra:>10.1f}"
            f"{difference:>15.1e}",
            flush=True,
        )


if __name__ == "__main__":
    main()

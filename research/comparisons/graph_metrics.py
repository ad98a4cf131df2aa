"""Triangles, core numbers and two-step reach of 10^6 edges: processor seconds beside igraph and NetworkX.

    python -m research.comparisons.graph_metrics          needs igraph and networkx; about two minutes

One process and one thread. Ours is the least of 3 after a first call on a small graph, igraph and NetworkX run once.
The graph is R-MAT with the shares of Graph500, made beforehand for each library. All results are compared. Ours count
the sensitivity in: the widest overlaps for triangles, the largest degree for two-step reach.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import dpselect as dps
from research.comparisons.graph_sizes import SKEWED, rmat

SAMPLES = 1_160_000
COLUMNS = ("metric", "ours s", "igraph s", "networkx s", "same")


def of_igraph(ends: np.ndarray, nodes: int) -> dict[str, Callable[[], Any]]:
    """Return what igraph calls each metric; it knows the share of closed pairs, not their number."""
    import igraph

    graph = igraph.Graph(nodes, ends.T.tolist())
    degrees = np.array(graph.degree())

    def triangles() -> np.ndarray:
        shares = np.array(graph.transitivity_local_undirected(mode="zero"))
        return np.rint(shares * (degrees * (degrees - 1) // 2)).astype(np.int64)

    return {
        "triangles": triangles,
        "core number": graph.coreness,
        "two-step reach": lambda: np.array(graph.neighborhood_size(order=2)) - 1 + degrees,
    }


def of_networkx(ends: np.ndarray, nodes: int) -> dict[str, Callable[[], Any]]:
    """Return what NetworkX calls each metric; it has nothing for two steps."""
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from(ends.T.tolist())
    return {
        "triangles": lambda: list(networkx.triangles(graph).values()),
        "core number": lambda: list(networkx.core_number(graph).values()),
    }


def ours(graph: dps.Graph) -> dict[str, Callable[[], Any]]:
    """Return each metric with its sensitivity."""
    bound = max(2, len(graph) - 1)
    return {
        "triangles": lambda: dps.utilities.triangles(graph, bound).values,
        "core number": lambda: dps.utilities.core_number(graph).values,
        "two-step reach": lambda: dps.utilities.two_step_reach(graph, bound).values,
    }


def timed(work: Callable[[], Any], times: int = 1) -> tuple[float, np.ndarray]:
    """Return the least processor time of some calls, and the result."""
    least = float("inf")
    for _ in range(times):
        start = time.process_time()
        result = work()
        least = min(least, time.process_time() - start)
    return least, np.asarray(result)


def table(samples: int = SAMPLES) -> list[str]:
    """Return the lines of the table."""
    source, target, nodes = rmat(samples, SKEWED)
    graph = dps.Graph.from_edges(source, target, nodes=nodes)
    one = np.repeat(np.arange(nodes), graph.degrees)
    ends = np.stack((one, graph.indices))[:, one < graph.indices]
    peers = [of_igraph(ends, nodes), of_networkx(ends, nodes)]
    lines = [
        f"nodes {nodes}, edges {ends.shape[1]}, largest degree {graph.degrees.max()}",
        "",
        "".join(f"{name:>16}" for name in COLUMNS),
    ]
    small = dps.Graph.from_edges(np.arange(5000), np.arange(1, 5001), nodes=5001)
    warm, works = ours(small), ours(graph)
    for metric, work in works.items():
        timed(warm[metric])
        seconds, values = timed(work, 3)
        others = [timed(peer[metric]) if metric in peer else None for peer in peers]
        same = all(np.array_equal(values, other[1]) for other in others if other)
        cells = [metric, f"{seconds:.3g}", *("-" if other is None else f"{other[0]:.3g}" for other in others)]
        lines.append("".join(f"{cell:>16}" for cell in [*cells, "yes" if same else "NO"]))
    return lines


def main() -> None:
    """Print the table and keep it."""
    import igraph
    import networkx

    lines = ["# python -m research.comparisons.graph_metrics", *table()]
    lines.insert(1, f"igraph {igraph.__version__}, networkx {networkx.__version__}; R-MAT {SKEWED}")
    text = "\n".join(lines) + "\n"
    print(text, end="")
    (Path(__file__).parent / "results" / "graph_metrics.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

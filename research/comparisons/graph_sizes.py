"""Graphs of 10^3 to 10^7 edges: processor seconds and peak memory beside igraph and NetworkX, and how both grow.

    python -m research.comparisons.graph_sizes                    needs igraph and networkx; a quarter of an hour
    python -m research.comparisons.graph_sizes --first            the first call after an installation, and the next

Graphs are R-MAT (Chakrabarti, Zhan and Faloutsos 2004): both ends of an edge are drawn bit by bit, by quadrants.
Every measurement is a process of its own: it makes the graph from arrays of both ends, runs once, on one thread, and
reports its peak of resident memory, the interpreter and the arrays included. Loops are compiled before.
A library stops growing where a size took it more than a minute, or would; sums of the values must agree.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

# Shares of the quadrants. The first are those of Graph500; with the second 10^7 edges leave degrees near 2,000.
SKEWED, MILD = (0.57, 0.19, 0.19, 0.05), (0.42, 0.21, 0.21, 0.16)
SEED = 23
LARGEST = 7
TASKS = ("open pairs", "core number", "ego betweenness", "overlaps")
COLUMNS = ("task", "shares", "edges", "nodes", "degree", "library", "graph s", "task s", "peak MiB", "growth")
LIMIT = 60
# How far the others go by themselves: what they have no function for is a loop over ego networks.
REACH = {
    ("open pairs", "igraph"): 6,
    ("open pairs", "networkx"): 5,
    ("core number", "igraph"): 6,
    ("core number", "networkx"): 5,
    ("ego betweenness", "igraph"): 5,
    ("ego betweenness", "networkx"): 3,
}


def rmat(samples: int, shares: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray, int]:
    """Return both ends of drawn edges, loops and repetitions among them, and the number of nodes, a power of 2."""
    scale = round(math.log2(samples / 8))
    random = np.random.Generator(np.random.PCG64(SEED))
    a, b, c, _ = shares
    ends = np.zeros((2, samples), dtype=np.int32)
    for start in range(0, samples, 2**20):
        part = ends[:, start : start + 2**20]
        for _ in range(scale):
            drawn = random.random(part.shape[1])
            part *= 2
            part[0] += drawn >= a + b
            part[1] += ((drawn >= a) & (drawn < a + b)) | (drawn >= a + b + c)
    return ends[0], ends[1], 2**scale


def by_us(source: np.ndarray, target: np.ndarray, nodes: int) -> tuple[Any, dict[str, Callable[[], Any]]]:
    """Return the graph, and what to run on it."""
    import dpselect as dps
    from dpselect.utilities.egos import betweenness_of_egos
    from dpselect.utilities.overlaps import widest_overlaps

    def tasks(graph: dps.Graph) -> dict[str, Callable[[], Any]]:
        bound = len(graph) - 1
        return {
            "open pairs": lambda: dps.utilities.open_pairs(graph, max_degree=bound).values,
            "core number": lambda: dps.utilities.core_number(graph).values,
            "ego betweenness": lambda: betweenness_of_egos(graph),
            "overlaps": lambda: widest_overlaps(graph),
        }

    return dps.Graph.from_edges(source, target, nodes=nodes), tasks


def by_igraph(source: np.ndarray, target: np.ndarray, nodes: int) -> tuple[Any, Callable[[Any], Any]]:
    """Return the same of igraph; ego betweenness by a loop over ego networks."""
    import igraph

    graph = igraph.Graph(nodes, np.stack((source, target), axis=1))
    graph.simplify()

    def open_pairs() -> Any:
        degree = np.array(graph.degree(), dtype=float)
        return degree * (degree - 1) / 2 * (1 - np.array(graph.transitivity_local_undirected(mode="zero")))

    def egos() -> Any:
        values = []
        for v in range(nodes):
            members = sorted([v, *graph.neighbors(v)])
            if len(members) > 2:
                ego = graph.induced_subgraph(members)
                values.append(ego.betweenness(vertices=members.index(v), directed=False))
        return values

    return graph, lambda _: {"open pairs": open_pairs, "core number": graph.coreness, "ego betweenness": egos}


def by_networkx(source: np.ndarray, target: np.ndarray, nodes: int) -> tuple[Any, Callable[[Any], Any]]:
    """Return the same of NetworkX; ego betweenness by a loop over ego networks."""
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from((a, b) for a, b in zip(source.tolist(), target.tolist(), strict=True) if a != b)

    def open_pairs() -> Any:
        triangles = networkx.triangles(graph)
        return [d * (d - 1) // 2 - triangles[v] for v, d in graph.degree()]

    def egos() -> Any:
        return [
            networkx.betweenness_centrality(networkx.ego_graph(graph, v), normalized=False)[v]
            for v, degree in graph.degree()
            if degree > 1
        ]

    return graph, lambda _: {
        "open pairs": open_pairs,
        "core number": lambda: list(networkx.core_number(graph).values()),
        "ego betweenness": egos,
    }


LIBRARIES = {"dpselect": by_us, "igraph": by_igraph, "networkx": by_networkx}


def one(task: str, library: str, decade: int, mild: bool) -> None:
    """Measure in this process, and print what was measured as JSON."""
    make = LIBRARIES[library]
    if library == "dpselect":
        # Loads compiled loops: beyond 4,096 nodes nothing is done by arrays.
        graph, tasks = make(np.array([0]), np.array([1]), 5000)
        tasks(graph)[task]()
    else:
        __import__(library)
    source, target, nodes = rmat(10**decade, MILD if mild else SKEWED)
    start = time.process_time()
    graph, tasks = make(source, target, nodes)
    built = time.process_time()
    values = tasks(graph)[task]()
    done = time.process_time()
    report = {"build": built - start, "work": done - built, "sum": float(np.sum(values)), "nodes": nodes}
    report["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if library == "dpselect":
        report |= {"edges": int(graph.degrees.sum()) // 2, "degree": int(graph.degrees.max())}
    print(json.dumps(report))


def measured(*options: str) -> dict[str, float]:
    """Return what a process of its own measured."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "research.comparisons.graph_sizes", "--one", *options]
    lines = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    result: dict[str, float] = json.loads(lines.splitlines()[-1])
    return result


def table(largest: int) -> None:
    """Print every task at every size by every library, and what a run grows by from one size to the next."""
    import igraph
    import networkx

    print(f"dpselect beside igraph {igraph.__version__} and networkx {networkx.__version__}; R-MAT, seed {SEED}")
    print(f"shares of the quadrants: skewed {SKEWED}, mild {MILD}; samples are powers of ten, nodes about an eighth")
    print("growth: exponent of the edges from the size before; igraph and networkx have no ego betweenness of all")
    print(f"nodes: betweenness of each ego network; load before the start: {os.getloadavg()[0]:.1f}\n")
    row(*COLUMNS)
    for task in TASKS:
        for shares, decades in (("skewed", range(3, 8)), ("mild", range(3, 8))):
            facts: dict[int, dict[str, float]] = {}
            for library in LIBRARIES:
                before = None
                for decade in decades:
                    reach = largest if library == "dpselect" else REACH.get((task, library), 0)
                    if shares == "mild" and (library != "dpselect" or task != "ego betweenness"):
                        break
                    if decade > min(reach, largest) or (before and before["work"] > LIMIT):
                        break
                    # Ego networks of hubs of 40,000 neighbours: the mild graph is the one that is meant.
                    if decade == LARGEST and shares == "skewed" and task in ("ego betweenness", "overlaps"):
                        break
                    result = measured(task, library, str(decade), shares)
                    known = facts.setdefault(decade, result)
                    if not math.isclose(known["sum"], result["sum"], rel_tol=1e-9):
                        sys.exit(f"{task} of {library} at 10^{decade} differs: {result['sum']} not {known['sum']}.")
                    growth = "-"
                    if before:
                        edges = math.log(known["edges"] / facts[decade - 1]["edges"])
                        growth = f"{math.log(max(result['work'], 1e-6) / max(before['work'], 1e-6)) / edges:.2f}"
                    row(
                        task,
                        shares,
                        int(known["edges"]),
                        int(known["nodes"]),
                        int(known["degree"]),
                        library,
                        f"{result['build']:.3f}",
                        f"{result['work']:.3f}",
                        f"{result['peak']:.0f}",
                        growth,
                    )
                    before = result


def row(*cells: object) -> None:
    """Print one line of the table."""
    widths = (16, 7, 9, 9, 7, 9, 8, 9, 9, 7)
    print("  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)), flush=True)


def first() -> None:
    """Print what ``dpselect top-k`` takes with an empty cache of compiled loops, and then."""
    calls = {
        "77 nodes, open pairs": ("lesmis", "open-pairs", 36),
        "77 nodes, log betweenness": ("lesmis", "log-betweenness", None),
        "77 nodes, triangles": ("lesmis", "triangles", 36),
        "77 nodes, core number": ("lesmis", "core-number", None),
        "77 nodes, ego betweenness": ("lesmis", "ego-betweenness", 36),
        "5,000 nodes, open pairs": ("file", "open-pairs", 4999),
        "5,000 nodes, log betweenness": ("file", "log-betweenness", None),
    }
    print("dpselect top-k in a process of its own, processor seconds: with an empty numba cache, and again twice\n")
    for name, (graph, metric, bound) in calls.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "edges.txt")
            path.write_text("0 1\n1 2\n0 2\n2 3\n", encoding="ascii")
            source = [graph] if graph == "lesmis" else [str(path), "--nodes", "5000"]
            options = [metric, "--epsilon", "1", "--k", "1"]
            options += ["--max-degree", str(bound)] if bound else []
            taken = []
            for _ in range(3):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run(
                    [sys.executable, "-m", "dpselect", "top-k", *source, *options],
                    check=True,
                    capture_output=True,
                    env=os.environ | {"NUMBA_CACHE_DIR": f"{folder}/cache"},
                )
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            print(f"{name:>30}" + "".join(f"{seconds:>8.2f}" for seconds in taken), flush=True)


def main() -> None:
    """Print the table, or measure one row of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--one", nargs=4)
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--largest", type=int, default=LARGEST, help="the largest power of ten")
    options = parser.parse_args()
    if options.one:
        task, library, decade, shares = options.one
        one(task, library, int(decade), shares == "mild")
    elif options.first:
        first()
    else:
        table(options.largest)


if __name__ == "__main__":
    main()

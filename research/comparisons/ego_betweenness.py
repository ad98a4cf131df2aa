"""Ego betweenness of all nodes: processor seconds against looping igraph over ego networks, in one process.

    DPSELECT_DATA=... python -m research.comparisons.ego_betweenness        needs igraph; about two minutes

One thread. Ours is the least of 3 after warm-up; igraph runs once over every node of at least two neighbours.
Extra memory is the peak that the call adds to the resident memory of the process (needs Linux with glibc).
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import dpselect as dps
from dpselect import datasets

# Public bounds: the largest degrees that the papers print.
MAX_DEGREE = {"enron": 1383, "github": 9458}
COLUMNS = ("graph", "nodes", "ours s", "igraph s", "ratio", "extra MiB", "largest difference")


def by_igraph(graph: dps.Graph) -> np.ndarray:
    """Return the betweenness of each node within its ego network."""
    import igraph

    source = np.repeat(np.arange(len(graph)), graph.degrees)
    mask = source < graph.indices
    whole = igraph.Graph(len(graph), np.stack((source[mask], graph.indices[mask]), axis=1).tolist())
    values = np.zeros(len(graph))
    for v in np.flatnonzero(graph.degrees >= 2).tolist():
        nodes = [v, *whole.neighbors(v)]
        ego = whole.induced_subgraph(nodes)
        # igraph keeps vertices in increasing order of their number.
        values[v] = ego.betweenness(vertices=int(np.searchsorted(np.sort(nodes), v)), directed=False)
    return values


def processor_seconds(work: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    """Return the processor time of one call, and its result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def extra_memory(work: Callable[[], object]) -> str:
    """Return the peak resident memory that one call adds, in MiB."""
    reset = Path("/proc/self/clear_refs")
    if not reset.exists() or not hasattr(ctypes.CDLL(None), "malloc_trim"):
        return "-"

    def resident(name: str) -> float:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(re.search(rf"{name}:\s+(\d+) kB", status)[1]) / 1024

    # Memory that was freed but kept would hide what the call takes.
    ctypes.CDLL(None).malloc_trim(0)
    # "5" sets the recorded peak back to what is resident now.
    reset.write_text("5", encoding="ascii")
    before = resident("VmRSS")
    work()
    return f"{resident('VmHWM') - before:.1f}"


def row(*cells: object) -> None:
    """Print one line of the table."""
    line = (f"{cell:>{max(10, len(name) + 2)}}" for cell, name in zip(cells, COLUMNS, strict=True))
    print("".join(line), flush=True)


def main() -> None:
    """Print the table."""
    try:
        import igraph
    except ImportError:
        sys.exit("This comparison needs igraph: python -m pip install igraph.")
    try:
        graphs = {name: datasets.graph(name) for name in MAX_DEGREE}
    except (FileNotFoundError, ValueError) as missing:
        sys.exit(str(missing))
    # Compiles, or loads what was compiled before.
    dps.utilities.ego_betweenness(dps.Graph.from_name("karate"), max_degree=33, sensitivity="degree")
    print(f"igraph {igraph.__version__}, every node of degree >= 2; differences are relative")
    print(f"load before the start: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    row(*COLUMNS)
    for name, graph in graphs.items():

        def ours(graph: dps.Graph = graph, bound: int = MAX_DEGREE[name]) -> np.ndarray:
            return dps.utilities.ego_betweenness(graph, max_degree=bound, sensitivity="degree").values

        extra = extra_memory(ours)
        runs = [processor_seconds(ours) for _ in range(3)]
        seconds, values = min(run[0] for run in runs), runs[0][1]
        other, theirs = processor_seconds(lambda graph=graph: by_igraph(graph))
        difference = float(np.max(np.abs(values - theirs) / np.where(values > 0, values, 1)))
        row(
            name,
            len(graph),
            f"{seconds:.3f}",
            f"{other:.1f}",
            f"{other / seconds:.0f}",
            extra,
            f"{difference:.1e}",
        )
        if difference > 1e-9:
            sys.exit(f"The values on {name} differ by more than 1e-9.")


if __name__ == "__main__":
    main()

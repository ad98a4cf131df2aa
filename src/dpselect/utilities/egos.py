"""Egos: what happens among the neighbours of each node.

Few nodes are looked at by arrays (``ego_arrays``), many by compiled loops (``ego_loops``), with the same results. Which
of them, and so whether numba is needed, depends on the public number of nodes only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.utilities import ego_arrays
from dpselect.utilities.ranked_graph import RankedGraph, row_blocks
from dpselect.views import Graph

Loop = Callable[..., None]
# Blocks of about equal work: enough for a smooth progress bar, few enough to cost nothing.
_BLOCKS = 200
_SHARE = "{desc}: {percentage:3.0f} %"


def betweenness_of_egos(graph: Graph, workers: int = 1) -> NDArray[np.float64]:
    """Return the ego betweenness of every node, shape (n,), right as ``ego_betweenness.md`` says."""
    require_workers(workers)
    if len(graph) <= ego_arrays.EGOS:
        return ego_arrays.betweenness(graph)
    from dpselect.utilities import ego_loops

    return _by_loop(ego_loops.betweenness, graph, np.float64, workers, "ego betweenness")


def links_of_egos(graph: Graph, workers: int = 1, what: str = "ego density") -> NDArray[np.int64]:
    """Return the number of edges among the neighbours of every node, shape (n,): its triangles."""
    require_workers(workers)
    if len(graph) <= ego_arrays.LINKS:
        return ego_arrays.links(graph)
    from dpselect.utilities import ego_loops

    return _by_loop(ego_loops.links, graph, np.int64, workers, what)


def require_workers(workers: Any) -> None:
    """Refuse what is not a number of threads (``ValueError``)."""
    if isinstance(workers, bool) or not isinstance(workers, (int, np.integer)) or workers < 1:
        raise InputError("workers counts threads: pass an integer >= 1.")


def _by_loop(loop: Loop, graph: Graph, kind: type, workers: int, what: str) -> NDArray[Any]:
    """Return what a loop says of every node: rank by rank, in threads when asked, with progress after two seconds."""
    ranked = RankedGraph.of(graph)
    values: NDArray[Any] = np.zeros(len(graph), dtype=kind)
    work = graph.degrees[ranked.order].astype(np.float64) ** 2 + 1

    def run(block: tuple[int, int]) -> None:
        loop(ranked.indptr, ranked.indices, ranked.split, block[0], block[1], values)

    blocks = row_blocks(work, work.sum() / _BLOCKS)
    with _progress(len(blocks), what) as advance, ThreadPoolExecutor(workers) as pool:
        for _ in map(run, blocks) if workers == 1 else pool.map(run, blocks):
            advance()
    return ranked.by_node(values)


@contextmanager
def _progress(total: int, what: str) -> Iterator[Callable[[], Any]]:
    """Show a bar on a terminal once two seconds have passed, where tqdm is installed."""
    try:
        from tqdm import tqdm
    except ImportError:
        yield lambda: None
        return
    # Programs without a console have no stderr at all.
    terminal = sys.stderr is not None and sys.stderr.isatty()
    # How many blocks there are follows from private degrees: the share that is done is all that is shown.
    with tqdm(total=total, desc=what, delay=2, leave=False, disable=not terminal, bar_format=_SHARE) as bar:
        yield bar.update

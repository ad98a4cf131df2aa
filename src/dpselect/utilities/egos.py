"""Compiled loops over egos: what happens among the neighbours of each node."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.views import Graph

Kernel = Callable[..., None]
# Blocks of about equal work: enough for a smooth progress bar, few enough to cost nothing.
_BLOCKS = 200
# A row this many times longer than the ego is searched instead of scanned.
_SEARCH = 20


def betweenness_of_egos(graph: Graph, workers: int = 1) -> NDArray[np.float64]:
    """Return the ego betweenness of every node, shape (n,); relative error about 1e-15."""
    require_workers(workers)
    values = np.empty(len(graph))
    _over_blocks(_kernels()[0], graph, values, workers, "ego betweenness")
    return values


def links_of_egos(graph: Graph, workers: int = 1, what: str = "ego density") -> NDArray[np.int64]:
    """Return the number of edges among the neighbours of every node, shape (n,): its triangles."""
    links = np.empty(len(graph), dtype=np.int64)
    _over_blocks(_kernels()[1], graph, links, workers, what)
    return links


def require_workers(workers: Any) -> None:
    """Refuse a number of threads that is none (``ValueError``)."""
    if isinstance(workers, bool) or not isinstance(workers, (int, np.integer)) or workers < 1:
        raise ValueError("workers counts threads: pass an integer >= 1.")


def _over_blocks(kernel: Kernel, graph: Graph, result: Any, workers: int, what: str) -> None:
    """Fill the result block by block, in threads when asked, with a progress bar after two seconds."""
    work = np.concatenate(([0], np.cumsum(graph.degrees.astype(np.float64) ** 2 + 1)))
    edges = np.unique(np.searchsorted(work, np.linspace(0, work[-1], _BLOCKS + 1)))
    if edges[-1] != len(graph):
        edges = np.append(edges, len(graph))
    blocks = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))

    def run(block: tuple[int, int]) -> None:
        kernel(graph.indptr, graph.indices, block[0], block[1], result)

    with _progress(len(blocks), what) as advance, ThreadPoolExecutor(workers) as pool:
        for _ in map(run, blocks) if workers == 1 else pool.map(run, blocks):
            advance()


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
    with tqdm(total=total, desc=what, delay=2, leave=False, disable=not terminal) as bar:
        yield bar.update


@cache
def _kernels() -> tuple[Kernel, Kernel]:
    """Compile once a machine: numba keeps the result on disk."""
    try:
        from numba import njit
    except ImportError:
        raise ImportError('Ego measures need numba: python -m pip install "dpselect[graph]".') from None
    try:
        compiled = njit(cache=True, nogil=True)
        return compiled(_betweenness), compiled(_links)
    except RuntimeError:
        # Nowhere to write: compile in every process.
        compiled = njit(nogil=True)
        return compiled(_betweenness), compiled(_links)


# One compiled loop: calls in it would cost more than its length.
def _betweenness(indptr: Any, indices: Any, start: int, stop: int, result: Any) -> None:  # noqa: C901
    place = np.zeros(indptr.size - 1, dtype=np.int32)
    widest = 0
    for c in range(start, stop):
        widest = max(widest, indptr[c + 1] - indptr[c])
    first = np.empty(widest + 1, dtype=np.int64)
    common = np.zeros(widest, dtype=np.int32)
    touched = np.empty(widest + 1, dtype=np.uint32)
    histogram = np.zeros(widest + 1, dtype=np.int64)
    # Unsigned positions spare a check for negative ones at every look-up.
    inner = np.empty(1024, dtype=np.uint32)
    for c in range(start, stop):
        begin, end = indptr[c], indptr[c + 1]
        d = end - begin
        for i in range(d):
            place[indices[begin + i]] = i + 1
        # The ego's own adjacency: neighbours of c that are neighbours of each other, by place.
        filled = 0
        for i in range(d):
            first[i] = filled
            v = indices[begin + i]
            if filled + d > inner.size:
                larger = np.empty(2 * inner.size + d, dtype=np.uint32)
                larger[:filled] = inner[:filled]
                inner = larger
            low, high = indptr[v], indptr[v + 1]
            if high - low <= _SEARCH * d:
                for e in range(low, high):
                    j = place[indices[e]]
                    if j:
                        inner[filled] = j - 1
                        filled += 1
            else:
                # A hub among few: look each of the few up in its sorted row.
                for j in range(d):
                    sought, top = indices[begin + j], high
                    while low < top:
                        middle = (low + top) // 2
                        if indices[middle] < sought:
                            low = middle + 1
                        else:
                            top = middle
                    if low < high and indices[low] == sought:
                        inner[filled] = j
                        filled += 1
        first[d] = filled
        # A pair that is not adjacent and has k common neighbours counts 1 / (1 + k): start from k = 0.
        histogram[0] = d * (d - 1) // 2 - filled // 2
        most = 0
        for i in range(d):
            count = 0
            for e in range(first[i], first[i + 1]):
                w = inner[e]
                # Places are sorted, so the second half of a row holds the pairs not seen from the other side.
                for f in range(first[w + 1] - 1, first[w] - 1, -1):
                    j = inner[f]
                    if j <= i:
                        break
                    # Written always, kept only when new: cheaper than a branch that is hard to foresee.
                    touched[count] = j
                    count += common[j] == 0
                    common[j] += 1
            for e in range(first[i], first[i + 1]):
                common[inner[e]] = 0
            for e in range(count):
                k = common[touched[e]]
                if k:
                    histogram[k] += 1
                    histogram[0] -= 1
                    most = max(most, k)
                common[touched[e]] = 0
        total = 0.0
        for k in range(most, -1, -1):
            total += histogram[k] / (1.0 + k)
            histogram[k] = 0
        result[c] = total
        for i in range(d):
            place[indices[begin + i]] = 0


def _links(indptr: Any, indices: Any, start: int, stop: int, result: Any) -> None:
    marked = np.zeros(indptr.size - 1, dtype=np.bool_)
    for c in range(start, stop):
        for e in range(indptr[c], indptr[c + 1]):
            marked[indices[e]] = True
        found = 0
        for e in range(indptr[c], indptr[c + 1]):
            v = indices[e]
            for f in range(indptr[v], indptr[v + 1]):
                found += marked[indices[f]]
        result[c] = found // 2
        for e in range(indptr[c], indptr[c + 1]):
            marked[indices[e]] = False

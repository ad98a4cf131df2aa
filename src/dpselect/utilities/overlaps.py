"""Overlaps: how many neighbours a node shares with any other, and what a new neighbour could take from its pairs.

With N the neighbours of v and S_w those that it shares with w, over all w other than v:

    C(v) = max |S_w|,    p(v) = max |N without w and its neighbours|,
    H_j(v) = max of the open pairs of S_w with at most j common neighbours in N, w itself not counted.

One edge moves C and p by at most 1. What these are for is proved beside ``ego_betweenness``.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dpselect.utilities import ego_arrays, overlap_arrays, overlap_search
from dpselect.views import Graph

Integers = NDArray[np.int64]
T = TypeVar("T")
# Losses are whole numbers of this unit: sums of them are exact.
UNIT = 2.0**-24
# Bytes for the pairs of one ego: more are counted in several passes.
_ROOM = 48 * 2**20
# Blocks of about equal work, not too little, and of so many nodes at most: what they return is bounded.
_BLOCKS, _WORK, _NODES = 200, 2**16, 2**14


@dataclass(frozen=True, repr=False)
class Losses:
    """The most that a new neighbour takes from the pairs of each node, t edges away.

    Attributes:
        overlap: C, shape (n,).
        missing: p, shape (n,).
        row: the row of each node in ``loss``, shape (n,).
        loss: sum over j of H_j (g(j - t) - g(j + 1 - t)) by distance t, in units of 2^-24, shape (rows, distances);
            g(k) is 1 / ((1 + k)(2 + k)), rounded up to a unit, and g(0) below 0.
    """

    overlap: Integers
    missing: Integers
    row: NDArray[np.intp]
    loss: Integers


def widest_overlaps(graph: Graph, workers: int = 1) -> Integers:
    """Return C of every node, shape (n,)."""
    if len(graph) <= ego_arrays.LINKS:
        return ego_arrays.widest(graph)
    return overlap_search.widest(graph, workers)


def losses(graph: Graph, distances: int, workers: int = 1, room: int = _ROOM) -> Losses:
    """Return C, p and the losses at distances below ``distances``; each thread takes ``room`` bytes, and a little."""
    k = np.arange(overlap_arrays.MOST + 1)
    weight = -(-(2**24) // ((1 + k) * (2 + k)))
    if len(graph) <= ego_arrays.EGOS:
        overlap, missing, every = overlap_arrays.tables(graph, weight, distances)
        loss, row = _distinct(every)
        return Losses(overlap, missing, row, loss)
    from dpselect.utilities import overlap_kernels

    overlap, missing = np.empty(len(graph), dtype=np.int64), np.empty(len(graph), dtype=np.int64)

    def run(start: int, stop: int) -> tuple[Integers, NDArray[np.intp]]:
        loss = np.zeros((stop - start, distances), dtype=np.int64)
        overlap_kernels.tables(graph.indptr, graph.indices, start, stop, weight, room, overlap, missing, loss)
        return _distinct(loss)

    blocks = _over_blocks(graph.degrees, workers, run)
    sizes = np.cumsum([0, *(len(rows) for rows, _ in blocks)])
    loss, merged = _distinct(np.concatenate([rows for rows, _ in blocks]))
    shifted = [row + size for (_, row), size in zip(blocks, sizes[:-1], strict=True)]
    return Losses(overlap, missing, merged[np.concatenate(shifted)], loss)


def _distinct(rows: Integers) -> tuple[Integers, NDArray[np.intp]]:
    """Return different rows as they first come, and where each row is among them: rows are told apart by their bytes.

    >>> _distinct(np.array([[2, 1], [0, 1], [2, 1]]))
    (array([[2, 1],
           [0, 1]]), array([0, 1, 0]))
    """
    width = rows.shape[1] * rows.itemsize
    held, known = np.ascontiguousarray(rows).tobytes(), dict[bytes, int]()
    row = [known.setdefault(held[at : at + width], len(known)) for at in range(0, len(held), width)]
    return np.frombuffer(b"".join(known), dtype=rows.dtype).reshape(-1, rows.shape[1]), np.array(row, dtype=np.intp)


def decayed_pairs(graph: Graph, decay: int, workers: int = 1) -> Integers:
    """Return the sum of max(0, decay - common neighbours in N) over the open pairs of every N, shape (n,)."""
    if len(graph) <= ego_arrays.EGOS:
        return ego_arrays.decayed_pairs(graph, decay)
    from dpselect.utilities import overlap_kernels

    result = np.empty(len(graph), dtype=np.int64)

    def run(start: int, stop: int) -> None:
        overlap_kernels.decayed_pairs(graph.indptr, graph.indices, start, stop, decay, result)

    _over_blocks(graph.degrees, workers, run)
    return result


def _over_blocks(degrees: Integers, workers: int, run: Callable[[int, int], T]) -> list[T]:
    """Return what ``run`` returns for blocks of nodes, in their order, from threads when asked."""
    work = np.concatenate(([0], np.cumsum(degrees.astype(np.float64) ** 2 + 1)))
    number = min(_BLOCKS, 1 + int(work[-1] / _WORK))
    ends = np.searchsorted(work, np.linspace(0, work[-1], number + 1))
    ends = np.unique(np.concatenate((ends, np.arange(0, degrees.size, _NODES), [degrees.size])))
    blocks = list(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))
    if workers == 1:
        return [run(*block) for block in blocks]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda block: run(*block), blocks))

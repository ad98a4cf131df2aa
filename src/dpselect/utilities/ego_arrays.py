"""Egos by products of matrices, and what else is counted where nodes are few (a public number): nothing to compile.

Every count is a whole number below 2^24 in float32, or below 2^31, so results equal those of ``ego_loops`` to the bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.utilities.ranked import Ranked, row_blocks
from dpselect.views import Graph

# Public numbers of nodes up to which arrays are used: the densest graph of so many takes seconds.
LINKS, CORES, BETWEENNESS = 4096, 4096, 1024
# Products of sparse rows held together, 12 bytes each.
_PRODUCTS = 2**22
# One product of whole matrices takes this share of the time of one of sparse rows.
_WHOLE = 1 / 64
# Up to here a whole matrix costs less than the first sparse row.
_TINY = 200
# Rows of a whole matrix multiplied together.
_ROWS = 512


def links(graph: Graph) -> NDArray[np.int64]:
    """Return the edges among the neighbours of every node, shape (n,).

    An edge (v, w) with w ranked higher is a link of c when both are its neighbours: (A L)[c, w] counts the neighbours
    v of c that keep an edge to w, so the sum over the neighbours w of c meets each link once.
    """
    size = len(graph)
    if size <= _TINY:
        return _links_of_whole(graph)
    from scipy.sparse import csr_array

    ranked = Ranked.of(graph)
    kept = ranked.split - ranked.indptr[:-1]
    steps = np.concatenate(([0], np.cumsum(kept[ranked.indices])))[ranked.indptr]
    if steps[-1] > size**3 * _WHOLE:
        return _links_of_whole(graph)
    ones = np.ones(ranked.indices.size, dtype=np.int32)
    higher = ranked.indices < np.repeat(np.arange(size), np.diff(ranked.indptr))
    starts = np.concatenate(([0], np.cumsum(kept)))
    lower = csr_array((ones[: starts[-1]], ranked.indices[higher], starts), shape=(size, size))
    adjacent = csr_array((ones, ranked.indices, ranked.indptr), shape=(size, size))
    result = np.zeros(size, dtype=np.int64)
    for start, stop in row_blocks(np.diff(steps), _PRODUCTS):
        rows = adjacent[start:stop]
        result[start:stop] = ((rows @ lower) * rows).sum(axis=1)
    return ranked.by_node(result)


def _links_of_whole(graph: Graph) -> NDArray[np.int64]:
    """Return the same by one product of whole matrices."""
    adjacent = _whole(graph)
    result: NDArray[np.int64] = (((adjacent @ adjacent) * adjacent).sum(axis=1, dtype=np.float64) / 2).astype(np.int64)
    return result


def widest(graph: Graph) -> NDArray[np.int64]:
    """Return the most neighbours that every node shares with any other, shape (n,)."""
    size = len(graph)
    result = np.zeros(size, dtype=np.int64)
    steps = np.add.reduceat(np.append(graph.degrees[graph.indices], 0), graph.indptr[:-1]) * (graph.degrees > 0)
    adjacent: Any
    if size <= _TINY or steps.sum() > size**3 * _WHOLE:
        adjacent = _whole(graph)
        for start in range(0, size, _ROWS):
            shared = adjacent[start : start + _ROWS] @ adjacent
            # What a node shares with itself.
            shared[np.arange(len(shared)), np.arange(start, start + len(shared))] = 0
            result[start : start + _ROWS] = shared.max(axis=1)
        return result
    from scipy.sparse import csr_array

    ones = np.ones(graph.indices.size, dtype=np.int32)
    adjacent = csr_array((ones, graph.indices, graph.indptr), shape=(size, size))
    for start, stop in row_blocks(steps, _PRODUCTS):
        shared = adjacent[start:stop] @ adjacent
        shared.data[shared.indices == np.repeat(np.arange(start, stop), np.diff(shared.indptr))] = 0
        result[start:stop] = shared.max(axis=1).toarray().ravel()
    return result


def core_numbers(graph: Graph) -> NDArray[np.int64]:
    """Return the core number of every node, shape (n,): nodes with fewest neighbours left are taken away together."""
    left, core, there = graph.degrees.copy(), np.zeros(len(graph), dtype=np.int64), np.ones(len(graph), dtype=np.bool_)
    k = 0
    while there.any():
        k = max(k, int(left[there].min()))
        gone = np.flatnonzero(there & (left <= k))
        core[gone], there[gone] = k, False
        rows = [graph.indices[graph.indptr[v] : graph.indptr[v + 1]] for v in gone.tolist()]
        left -= np.bincount(np.concatenate(rows), minlength=len(graph))
    return core


def betweenness(graph: Graph) -> NDArray[np.float64]:
    """Return the ego betweenness of every node, shape (n,)."""
    adjacent = _whole(graph)
    result = np.zeros(len(graph))
    for c in np.flatnonzero(graph.degrees >= 2).tolist():
        members = graph.indices[graph.indptr[c] : graph.indptr[c + 1]]
        ego = adjacent[members[:, None], members]
        if ego.sum() == members.size * (members.size - 1):
            continue
        # Adjacent pairs, and members with themselves, go to bin 0; each other pair is met from both sides.
        common = (ego @ ego + 1) * (1 - ego)
        np.fill_diagonal(common, 0)
        histogram = np.bincount(common.astype(np.intp).ravel())[1:] // 2
        # The loops add up in the same order.
        for k in np.flatnonzero(histogram)[::-1].tolist():
            result[c] += histogram[k] / (1.0 + k)
    return result


def _whole(graph: Graph) -> NDArray[Any]:
    """Return the adjacency matrix, zeros and ones."""
    adjacent = np.zeros((len(graph), len(graph)), dtype=np.float32)
    adjacent[np.repeat(np.arange(len(graph)), graph.degrees), graph.indices] = 1
    return adjacent

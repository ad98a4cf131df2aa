"""Egos by products of matrices, and what else is counted where nodes are few (a public number): nothing to compile.

Every count is a whole number below 2^24 in float32, or below 2^31, so results equal those of ``ego_loops`` to the bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.utilities.ranked_graph import RankedGraph, row_blocks
from dpselect.views import Graph

Integers = NDArray[np.int64]
# Public numbers of nodes up to which arrays are used: the worst graph of so many takes a few seconds; a
# first call of the loops compiles for up to a minute.
LINKS, CORES, REACH, EGOS = 4096, 4096, 4096, 384
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

    ranked = RankedGraph.of(graph)
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
    adjacent = adjacency(graph)
    result: NDArray[np.int64] = (((adjacent @ adjacent) * adjacent).sum(axis=1, dtype=np.float64) / 2).astype(np.int64)
    return result


def widest(graph: Graph) -> NDArray[np.int64]:
    """Return the most neighbours that every node shares with any other, shape (n,)."""
    size = len(graph)
    result = np.zeros(size, dtype=np.int64)
    steps = np.add.reduceat(np.append(graph.degrees[graph.indices], 0), graph.indptr[:-1]) * (graph.degrees > 0)
    adjacent: Any
    if size <= _TINY or steps.sum() > size**3 * _WHOLE:
        adjacent = adjacency(graph)
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
    adjacent, result = adjacency(graph), np.zeros(len(graph))
    for c in np.flatnonzero(graph.degrees >= 2).tolist():
        _, _, common = open_pairs(adjacent, graph.indices[graph.indptr[c] : graph.indptr[c + 1]])
        histogram = np.bincount(common)
        # The loops add up in the same order.
        for k in np.flatnonzero(histogram)[::-1].tolist():
            result[c] += histogram[k] / (1.0 + k)
    return result


def decayed_pairs(graph: Graph, decay: int) -> Integers:
    """Return the sum of max(0, decay - common neighbours in the ego) over the open pairs of each, shape (n,)."""
    adjacent, result = adjacency(graph), np.zeros(len(graph), dtype=np.int64)
    for c in np.flatnonzero(graph.degrees >= 2).tolist():
        _, _, common = open_pairs(adjacent, graph.indices[graph.indptr[c] : graph.indptr[c + 1]])
        result[c] = np.maximum(decay - common, 0).sum()
    return result


def two_steps_away(graph: Graph) -> Integers:
    """Return how many nodes are at distance exactly 2 from each, shape (n,)."""
    size = len(graph)
    rows = np.zeros((size, size), dtype=np.bool_)
    rows[np.repeat(np.arange(size), graph.degrees), graph.indices] = True
    bits, result = np.packbits(rows, axis=1), np.zeros(size, dtype=np.int64)
    for v in np.flatnonzero(graph.degrees).tolist():
        reached = np.bitwise_or.reduce(bits[graph.indices[graph.indptr[v] : graph.indptr[v + 1]]], axis=0)
        # Itself, which every neighbour reaches, and its neighbours are nearer.
        result[v] = np.count_nonzero(np.unpackbits(reached & ~bits[v], count=size)) - 1
    return result


def open_pairs(adjacent: NDArray[Any], members: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp], Integers]:
    """Return the pairs of places of members that are not adjacent, and their common neighbours among members.

    Bits are counted, and of these pairs only: a product of matrices waits for its threads where others are at work.
    """
    ego = adjacent[members[:, None], members] > 0
    x, y = np.nonzero(np.tri(members.size, k=-1, dtype=np.bool_) & ~ego)
    common = np.zeros(x.size, dtype=np.int64)
    if x.size:
        room = np.zeros((members.size, -(-members.size // 16) * 16), dtype=np.bool_)
        room[:, : members.size] = ego
        # The ones in every word of 16 bits.
        ones = np.unpackbits(np.arange(2**16, dtype=np.uint16).view(np.uint8)).reshape(-1, 16).sum(1, dtype=np.uint8)
        words = np.ascontiguousarray(np.packbits(room, axis=1).view(np.uint16).T)
        for word in words:
            common += ones[word[x] & word[y]]
    return x, y, common


def adjacency(graph: Graph) -> NDArray[Any]:
    """Return the adjacency matrix, zeros and ones."""
    adjacent = np.zeros((len(graph), len(graph)), dtype=np.float32)
    adjacent[np.repeat(np.arange(len(graph)), graph.degrees), graph.indices] = 1
    return adjacent

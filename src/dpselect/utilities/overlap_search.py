"""The widest overlap of every node, C(v) = max over w other than v of their common neighbours, without all pairs.

Let ``most`` be common neighbours that v is known to have with someone, and ``left`` the neighbours of v whose own
neighbours have not been looked at. A node that shares none of the others shares at most ``left`` with v. So as soon as
left <= most, only those that share more than most - left of the others can have more than ``most``, and each of them
is looked up among what is left. Neighbours are taken from the least connected to the hubs, whose rows are the long
ones and are rarely reached; and nodes from the hubs to the least connected, so that what hubs share with a node is
known before its turn. What is found is C itself, whatever the order, and so whatever the threads.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.utilities.loops import compile_loop
from dpselect.utilities.ranked_graph import RankedGraph, row_blocks
from dpselect.views import Graph

_BLOCKS = 200
# Steps of looking one node up in a row.
_LOOK_UP = 8


def widest(graph: Graph, workers: int = 1) -> NDArray[np.int64]:
    """Return the most neighbours that each node shares with any other, shape (n,).

    Each thread takes 8 bytes per node, beside the graph by rank.
    """
    ranked, search = RankedGraph.of(graph), compile_loop(_search)
    result = np.empty(len(graph), dtype=np.int64)
    # Threads raise it together, and one may undo what another did; each node's result is written once.
    known = np.zeros(len(graph), dtype=np.int32)
    work = graph.degrees[ranked.order].astype(np.float64) + 1

    def run(block: tuple[int, int]) -> None:
        search(ranked.indptr, ranked.indices, block[0], block[1], known, result)

    if workers == 1:
        run((0, len(graph)))
    else:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(run, row_blocks(work, work.sum() / _BLOCKS)))
    return ranked.by_node(result)


# One compiled loop: calls in it would cost more than its length.
def _search(indptr: Any, indices: Any, start: int, stop: int, known: Any, result: Any) -> None:
    """Fill in C by rank. ``known`` is what is known to be shared with somebody: any such numbers will do."""
    count = np.zeros(indptr.size - 1, dtype=np.int32)
    seen = np.empty(indptr.size, dtype=np.int32)
    for v in range(start, stop):
        begin = indptr[v]
        left = indptr[v + 1] - begin
        most = known[v]
        # Steps that are left if every row is read, and the number of rows left at the next look at who may matter.
        ahead = 0
        for e in range(begin, begin + left):
            ahead += indptr[indices[e] + 1] - indptr[indices[e]]
        look = left
        filled = 0
        # v is in every row, and never gets above 0.
        count[v] = -left - 1
        while left > 0:
            if left <= min(most, look) and ahead > filled:
                few = 0
                for i in range(filled):
                    few += count[seen[i]] > most - left
                if few * left * _LOOK_UP < ahead:
                    break
                look = left - 1 - left // 8
            left -= 1
            a = indices[begin + left]
            ahead -= indptr[a + 1] - indptr[a]
            for f in range(indptr[a], indptr[a + 1]):
                w = indices[f]
                c = count[w]
                # Written always, kept only when new: cheaper than a branch that is hard to foresee.
                seen[filled] = w
                filled += c == 0
                count[w] = c + 1
                most = max(most, c + 1)
        count[v] = 0
        for i in range(filled):
            w = seen[i]
            c = count[w]
            count[w] = 0
            if c + left > most:
                low, high = indptr[w], indptr[w + 1]
                for k in range(left):
                    if c + left - k <= most or low == high:
                        break
                    low += np.searchsorted(indices[low:high], indices[begin + k])
                    c += low < high and indices[low] == indices[begin + k]
                most = max(most, c)
            if c > known[w]:
                known[w] = c
        result[v] = most

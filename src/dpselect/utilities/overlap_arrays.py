"""The pairs that a new neighbour could take, by arrays, where nodes are few (a public number): nothing to compile.

Whole numbers only, so results equal those of ``overlap_kernels`` to the bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.utilities.ego_arrays import Integers, adjacency, open_pairs
from dpselect.views import Graph

# Pairs with more common neighbours count as pairs with that many: a byte per pair, and two values to spare.
MOST = 253
# Entries of pairs by nodes that are held together.
_ENTRIES = 2**18


def tables(graph: Graph, weight: Integers, distances: int) -> tuple[Integers, Integers, Integers]:
    """Return what ``overlap_kernels.tables`` fills in for all nodes: C, p and the losses by distance."""
    size, last = len(graph), weight.size - 1
    adjacent = adjacency(graph)
    shared = (adjacent @ adjacent).astype(np.int64)
    np.fill_diagonal(shared, 0)
    lacking = graph.degrees[:, None] - adjacent.astype(np.int64) - shared
    np.fill_diagonal(lacking, 0)
    overlap, missing = shared.max(axis=1, initial=0), lacking.max(axis=1, initial=0)
    steps = np.zeros((size, weight.size), dtype=np.int64)
    for v in np.flatnonzero(overlap > 1).tolist():
        members = graph.indices[graph.indptr[v] : graph.indptr[v + 1]]
        x, y, common = open_pairs(adjacent, members)
        if common.size:
            others = np.flatnonzero(shared[v] > 1)
            # A sum of pairs fits.
            kind = np.min_scalar_type(int(overlap[v] * (overlap[v] - 1) // 2))
            known = adjacent[members[:, None], others].astype(kind)
            steps[v] = _steps(x, y, np.minimum(common, last + 1), known, adjacent[v, others] > 0, last)
    j = np.arange(weight.size)
    return overlap, missing, steps @ weight[np.maximum(j[:, None] - np.arange(distances), 0)]


def _steps(
    x: NDArray[np.intp],
    y: NDArray[np.intp],
    common: Integers,
    known: NDArray[Any],
    member: NDArray[np.bool_],
    last: int,
) -> Integers:
    """Return the steps of H at 0 to ``last``.

    Args:
        x, y: the ends of each open pair of an ego, as rows of ``known``.
        common: their common neighbours in the ego.
        known: whether each member of the ego is adjacent to each other node that may count.
        member: whether those nodes are members of the ego: then they are among the common neighbours themselves.
    """
    from scipy.sparse import csr_array

    order = np.argsort(common, kind="stable")
    x, y = x[order], y[order]
    levels, starts = np.unique(common[order], return_index=True)
    ones = np.ones(x.size, dtype=known.dtype)
    by_level = csr_array((ones, np.arange(x.size), np.append(starts, x.size)), shape=(levels.size, x.size))
    most = np.zeros(last + 1, dtype=np.int64)
    width = max(1, _ENTRIES // x.size)
    for start in range(0, known.shape[1], width):
        part, inside = np.ascontiguousarray(known[:, start : start + width]), member[start : start + width]
        both = part.take(x, axis=0)
        both &= part.take(y, axis=0)
        at_most = np.cumsum(by_level @ both, axis=0, dtype=known.dtype)
        np.maximum.at(most, np.minimum(levels, last), at_most[:, ~inside].max(axis=1, initial=0))
        # No pair of level 0 is shared with a member.
        np.maximum.at(most, np.maximum(levels - 1, 0), at_most[:, inside].max(axis=1, initial=0))
    most = np.maximum.accumulate(most)
    return np.diff(most, prepend=0)

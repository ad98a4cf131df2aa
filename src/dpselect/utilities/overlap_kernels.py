"""Compiled loops over what two nodes share: imported only where numba is installed."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpselect.utilities.loops import compile_loop
from dpselect.utilities.overlap_arrays import MOST

_SATURATED, _ADJACENT = 254, 255
# A row this many times longer than the ego is searched instead of scanned.
_SEARCH = 20
# So many nodes have their histograms side by side where an ego's pairs need several blocks.
_SIDE_BY_SIDE = 4096


@compile_loop
def tables(
    indptr: Any, indices: Any, start: int, stop: int, weight: Any, room: int, overlap: Any, missing: Any, loss: Any
) -> None:
    """Fill in three statistics of the nodes from ``start`` to ``stop``, the last by distance.

    Args:
        weight: what each open pair with that many common neighbours counts, falling.
        room: bytes for the pairs of one ego.
        overlap: the most neighbours shared with any other node.
        missing: the most neighbours that any other node lacks.
        loss: row v - start, distance t: sum over j of H_j (weight(j - t) - weight(j + 1 - t)), shape (k, distances).
    """
    nodes = indptr.size - 1
    count = np.zeros(nodes, dtype=np.int32)
    seen = np.empty(nodes, dtype=np.int32)
    place = np.full(nodes, -1, dtype=np.int32)
    longest = 0
    for v in range(start, stop):
        longest = max(longest, indptr[v + 1] - indptr[v])
    members = np.empty(longest, dtype=np.int32)
    most = np.empty(MOST + 1, dtype=np.int64)
    bounds = np.empty(longest + 2, dtype=np.int64)
    # A row is never cut.
    room = max(room, longest)
    pairs = np.empty(min(room, longest * longest), dtype=np.uint8)
    beside = np.zeros((1, MOST + 1), dtype=np.int64)
    for v in range(start, stop):
        low, high = indptr[v], indptr[v + 1]
        for e in range(low, high):
            place[indices[e]] = e - low
        overlap[v], filled = _count_shared(indptr, indices, v, count, seen)
        missing[v] = _missing(indices, low, high, nodes, count, seen[:filled], place)
        if overlap[v] > 1:
            order = _falling(seen[:filled], count, overlap[v])
            blocks = _blocks(high - low, room, bounds)
            if blocks > 1 and beside.shape[0] == 1:
                beside = np.zeros((_SIDE_BY_SIDE, MOST + 1), dtype=np.int64)
            most[:] = 0
            _tabulate(indptr, indices, v, order, count, place, bounds[: blocks + 1], pairs, members, beside, most)
            _lose(most, weight, loss[v - start])
        for i in range(filled):
            count[seen[i]] = 0
        for e in range(low, high):
            place[indices[e]] = -1


@compile_loop
def decayed_pairs(indptr: Any, indices: Any, start: int, stop: int, decay: int, result: Any) -> None:
    """Fill in the sum of max(0, decay - common neighbours in the ego) over the open pairs of each node."""
    place = np.full(indptr.size - 1, -1, dtype=np.int32)
    longest = 0
    for v in range(start, stop):
        longest = max(longest, indptr[v + 1] - indptr[v])
    members = np.empty(longest, dtype=np.int32)
    first = np.empty(longest + 1, dtype=np.int64)
    common = np.zeros(longest, dtype=np.int32)
    links = np.empty(1024, dtype=np.int32)
    for v in range(start, stop):
        low, high = indptr[v], indptr[v + 1]
        for e in range(low, high):
            place[indices[e]] = e - low
        first[0] = 0
        for i in range(high - low):
            size = _members(indptr, indices, v, indices[low + i], place, members)
            first[i + 1] = first[i] + size
            if first[i + 1] > links.size:
                more = np.empty(2 * first[i + 1], dtype=np.int32)
                more[: first[i]] = links[: first[i]]
                links = more
            links[first[i] : first[i + 1]] = members[:size]
        for e in range(low, high):
            place[indices[e]] = -1
        degree = high - low
        # Pairs with no common neighbour are not met on the way.
        result[v] = decay * (degree * (degree - 1) // 2 - first[degree] // 2)
        for i in range(degree):
            result[v] -= _connect_pairs(links, first, i, decay, common, members)


@compile_loop
def _connect_pairs(links: Any, first: Any, i: int, decay: int, common: Any, touched: Any) -> int:
    """Return the sum of min(decay, common neighbours) over the open pairs of i and later members."""
    filled = 0
    for e in range(first[i], first[i + 1]):
        w = links[e]
        # Rows rise, so their ends hold the pairs that are not met from the other side.
        for f in range(first[w + 1] - 1, first[w] - 1, -1):
            j = links[f]
            if j <= i:
                break
            if common[j] == 0:
                touched[filled] = j
                filled += 1
            common[j] += 1
    for e in range(first[i], first[i + 1]):
        common[links[e]] = 0
    lost = 0
    for e in range(filled):
        lost += min(decay, common[touched[e]])
        common[touched[e]] = 0
    return lost


@compile_loop
def _count_shared(indptr: Any, indices: Any, v: int, count: Any, seen: Any) -> Any:
    """Count what v shares with each other node; return the largest count and how many share anything."""
    best, filled = 0, 0
    for e in range(indptr[v], indptr[v + 1]):
        a = indices[e]
        for f in range(indptr[a], indptr[a + 1]):
            w = indices[f]
            if w != v:
                if count[w] == 0:
                    seen[filled] = w
                    filled += 1
                count[w] += 1
                best = max(best, count[w])
    return best, filled


@compile_loop
def _missing(indices: Any, low: int, high: int, nodes: int, count: Any, seen: Any, place: Any) -> int:
    """Return the most members of the ego, others than the node itself, that any other node is not adjacent to."""
    degree = high - low
    worst, strangers = 0, 0
    for e in range(low, high):
        worst = max(worst, degree - 1 - count[indices[e]])
    for w in seen:
        if place[w] < 0:
            strangers += 1
            worst = max(worst, degree - count[w])
    return worst if strangers == nodes - 1 - degree else degree


@compile_loop
def _falling(seen: Any, count: Any, best: int) -> Any:
    """Return the nodes that share at least two neighbours, by falling number."""
    first = np.zeros(best + 2, dtype=np.int64)
    for w in seen:
        first[best - count[w] + 1] += 1
    first = np.cumsum(first)
    order = np.empty(first[best - 1], dtype=np.int32)
    for w in seen:
        if count[w] > 1:
            order[first[best - count[w]]] = w
            first[best - count[w]] += 1
    return order


@compile_loop
def _blocks(degree: int, room: int, bounds: Any) -> int:
    """Cut the lower triangle of an ego's pairs into rows that fit into ``room``; return how many blocks."""
    blocks, begin = 0, 0
    bounds[0] = 0
    for y in range(degree):
        if (y * (y + 1) - begin * (begin - 1)) // 2 > room and y > begin:
            blocks += 1
            bounds[blocks] = begin = y
    bounds[blocks + 1] = degree
    return blocks + 1


@compile_loop
def _members(indptr: Any, indices: Any, v: int, w: int, place: Any, members: Any) -> int:
    """Write the places of the neighbours of v that are neighbours of w, rising; return how many."""
    filled = 0
    low, high = indptr[w], indptr[w + 1]
    begin, end = indptr[v], indptr[v + 1]
    if high - low <= _SEARCH * (end - begin):
        for e in range(low, high):
            i = place[indices[e]]
            if i >= 0:
                members[filled] = i
                filled += 1
        return filled
    # A hub and a small ego: look each of its members up in the hub's sorted row.
    for e in range(begin, end):
        low += np.searchsorted(indices[low:high], indices[e])
        if low < high and indices[low] == indices[e]:
            members[filled] = e - begin
            filled += 1
    return filled


@compile_loop
def _pairs(indptr: Any, indices: Any, v: int, place: Any, top: int, bottom: int, members: Any, pairs: Any) -> None:
    """Fill in the rows from ``top`` to ``bottom`` of the pairs of an ego: common neighbours in it, or adjacent."""
    base = top * (top - 1) // 2
    pairs[: bottom * (bottom - 1) // 2 - base] = 0
    for e in range(indptr[v] + top, indptr[v + 1]):
        y = e - indptr[v]
        if y >= bottom:
            break
        size = _members(indptr, indices, v, indices[e], place, members)
        for i in range(size):
            if members[i] >= y:
                break
            pairs[y * (y - 1) // 2 - base + members[i]] = _ADJACENT
    for e in range(indptr[v], indptr[v + 1]):
        size = _members(indptr, indices, v, indices[e], place, members)
        for j in range(size):
            y = members[j]
            if top <= y < bottom:
                row = y * (y - 1) // 2 - base
                for i in range(j):
                    pairs[row + members[i]] += pairs[row + members[i]] < _SATURATED


@compile_loop
def _tabulate(
    indptr: Any,
    indices: Any,
    v: int,
    order: Any,
    count: Any,
    place: Any,
    bounds: Any,
    pairs: Any,
    members: Any,
    beside: Any,
    most: Any,
) -> None:
    """Fill in H: at j, the most open pairs with at most j further common neighbours that v and any w share."""
    blocks = bounds.size - 1
    step = 1 if blocks == 1 else beside.shape[0]
    for o in range(0, order.size, step):
        # A node that shares fewer cannot raise any entry.
        size = np.int64(count[order[o]])
        if size * (size - 1) // 2 <= most[0]:
            return
        last = min(o + step, order.size)
        for b in range(blocks):
            top, bottom = bounds[b], bounds[b + 1]
            base = top * (top - 1) // 2
            if blocks > 1 or o == 0:
                _pairs(indptr, indices, v, place, top, bottom, members, pairs)
            for i in range(o, last):
                w = order[i]
                size = _members(indptr, indices, v, w, place, members)
                # w itself is among the common neighbours where it is one of v's.
                own = 1 if place[w] >= 0 else 0
                histogram = beside[i - o]
                for f in range(1, size):
                    y = np.int64(members[f])
                    if top <= y < bottom:
                        row = y * (y - 1) // 2 - base
                        for e in range(f):
                            k = pairs[row + members[e]]
                            if k != _ADJACENT:
                                histogram[min(k - own, MOST)] += 1
        for i in range(last - o):
            run = 0
            for j in range(MOST + 1):
                run += beside[i, j]
                beside[i, j] = 0
                most[j] = max(most[j], run)


@compile_loop
def _lose(most: Any, weight: Any, loss: Any) -> None:
    """Fill in, by distance, the sum over j of the step of H at j, times the weight of j less the distance."""
    for t in range(loss.size):
        total, before = 0, 0
        for j in range(MOST + 1):
            total += (most[j] - before) * weight[max(j - t, 0)]
            before = most[j]
        loss[t] = total

"""Counting dominators: for every query, how many points are at least as large in every objective.

One objective by sorting; two by a sweep from the top of the first with a Fenwick tree over the second, O(R log R),
compiled where numba is installed and in a wavelet matrix of array steps where it is not; three by divide and conquer
with a Fenwick tree, compiled where numba is installed, O(R log^2 R); more by sets of 64 points packed into one integer,
O(m R^2 / 64). Few queries sort all points into a table between them, O(R log R' + R'^m). Memory grows with R only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
# One array an objective, integers or floats, shape (R,); an array of shape (m, R) will do.
Points = Sequence[NDArray[Any]] | NDArray[Any]
# Up to this many comparisons are made one by one.
_FEW = 2**18
# Points are sifted where they are this many times the queries.
_RARE = 16
# Cells of a table between few queries: at most this many, and at most this many per point.
_TABLE, _DENSE = 2**22, 4
_WORD = 64
# Loading a compiled loop takes longer than arrays do for this many points and queries.
_WORTH = 20_000


def count_above(points: Points, queries: Points, weights: Integers | None = None) -> Integers:
    """Return for every query the weight of the points with no smaller coordinate, shape (R',).

    Args:
        points: m arrays of shape (R,). queries: m arrays of shape (R',), of the same kinds of number.
        weights: how often each point counts, shape (R,); once when left out.

    >>> count_above(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([[1.0], [1.0]]))
    array([2])
    """
    if weights is None:
        weights = np.ones(len(points[0]), dtype=np.int64)
    if len(points) == 1:
        return _one(points, queries, weights)
    if len(queries[0]) * _RARE < len(points[0]):
        # A candidate below every query in one objective counts for none.
        least = np.logical_and.reduce([p >= q.min(initial=p.max()) for p, q in zip(points, queries, strict=True)])
        points, weights = [point[least] for point in points], weights[least]
    size, asked = len(points[0]), len(queries[0])
    if size * asked <= _FEW:
        return _few(points, queries, weights)
    if (asked + 1) ** len(points) <= min(_TABLE, _DENSE * size):
        return _table(points, queries, weights)
    if len(points) == 2:
        return _two(points, queries, weights)
    compiled = _compile(_divide) if len(points) == 3 else None
    return _weigh(points, queries, weights) if compiled is None else _three(compiled, points, queries, weights)


def seconds(size: int, objectives: int) -> float:
    """Return about how long one count of ``size`` points and queries takes: a public figure, for notices."""
    log = np.log2(size + 1)
    if objectives <= 2:
        return float(2e-9 * size * log**2)
    if objectives == 3 and size > 10_000 and _compile(_divide) is not None:
        return float(1e-8 * size * log**2)
    return float(3e-11 * objectives * size * size)


def _one(points: Points, queries: Points, weights: Integers) -> Integers:
    order = np.argsort(points[0], kind="stable")
    below = np.concatenate(([0], np.cumsum(weights[order])))
    return np.asarray(below[-1] - below[np.searchsorted(points[0][order], queries[0], side="left")])


def _few(points: Points, queries: Points, weights: Integers) -> Integers:
    above = points[0][None, :] >= queries[0][:, None]
    for point, query in zip(points[1:], queries[1:], strict=True):
        above &= point[None, :] >= query[:, None]
    return np.asarray(above @ weights)


def _table(points: Points, queries: Points, weights: Integers) -> Integers:
    """Count the points between queries in a table of a cell per step of every objective, summed from the top."""
    steps = [np.unique(query) for query in queries]
    # Of a point counts how many queries it reaches in each objective; in one where it reaches none it is left out.
    reached = [np.searchsorted(step, point, side="right") for step, point in zip(steps, points, strict=True)]
    # Sums of these weights, at most the number of candidates, are exact in floats.
    shape = [step.size + 1 for step in steps]
    cells = np.ravel_multi_index(reached, shape)
    table = np.bincount(cells, weights, math.prod(shape)).astype(np.int64).reshape(shape)
    for axis in range(len(steps)):
        table = np.flip(np.flip(table, axis).cumsum(axis), axis)
    at = [np.searchsorted(step, query) + 1 for step, query in zip(steps, queries, strict=True)]
    return np.asarray(table[tuple(at)])


def _two(points: Points, queries: Points, weights: Integers) -> Integers:
    """Count, for every query, among the points that pass the first objective those that pass the second."""
    size = len(points[0])
    by_first, by_second = np.argsort(points[0])[::-1], np.argsort(points[1])
    # Ranks of the second objective from the top, in the order of the first; of equals any order will do.
    rank = np.empty(size, dtype=np.int64)
    rank[by_second] = np.arange(size - 1, -1, -1)
    ranks, heavy = rank[by_first], weights[by_first]
    passed = size - _below(points[0][by_first][::-1], queries[0])
    bound = size - _below(points[1][by_second], queries[1])
    sweep = _compile(_sweep) if size + passed.size > _WORTH else None
    if sweep is None:
        return _wavelet(ranks, heavy, passed, bound)
    counts = np.empty(passed.size, dtype=np.int64)
    sweep(ranks, heavy, np.argsort(passed), passed, bound, counts)
    return counts


def _below(ordered: NDArray[Any], queries: NDArray[Any]) -> Integers:
    """Return how many ordered numbers are below each query, who are asked in their order because memory likes it."""
    order = np.argsort(queries)
    result = np.empty(order.size, dtype=np.int64)
    result[order] = np.searchsorted(ordered, queries[order], side="left")
    return result


def _wavelet(values: Integers, heavy: Integers, passed: Integers, bound: Integers) -> Integers:
    """Sum, for every query, the weights of the ranks below its bound among the first that pass it."""
    size = values.size
    open_ = bound < size
    total = np.where(open_, 0, np.concatenate(([0], np.cumsum(heavy)))[passed])
    low, high = np.zeros(passed.size, dtype=np.int64), passed.copy()
    for bit in range(size.bit_length() - 1, -1, -1):
        zero = (values >> bit) & 1 == 0
        zeros = np.concatenate(([0], np.cumsum(zero)))
        sums = np.concatenate(([0], np.cumsum(np.where(zero, heavy, 0))))
        left, right = zeros[low], zeros[high]
        up = (bound >> bit) & 1 == 1
        # A value with a 0 here, under a bound with a 1, is below the bound whatever follows.
        total += np.where(up & open_, sums[high] - sums[low], 0)
        low = np.where(up, zeros[-1] + low - left, left)
        high = np.where(up, zeros[-1] + high - right, right)
        values = np.concatenate((values[zero], values[~zero]))
        heavy = np.concatenate((heavy[zero], heavy[~zero]))
    return total


def _three(merge: Callable[..., None], points: Points, queries: Points, weights: Integers) -> Integers:
    size, asked = len(points[0]), len(queries[0])
    first, second, third = (np.concatenate((p, q)) for p, q in zip(points, queries, strict=True))
    ranks = np.unique(third, return_inverse=True)[1].ravel().astype(np.int64)
    # Queries weigh nothing. From the top of the first objective; of equals the points come first.
    heavy = np.concatenate((weights, np.zeros(asked, dtype=np.int64)))
    order = np.lexsort((-np.arange(size + asked), first))[::-1].copy()
    counts = np.zeros(size + asked, dtype=np.int64)
    merge(order, second, ranks, heavy, size, counts)
    return counts[size:]


def _weigh(points: Points, queries: Points, weights: Integers) -> Integers:
    """Intersect, for every 64 points at a time, the sets of those that pass each objective."""
    points = [np.repeat(point, weights) for point in points]
    orders = [np.argsort(query, kind="stable") for query in queries]
    ordered = [query[order] for query, order in zip(queries, orders, strict=True)]
    places = []
    for order in orders:
        place = np.empty(order.size, dtype=np.intp)
        place[order] = np.arange(order.size)
        places.append(place)
    counts = np.zeros(len(queries[0]), dtype=np.int64)
    for start in range(0, len(points[0]), _WORD):
        passing = np.full(counts.size, np.iinfo(np.uint64).max)
        for point, query, place in zip(points, ordered, places, strict=True):
            block = point[start : start + _WORD]
            rising = np.argsort(block, kind="stable")
            bits = np.uint64(1) << rising.astype(np.uint64)
            # sets[j]: all but the j smallest of the block; from the j-th smallest on a query passes fewer.
            sets = np.append(np.bitwise_or.accumulate(bits[::-1])[::-1], np.uint64(0))
            ends = np.searchsorted(query, block[rising], side="right")
            passing &= np.repeat(sets, np.diff(ends, prepend=0, append=counts.size))[place]
        counts += ones(passing)
    return counts


def ones(words: NDArray[np.uint64]) -> NDArray[Any]:
    """Return how many bits of each word are set."""
    if hasattr(np, "bitwise_count"):
        return np.asarray(np.bitwise_count(words))
    return np.asarray(np.unpackbits(words[..., None].view(np.uint8), axis=-1).sum(axis=-1))


@cache
def _compile(loop: Callable[..., None]) -> Callable[..., None] | None:
    """Return a loop, compiled once a machine, or ``None`` without numba."""
    try:
        from numba import njit
    except ImportError:
        return None
    try:
        fast: Callable[..., None] = njit(cache=True, nogil=True)(loop)
    except RuntimeError:  # no folder to keep it in
        fast = njit(nogil=True)(loop)
    return fast


def _sweep(ranks: Any, weights: Any, order: Any, passed: Any, bounds: Any, counts: Any) -> None:
    """Enter points into a Fenwick tree from the top of the first objective, and ask it once a query has them all."""
    size = ranks.size
    tree = np.zeros(size + 1, dtype=np.int64)
    entered = 0
    for one in order:
        while entered < passed[one]:
            place = ranks[entered] + 1
            while place <= size:
                tree[place] += weights[entered]
                place += place & -place
            entered += 1
        total = 0
        place = bounds[one]
        while place > 0:
            total += tree[place]
            place -= place & -place
        counts[one] = total


def _divide(order: Any, second: Any, third: Any, weights: Any, points: int, counts: Any) -> None:
    """Merge from the bottom up: points of the left half are counted for queries of the right, by a Fenwick tree."""
    total, top = order.size, third.max() + 1
    tree = np.zeros(top + 1, dtype=np.int64)
    merged, spare = order, np.empty_like(order)
    width = 1
    while width < total:
        for start in range(0, total, 2 * width):
            middle, end = min(start + width, total), min(start + 2 * width, total)
            # Both halves are sorted by the second objective from the top.
            left, out = start, start
            for right in range(middle, end):
                one = merged[right]
                while left < middle and second[merged[left]] >= second[one]:
                    other = merged[left]
                    if other < points:
                        place = top - third[other]
                        while place <= top:
                            tree[place] += weights[other]
                            place += place & -place
                    spare[out] = other
                    left, out = left + 1, out + 1
                if one >= points:
                    place = top - third[one]
                    while place > 0:
                        counts[one] += tree[place]
                        place -= place & -place
                spare[out] = one
                out += 1
            for rest in range(left, middle):
                spare[out] = merged[rest]
                out += 1
            for done in range(start, left):
                other = merged[done]
                if other < points:
                    place = top - third[other]
                    while place <= top:
                        tree[place] -= weights[other]
                        place += place & -place
        merged, spare = spare, merged
        width *= 2

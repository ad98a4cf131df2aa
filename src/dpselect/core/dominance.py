"""Counting dominators: for every query, how many points are at least as large in every objective."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
# Cells of a block of comparisons: keeps memory below a hundred megabytes for any number of candidates.
_CELLS = 2**26


def count_above(points: Floats, queries: Floats) -> Integers:
    """Return for every query (m, R') the number of points (m, R) with no smaller coordinate, shape (R',).

    One objective by sorting, two in O(R log R) array steps, three compiled in O(R log^2 R) where numba is installed,
    more by blocks of comparisons.

    >>> count_above(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([[1.0], [1.0]]))
    array([2])
    """
    objectives = points.shape[0]
    if objectives == 1:
        return np.asarray(points.shape[1] - np.searchsorted(np.sort(points[0]), queries[0], side="left"))
    if objectives == 2:
        return _two(points, queries)
    if objectives == 3 and points.shape[1] > 2000:
        compiled = _three()  # type: ignore[no-untyped-call]
        if compiled is not None:
            return np.asarray(compiled(points, queries))
    return _blocks(points, queries)


def _two(points: Floats, queries: Floats) -> Integers:
    """Count in a wavelet matrix: among the points that pass the first objective, those that pass the second."""
    size = points.shape[1]
    by_first = np.argsort(-points[0], kind="stable")
    passed = size - np.searchsorted(points[0][by_first][::-1], queries[0], side="left")
    # Ranks of the second objective from the top, in the order of the first.
    rank = np.empty(size, dtype=np.int64)
    rank[np.argsort(-points[1], kind="stable")] = np.arange(size)
    values = rank[by_first]
    bound = size - np.searchsorted(np.sort(points[1]), queries[1], side="left")
    total = np.where(bound >= size, passed, 0)
    low, high = np.zeros(passed.size, dtype=np.int64), passed.copy()
    open_ = bound < size
    for bit in range(max(1, size.bit_length()) - 1, -1, -1):
        ones = (values >> bit) & 1
        zeros = np.concatenate(([0], np.cumsum(1 - ones)))
        left, right = zeros[low], zeros[high]
        up = (bound >> bit) & 1 == 1
        # A value with a 0 here, under a bound with a 1, is below the bound whatever follows.
        total += np.where(up & open_, right - left, 0)
        low = np.where(up, zeros[-1] + low - left, left)
        high = np.where(up, zeros[-1] + high - right, right)
        values = np.concatenate((values[ones == 0], values[ones == 1]))
    return total


def _blocks(points: Floats, queries: Floats) -> Integers:
    """Compare blocks of queries with all points."""
    step = max(1, _CELLS // max(1, points.shape[1]))
    counts = np.empty(queries.shape[1], dtype=np.int64)
    for start in range(0, queries.shape[1], step):
        part = slice(start, start + step)
        above = points[0][None, :] >= queries[0][part, None]
        for objective in range(1, points.shape[0]):
            above &= points[objective][None, :] >= queries[objective][part, None]
        counts[part] = above.sum(axis=1)
    return counts


_compiled = None


def _three():  # type: ignore[no-untyped-def]
    """Return the compiled counter for three objectives, or ``None`` without numba."""
    global _compiled
    if _compiled is None:
        try:
            import numba
        except ImportError:
            return None
        merge = numba.njit(cache=True)(_divide)

        def counted(points: Floats, queries: Floats) -> Integers:
            size, asked = points.shape[1], queries.shape[1]
            first = np.concatenate((points[0], queries[0]))
            second = np.concatenate((points[1], queries[1]))
            third = np.unique(np.concatenate((points[2], queries[2])), return_inverse=True)[1].ravel()
            query = np.concatenate((np.zeros(size, dtype=np.bool_), np.ones(asked, dtype=np.bool_)))
            # From the top of the first objective; of equals the points come first.
            order = np.lexsort((query, -first))
            counts = np.zeros(size + asked, dtype=np.int64)
            merge(order, second, third.astype(np.int64), query, counts)
            return counts[size:]

        _compiled = counted
    return _compiled


def _divide(order, second, third, query, counts):  # type: ignore[no-untyped-def]
    """Merge from the bottom up: points of the left half are counted for queries of the right, by a Fenwick tree."""
    total, top = order.size, third.max() + 1
    tree = np.zeros(top + 2, dtype=np.int64)
    merged = order.copy()
    width = 1
    while width < total:
        for start in range(0, total, 2 * width):
            middle, end = min(start + width, total), min(start + 2 * width, total)
            if middle >= end:
                continue
            left, right = start, middle
            # Both halves are sorted by the second objective from the top.
            for at in range(right, end):
                one = merged[at]
                while left < middle and second[merged[left]] >= second[one]:
                    if not query[merged[left]]:
                        place = top - third[merged[left]]
                        while place <= top:
                            tree[place] += 1
                            place += place & -place
                    left += 1
                if query[one]:
                    place, found = top - third[one], 0
                    while place > 0:
                        found += tree[place]
                        place -= place & -place
                    counts[one] += found
            for at in range(start, left):
                if not query[merged[at]]:
                    place = top - third[merged[at]]
                    while place <= top:
                        tree[place] -= 1
                        place += place & -place
            part = merged[start:end].copy()
            i, j, split = 0, middle - start, middle - start
            for at in range(start, end):
                if j >= part.size or (i < split and second[part[i]] >= second[part[j]]):
                    merged[at] = part[i]
                    i += 1
                else:
                    merged[at] = part[j]
                    j += 1
        width *= 2

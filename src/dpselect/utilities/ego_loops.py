"""Compiled loops over egos of a ranked graph. Importing this needs numba; ``egos`` does so where a graph is large.

An ego is what the neighbours of a node c, its members, are to each other: their edges are the links of c. Members keep
the order of their ranks, so the first columns have most links. They are kept as bits too: 64 of them are intersected
at once, where listing the members of a column one by one would take longer.

Scratch memory of a call follows its widest ego: about 50 bytes per member, 16 per link.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpselect.utilities.loops import compile_loop

# Intersecting one word of 64 columns takes this share of the time of listing one member.
_WORD = 0.25
_1, _2, _4, _56, _63 = (np.uint64(shift) for shift in (1, 2, 4, 56, 63))
_PAIRS, _QUADS, _BYTES, _ONES = (np.uint64(int(digits * (16 // len(digits)), 16)) for digits in ("5", "3", "0F", "01"))


@compile_loop
def links(indptr: Any, indices: Any, split: Any, start: int, stop: int, result: Any) -> None:
    """Fill in the number of links of the ranks from start to stop."""
    marked = np.zeros(indptr.size - 1, dtype=np.bool_)
    for c in range(start, stop):
        for e in range(indptr[c], indptr[c + 1]):
            marked[indices[e]] = True
        count = 0
        for e in range(indptr[c], indptr[c + 1]):
            v = indices[e]
            for f in range(indptr[v], split[v]):
                count += marked[indices[f]]
        result[c] = count
        for e in range(indptr[c], indptr[c + 1]):
            marked[indices[e]] = False


@compile_loop
def betweenness(indptr: Any, indices: Any, split: Any, start: int, stop: int, result: Any) -> None:
    """Fill in the ego betweenness of the ranks from start to stop."""
    widest, most = _largest(indptr, indices, split, start, stop)
    place = np.zeros(indptr.size - 1, dtype=np.int32)
    degree = np.zeros(widest + 1, dtype=np.int32)
    before = np.zeros(widest + 1, dtype=np.int64)
    after = np.zeros(widest + 1, dtype=np.int64)
    cursor = np.zeros(widest + 1, dtype=np.int64)
    common = np.zeros(widest + 1, dtype=np.int32)
    touched = np.zeros(widest + 1, dtype=np.int32)
    histogram = np.zeros(widest + 2, dtype=np.int64)
    # Memory that is never written is never taken.
    lower = np.empty(most + 1, dtype=np.int32)
    upper = np.empty(most + 1, dtype=np.int32)
    bits = np.empty(1024, dtype=np.uint64)
    for c in range(start, stop):
        d = indptr[c + 1] - indptr[c]
        count = _gather(c, indptr, indices, split, place, before, lower)
        if count:
            _turn(d, before, lower, after, upper, cursor, degree)
            words = _words(degree, d)
            if words * d > bits.size:
                bits = np.empty(2 * words * d, dtype=np.uint64)
            _pack(d, before, lower, words, bits)
            for i in range(1, d):
                _row(i, d, degree, before, lower, after, upper, words, bits, common, touched, histogram)
        # Pairs that are not adjacent and have k common neighbours count 1 / (1 + k) each.
        histogram[widest + 1] = 0
        seen = 0
        for k in range(1, d + 1):
            seen += histogram[k]
        histogram[0] = d * (d - 1) // 2 - count - seen
        total = 0.0
        for k in range(d, -1, -1):
            total += histogram[k] / (1.0 + k)
            histogram[k] = 0
        result[c] = total


@compile_loop
def _largest(indptr: Any, indices: Any, split: Any, start: int, stop: int) -> Any:
    """Return the most members of a node from start to stop, and the most links that it might have."""
    widest, most = 0, 0
    for c in range(start, stop):
        widest = max(widest, indptr[c + 1] - indptr[c])
        kept = 0
        for e in range(indptr[c], indptr[c + 1]):
            kept += split[indices[e]] - indptr[indices[e]]
        most = max(most, kept)
    return widest, most


@compile_loop
def _gather(c: int, indptr: Any, indices: Any, split: Any, place: Any, before: Any, lower: Any) -> int:
    """Collect the links of c: of every member those that stand before it, in ascending order; return how many."""
    begin, d = indptr[c], indptr[c + 1] - indptr[c]
    for i in range(d):
        place[indices[begin + i]] = i + 1
    count = 0
    for i in range(d):
        before[i] = count
        v = indices[begin + i]
        for f in range(indptr[v], split[v]):
            j = place[indices[f]]
            # Written always, kept only when a member: cheaper than a branch that is hard to foresee.
            lower[count] = j - 1
            count += j != 0
    before[d] = count
    for i in range(d):
        place[indices[begin + i]] = 0
    return count


@compile_loop
def _turn(d: int, before: Any, lower: Any, after: Any, upper: Any, cursor: Any, degree: Any) -> None:
    """Fill in the same links of every member to those that stand after it, and the number of both."""
    for i in range(d):
        cursor[i] = 0
    for e in range(before[d]):
        cursor[lower[e]] += 1
    after[0] = 0
    for i in range(d):
        after[i + 1] = after[i] + cursor[i]
        degree[i] = cursor[i] + before[i + 1] - before[i]
        cursor[i] = after[i]
    for i in range(d):
        for e in range(before[i], before[i + 1]):
            j = lower[e]
            upper[cursor[j]] = i
            cursor[j] += 1


@compile_loop
def _words(degree: Any, d: int) -> int:
    """Return how many words of 64 columns are worth their bits: listing their members would take longer."""
    words = 0
    while 64 * words < d:
        listed = 0.0
        for i in range(64 * words, min(64 * words + 64, d)):
            listed += float(degree[i]) * degree[i]
        if listed <= _WORD * d * d:
            break
        words += 1
    return words


@compile_loop
def _pack(d: int, before: Any, lower: Any, words: int, bits: Any) -> None:
    """Fill in the bits of the first columns: one word of every member, then the next."""
    for e in range(words * d):
        bits[e] = 0
    for i in range(d):
        for e in range(before[i], before[i + 1]):
            j = lower[e]
            if j >= 64 * words:
                break
            bits[(j >> 6) * d + i] |= _1 << (np.uint64(j) & _63)
            if i < 64 * words:
                bits[(i >> 6) * d + j] |= _1 << (np.uint64(i) & _63)


@compile_loop
def _ones(word: Any) -> Any:
    """Return how many bits are set; compilers know this form and use the instruction."""
    word = word - ((word >> _1) & _PAIRS)
    word = (word & _QUADS) + ((word >> _2) & _QUADS)
    return (((word + (word >> _4)) & _BYTES) * _ONES) >> _56


@compile_loop
def _row(
    i: int,
    d: int,
    degree: Any,
    before: Any,
    lower: Any,
    after: Any,
    upper: Any,
    words: int,
    bits: Any,
    common: Any,
    touched: Any,
    histogram: Any,
) -> None:
    """Count the members before i that are not adjacent to it by their common neighbours with it, where it has any."""
    listed = 0
    for e in range(before[i], before[i + 1]):
        listed += degree[lower[e]]
    for e in range(after[i], after[i + 1]):
        listed += min(degree[upper[e]], i)
    if 2 * listed < i:
        count = 0
        for e in range(before[i], before[i + 1]):
            w = lower[e]
            count = _few(lower, before[w], before[w + 1], i, common, touched, count)
            count = _few(upper, after[w], after[w + 1], i, common, touched, count)
        for e in range(after[i], after[i + 1]):
            w = upper[e]
            count = _few(lower, before[w], before[w + 1], i, common, touched, count)
        for e in range(before[i], before[i + 1]):
            common[lower[e]] = 0
        for e in range(count):
            if common[touched[e]]:
                histogram[common[touched[e]]] += 1
                common[touched[e]] = 0
        return
    low, high = before[i], after[i]
    for q in range(words):
        word = bits[q * d + i]
        stop = low
        while stop < before[i + 1] and lower[stop] < 64 * q + 64:
            stop += 1
        last = high
        while last < after[i + 1] and upper[last] < 64 * q + 64:
            last += 1
        if (stop - low + last - high) * degree[min(64 * q + 32, d - 1)] > _WORD * i:
            _intersect(bits[q * d : q * d + i], word, common)
        else:
            _list(low, stop, high, last, i, before, lower, after, upper, common)
        low, high = stop, last
    _list(low, before[i + 1], high, after[i + 1], i, before, lower, after, upper, common)
    # Adjacent pairs go where no reader looks.
    for e in range(before[i], before[i + 1]):
        common[lower[e]] = histogram.size - 1
    for j in range(i):
        histogram[common[j]] += 1
        common[j] = 0


@compile_loop
def _intersect(column: Any, word: Any, common: Any) -> None:
    """Add for every member how many columns of one word it shares."""
    for j in range(column.size):
        common[j] += np.int32(_ones(column[j] & word))


@compile_loop
def _list(
    low: int,
    stop: int,
    high: int,
    last: int,
    i: int,
    before: Any,
    lower: Any,
    after: Any,
    upper: Any,
    common: Any,
) -> None:
    """Count paths from i over its neighbours low to stop before it, and high to last after it, to all before i."""
    for e in range(low, stop):
        w = lower[e]
        for f in range(before[w], before[w + 1]):
            common[lower[f]] += 1
        for f in range(after[w], after[w + 1]):
            if upper[f] >= i:
                break
            common[upper[f]] += 1
    for e in range(high, last):
        w = upper[e]
        for f in range(before[w], before[w + 1]):
            if lower[f] >= i:
                break
            common[lower[f]] += 1


@compile_loop
def _few(row: Any, low: int, high: int, i: int, common: Any, touched: Any, count: int) -> int:
    """Count paths over one part of a row, and note each node reached; return how many nodes there are by now."""
    for f in range(low, high):
        j = row[f]
        if j >= i:
            break
        touched[count] = j
        count += common[j] == 0
        common[j] += 1
    return count

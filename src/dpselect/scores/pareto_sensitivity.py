"""Bounds on how far a Pareto score can move: dominators that may be lost and won within so many steps.

With S_i(r) the sum of delta_i(x, j, r) over j <= t, t + 1 steps keep objective i of r within u_i(r) -+ S_i(r), so

    possible_t(r) = others r' with u_i(r') + S_i(r') >= u_i(r) - S_i(r) in every objective,
    certain_t(r)  = others r' with u_i(r') - S_i(r') >= u_i(r) + S_i(r) in every objective,
    delta(x, t, r) = max(possible_t - certain_(t-1), possible_(t-1) - certain_t),

both counts being those of the dominators at t = -1. The proof stands beside ``combine.py``. In integers everything is
exact; in floats a margin makes ``possible`` count too many and ``certain`` too few, never the other way round.

References: Farias et al. (PrivPareto), Definition 4.5, which is possible_t - certain_t and larger.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.units import TICK_CLIP
from dpselect.scores.dominance import count_above
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import Floats, Sensitivity

Integers = NDArray[np.int64]
Counts = tuple[Integers, Integers]
# More than any two clipped integers are apart, and still within 64 bits from each.
_EVERYWHERE = 2.0 * TICK_CLIP + 2.0**32
# Sums that are kept, one number per profile each: of the distances 2^i - 1, and of so many others.
_MOST_KEPT = 8


class Spread:
    """The Pareto score of every candidate and its sensitivity; candidates alike in everything share a row.

    Attributes:
        dominators: how many others are at least as good in every objective, shape (m,).
        profile: the row of each candidate, shape (m,).
    """

    def __init__(self, parts: Sequence[Scores]) -> None:
        own = [np.zeros(len(p), dtype=np.intp) if (f := p.sensitivity.profile) is None else f for p in parts]
        first, self.profile, weights = group_alike(
            [column for p, o in zip(parts, own, strict=True) for column in (p.values, o)]
        )
        self._weights = weights
        self._others = len(self.profile) - 1
        self._parts = [
            _Part(_clip(part.values[first]), part.sensitivity, rows[first])
            for part, rows in zip(parts, own, strict=True)
        ]
        values = [part.values for part in self._parts]
        self._now: Integers = count_above(values, values, weights) - 1
        self.dominators: Integers = self._now[self.profile]
        self._last: tuple[int, Counts] = (-1, (self._now, self._now))

    def rows(self, t: Integers) -> Floats:
        """Return the sensitivity at distances t of every row, shape (k, rows)."""
        return self.some(t, None)

    def some(self, t: Integers, only: NDArray[np.intp] | None) -> Floats:
        """Return the sensitivity at distances t of these rows, shape (k, len(only)); of all when ``None``."""
        here = self._now if only is None else self._now[only]
        out = np.empty((t.size, here.size))
        step, counts = self._last if only is None else (-1, (here, here))
        for place, distance in enumerate(t.tolist()):
            if step != distance - 1:
                counts = self._counts(distance - 1, only, None)
            after = self._counts(distance, only, counts)
            out[place] = np.maximum(after[1] - counts[0], counts[1] - after[0])
            step, counts = distance, after
        if only is None:
            self._last = (step, counts)
        return out

    def beaten(self, steps: int, only: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which of these rows some other candidate beats at a number of steps (``pareto_margin.md``).

        With steps above 0 another may come to lie above, with steps below 0 it stays above for that many: at least as
        high in every objective, and higher in one.
        """
        points = queries = [part.values for part in self._parts]
        if steps:
            low, high = zip(*(part.edges(abs(steps) - 1) for part in self._parts), strict=True)
            points, queries = ([*high], [*low]) if steps > 0 else ([*low], [*high])
        asked = [query[only] for query in queries]
        others = count_above(points, asked, self._weights) - count_equal(points, asked, self._weights)
        # Where it moves at all, a candidate may come to lie above what it is now.
        own = np.logical_or.reduce([p[only] > q for p, q in zip(points, asked, strict=True)]) if steps > 0 else 0
        return np.asarray(others - own > 0)

    def _counts(self, t: int, only: NDArray[np.intp] | None, before: Counts | None) -> Counts:
        """Return certain and possible dominators within t + 1 steps; those one step before save work."""
        here = np.arange(self._now.size) if only is None else only
        if t < 0:
            return self._now[here], self._now[here]
        edges = [part.edges(t) for part in self._parts]
        low, high = [edge[0] for edge in edges], [edge[1] for edge in edges]
        certain, possible = np.zeros(here.size, dtype=np.int64), np.full(here.size, self._others)
        # Certain ones only become fewer and possible ones more: none, or all others, stays so.
        live = np.arange(here.size) if before is None else np.flatnonzero(before[0] > 0)
        if live.size:
            these = here[live]
            still = np.logical_and.reduce([a[these] == b[these] for a, b in zip(low, high, strict=True)])
            certain[live] = count_above(low, [edge[these] for edge in high], self._weights) - still
        live = np.arange(here.size) if before is None else np.flatnonzero(before[1] < self._others)
        if live.size:
            these = here[live]
            possible[live] = count_above(high, [edge[these] for edge in low], self._weights) - 1
        return certain, possible


class _Part:
    """One objective: its values, and the intervals that t + 1 steps keep them in."""

    def __init__(self, values: Any, sensitivity: Sensitivity, profile: NDArray[np.intp]) -> None:
        self.values = values
        self._sensitivity, self._profile = sensitivity, profile
        self._profiles = int(profile.max()) + 1
        self._whole = values.dtype.kind == "i"
        # Sums that were taken, by distance: a bisection between distances finds one just before each.
        self._sums: dict[int, Floats] = {-1: np.zeros(1)}

    def edges(self, t: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the lowest and highest values within t + 1 steps, of the kind of the values."""
        # An interval that leaves the floats is cut at infinity, on every database alike.
        with np.errstate(over="ignore"):
            return self._edges(t, self._each(self._far(t)))

    def _edges(self, t: int, far: Floats) -> tuple[NDArray[Any], NDArray[Any]]:
        # What floats may be wrong by (``combine.md``): a fixed share for every step, and one that grows for the sums,
        # so that the margin here covers that of a neighbour one step earlier and the errors on both sides.
        share = 2.0**-38 * (t + 1) + 2.0**-50 * (t + 1) * (t + 2)
        if self._whole:
            # Integers move by whole steps, and floors of sums only add up to less.
            steps = np.floor(np.minimum(far * (1 + share), _EVERYWHERE)).astype(np.int64)
            return self.values - steps, self.values + steps
        moved = np.abs(self.values)
        moved += far
        moved *= share
        moved += far
        # What cannot move keeps its very float.
        if (still := far == 0).any():
            moved[np.broadcast_to(still, moved.shape)] = 0.0
        return self.values - moved, self.values + moved

    def _each(self, far: Floats) -> Floats:
        """Return the sums of the rows of this objective, or the one of all."""
        return far if far.size == 1 else far[self._profile]

    def _far(self, t: int) -> Floats:
        """Return the sum of the sensitivity over 0 .. t, one value per profile, whatever was asked before."""
        if self._sensitivity.total is not None:
            closed: Floats = self._sensitivity.total(np.array([t + 1], dtype=np.int64))[0]
            return closed
        last = max(done for done in self._sums if done <= t)
        sums = self._sums[last]
        length = max(1, min(64, 2**18 // self._profiles))
        for start in range(last + 1, t + 1, length):
            distances = np.arange(start, min(start + length, t + 1))
            for distance, row in zip(distances.tolist(), self._sensitivity.by_profile(distances), strict=True):
                sums = sums + row
                if not distance & (distance + 1):
                    self._sums[distance] = sums
        self._keep(t, sums)
        return sums

    def _keep(self, t: int, sums: Floats) -> None:
        """Keep the sums at this distance, and of those before it the few that were asked last."""
        self._sums.pop(t, None)
        self._sums[t] = sums
        passing = [done for done in self._sums if done & (done + 1)]
        if len(passing) > _MOST_KEPT:
            del self._sums[passing[0]]


def count_equal(
    points: Sequence[NDArray[Any]], queries: Sequence[NDArray[Any]], weights: Integers | None = None
) -> Integers:
    """Return for every query the weight of the points that equal it in every coordinate, shape (R',).

    >>> count_equal([np.array([1, 1, 2])], [np.array([1, 3])])
    array([2, 0])
    """
    size = len(points[0])
    first, codes, _ = group_alike([np.concatenate(pair) for pair in zip(points, queries, strict=True)])
    here = np.ones(size) if weights is None else weights
    counts = np.bincount(codes[:size], here, first.size).astype(np.int64)
    return np.asarray(counts[codes[size:]])


def group_alike(columns: Sequence[NDArray[Any]]) -> tuple[NDArray[np.intp], NDArray[np.intp], Integers]:
    """Group positions that are alike in every column: one of each group, the group of each, and their sizes."""
    code = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        kinds, own = np.unique(column, return_inverse=True)
        code = np.unique(code * kinds.size + own.ravel(), return_inverse=True)[1].ravel()
    _, first, counts = np.unique(code, return_index=True, return_counts=True)
    return first, code.astype(np.intp), counts.astype(np.int64)


def _clip(values: NDArray[Any]) -> NDArray[Any]:
    """Return integers within the public clip, which moves nothing further apart, so that sums stay in 64 bits."""
    return np.clip(values, -TICK_CLIP, TICK_CLIP) if values.dtype.kind == "i" else values

"""Sensitivities of pairs of neighbours, by how many neighbours a node shares with any other.

    delta(G, t, v) = min(max(d(v) + t, (C(v) + t) (C(v) + t - 1) / 4), B(D - 1))

and the refined one, which also knows how the shared pairs are connected already: see ``ego_betweenness.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.scores.sensitivity import Floats, Sensitivity, profiles
from dpselect.utilities.overlaps import UNIT, Integers, Losses

# From this distance on the refined bound is the plain one: a public number.
DISTANCES = 64
_EVERY = slice(None)


def by_overlap(
    degrees: Integers, overlaps: Callable[[], Integers], max_degree: int, pair: int = 1, share: int = 4
) -> Sensitivity:
    """Return min(max(pair (d + t), (C + t) (C + t - 1) / share), its value at d = C = D - 1): one row per (d, C).

    Args:
        overlaps: returns C of every node; called when a mechanism reads the sensitivity.
        pair: how much one open pair counts at most.
        share: one new path costs an open pair at most 2 / share.
    """

    @cache
    def known() -> tuple[Any, Any]:
        distinct, profile = np.unique(np.stack((degrees, overlaps())), axis=1, return_inverse=True)
        return distinct, profile.ravel()

    def some(t: NDArray[np.int64], only: NDArray[np.intp] | None) -> Floats:
        at = _EVERY if only is None else only
        degree, overlap = known()[0]
        return _plain(degree[at], overlap[at], t, pair, share)

    most = np.array([max_degree - 1])
    ceiling = _plain(most, most, np.zeros(1, dtype=np.int64), pair, share)[0, 0]
    return profiles(
        lambda t: some(t, None),
        profile=lambda: known()[1],
        ceiling=float(ceiling),
        reach=max_degree - 1,
        some=some,
        size=degrees.size,
    )


def refined_sensitivity(degrees: Integers, shared: Callable[[], Losses], max_degree: int) -> Sensitivity:
    """Return the refined sensitivity of ego betweenness: one row for nodes that agree in all statistics.

    Args:
        shared: returns what edges cost each node; called when a mechanism reads the sensitivity.
    """

    @cache
    def known() -> tuple[Any, Any, Any, Any]:
        losses = shared()
        keys = np.stack((degrees, losses.overlap, losses.missing, losses.row))
        distinct, profile = np.unique(keys, axis=1, return_inverse=True)
        degree, _, missing, _ = distinct
        # At most this much is won by a new neighbour, or lost by an edge between two.
        near = np.maximum(missing, np.minimum(missing + 1, degree / 2))
        return distinct, profile.ravel(), near, losses.loss.T

    def some(t: NDArray[np.int64], only: NDArray[np.intp] | None) -> Floats:
        at = _EVERY if only is None else only
        (degree, overlap, _, row), _, near, loss = known()
        values = _plain(degree[at], overlap[at], t, 1, 4)
        for i in np.flatnonzero(t < len(loss)).tolist():
            s = int(t[i])
            # Multiples of 2^-24 below 2^53 of them: exact.
            lost = loss[s, row[at]] * UNIT + (2 * s * overlap[at] + s * (s - 1)) / 4
            values[i] = np.maximum(near[at] + s, lost)
        return values

    most = max_degree - 1
    return profiles(
        lambda t: some(t, None),
        profile=lambda: known()[1],
        ceiling=max(most, most * (most - 1) / 4),
        reach=most,
        some=some,
        size=degrees.size,
    )


def _plain(degree: Integers, overlap: Integers, t: NDArray[np.int64], pair: int, share: int) -> Floats:
    """Return max(pair (d + t), (C + t) (C + t - 1) / share), shape (distances, nodes)."""
    shared = overlap + t[:, None]
    values: Floats = np.maximum(pair * (degree + t[:, None]), shared * (shared - 1) / share)
    return values

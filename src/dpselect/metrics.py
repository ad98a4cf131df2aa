"""How good a choice was, on public data: coverage of a set of choices, recall, hypervolume."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def coverage(better: ArrayLike, worse: ArrayLike) -> float:
    """Return C(X', X''): the share of ``worse`` that some point of ``better`` matches or beats in every objective.

    Args:
        better, worse: points, shape (points, objectives), larger is better.

    Raises:
        ValueError: no points, or different numbers of objectives.

    References: Zitzler and Thiele 1999; Farias et al. 2024, section 6.3.

    >>> coverage([[2, 2]], [[1, 2], [3, 0]])
    0.5
    """
    above, below = _points(better), _points(worse)
    if above.shape[1] != below.shape[1]:
        raise ValueError("Both sets need the same objectives: pass shape (points, objectives).")
    beaten = (above[:, None, :] >= below[None, :, :]).all(axis=2).any(axis=0)
    return float(beaten.mean())


def recall(found: Collection[Any], true: Collection[Any]) -> float:
    """Return the share of the true candidates among those found.

    Raises:
        ValueError: no true candidate.

    >>> recall(["ann", "bob"], ["ann", "eve"])
    0.5
    """
    if not len(true):
        raise ValueError("recall needs at least one true candidate.")
    return len(set(found) & set(true)) / len(set(true))


def hypervolume(points: ArrayLike, reference: ArrayLike) -> float:
    """Return the volume that points dominate above a reference point, larger being better.

    Raises:
        ImportError: moocore is not installed.
        ValueError: no points, or a reference of another length.

    >>> hypervolume([[2.0, 1.0], [1.0, 3.0]], [0.0, 0.0])
    4.0
    """
    above, floor = _points(points), np.asarray(reference, dtype=np.float64)
    if floor.shape != (above.shape[1],):
        raise ValueError("reference needs one number an objective.")
    try:
        import moocore
    except ImportError:
        raise ImportError('hypervolume needs moocore: python -m pip install "dpselect[objectives]".') from None
    return float(moocore.hypervolume(above, ref=floor, maximise=True))


def _points(given: ArrayLike) -> Any:
    points = np.asarray(given, dtype=np.float64)
    if points.ndim != 2 or not points.size:
        raise ValueError("Points have shape (points, objectives): pass at least one.")
    return points

"""Quality of a choice on public data: coverage of a set of choices, recall, hypervolume."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect._optional import not_installed
from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.release.release import Release
from dpselect.scores.objectives import list_objectives
from dpselect.scores.scores import Scores


def coverage(better: ArrayLike, worse: ArrayLike, *, strict: bool = False) -> float:
    """Return C(X', X''): the share of ``worse`` that some point of ``better`` matches or beats in every objective.

    As published, a choice that equals the true one counts as covered. With ``strict`` it does not, and 0 is the value
    of a choice that nothing beats.

    Args:
        better, worse: finite points, shape (points, objectives), larger is better.
        strict: count only points that are matched in every objective and beaten in at least one.

    Raises:
        ValueError, TypeError: no points, no finite numbers, or different numbers of objectives.

    References: Zitzler and Thiele 1999; Farias et al. 2024, section 6.3.

    >>> coverage([[2, 2]], [[1, 2], [3, 0]])
    0.5
    >>> coverage([[2, 2]], [[2, 2]]), coverage([[2, 2]], [[2, 2]], strict=True)
    (1.0, 0.0)
    """
    above, below = _points(better, "better"), _points(worse, "worse")
    if above.shape[1] != below.shape[1]:
        raise InputError("Both sets need the same objectives: pass shape (points, objectives).")
    beaten = (above[:, None, :] >= below[None, :, :]).all(axis=2)
    if strict:
        beaten &= (above[:, None, :] > below[None, :, :]).any(axis=2)
    return float(beaten.any(axis=0).mean())


def front(objectives: Iterable[Scores]) -> list[Any]:
    """Return the candidates of the Pareto front, in their order: no other is as good in all and better in one.

    Candidates that are equal in every objective are on it together; each counts the others in its ``pareto`` score,
    which is then below 0. The front is private where the scores are: look at it on public data only.

    Args:
        objectives: a list of scores of the same candidates; ``-scores`` to minimise.

    Raises:
        ValueError, TypeError: as ``pareto``.

    >>> front([Scores([3, 1, 3, 2], 1), Scores([0, 5, 0, 0], 1)])
    [0, 1, 2]
    """
    parts = list_objectives(objectives, "front")
    names = parts[0].candidates
    return [_plain(names[position]) for position in np.flatnonzero(on_front(parts)).tolist()]


def on_front(parts: Sequence[Scores]) -> NDArray[np.bool_]:
    """Return which of the candidates of some objectives are on the Pareto front, shape (m,)."""
    # Ranks are exact, whatever kind of numbers they rank.
    ranks = np.stack([np.unique(part.values, return_inverse=True)[1].ravel() for part in parts], axis=1)
    points, which = np.unique(ranks, axis=0, return_inverse=True)
    alone = np.array([(points >= point).all(axis=1).sum() == 1 for point in points])
    return np.asarray(alone[which.ravel()])


def recall(found: Release[Any] | Iterable[Any], true: Release[Any] | Iterable[Any]) -> float:
    """Return the share of the true candidates among those found.

    Args:
        found, true: candidates, or a release, for its candidates.

    Raises:
        ValueError, TypeError: no true candidate, or what is not a list of candidates.

    >>> recall(["ann", "bob"], ["ann", "eve"])
    0.5
    """
    wanted = _candidates(true, "true")
    if not wanted:
        raise InputError("recall needs at least one true candidate.")
    return len(_candidates(found, "found") & wanted) / len(wanted)


def hypervolume(points: ArrayLike, reference: ArrayLike) -> float:
    """Return the volume that points dominate above a reference point, larger being better.

    Raises:
        ImportError: moocore is not installed.
        ValueError, TypeError: no points, no finite numbers, or a reference of another length.

    >>> hypervolume([[2.0, 1.0], [1.0, 3.0]], [0.0, 0.0])
    4.0
    """
    above, floor = _points(points, "points"), _numbers(reference, "reference")
    if floor.shape != (above.shape[1],):
        raise InputError(f"reference needs one number per objective: pass {above.shape[1]} of them.")
    try:
        import moocore
    except ImportError:
        raise not_installed("hypervolume needs moocore", "objectives") from None
    return float(moocore.hypervolume(above, ref=floor, maximise=True))


def _plain(candidate: Any) -> Any:
    return candidate.item() if isinstance(candidate, np.generic) else candidate


def _points(values: ArrayLike, name: str) -> NDArray[np.float64]:
    points = _numbers(values, name)
    if not points.size:
        raise InputError(f"{name} has no points: pass at least one, shape (points, objectives).")
    if points.ndim != 2:
        raise InputError(f"{name} has shape {points.shape}: pass shape (points, objectives), one row per point.")
    return points


def _numbers(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return finite numbers; a NaN would be beaten by nothing and beat nothing, without a word."""
    if isinstance(values, np.ma.MaskedArray):
        raise InputTypeError(f"{name} must not be masked: pass plain numbers.")
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(f"{name} has rows of different lengths: pass shape (points, objectives).") from None
    try:
        if array.dtype.kind not in "biufO" or any(isinstance(each, str) for each in array.ravel()):
            raise TypeError
        numbers = array.astype(np.float64)
    except (TypeError, ValueError):
        raise InputTypeError(f"{name} must be numbers: pass rows of numbers, one number per objective.") from None
    except OverflowError:
        numbers = np.array(np.inf)
    if not np.isfinite(numbers).all():
        raise InputError(f"{name} must be finite: pass neither NaN, None nor infinite values.")
    return numbers


def _candidates(named: Release[Any] | Iterable[Any], name: str) -> set[Any]:
    listed: Any = named if not isinstance(named, Release) else (named.value,) if named.single else named.value
    try:
        if isinstance(listed, (str, bytes, Mapping)):
            raise TypeError
        return set(listed)
    except TypeError:
        raise InputTypeError(f"{name} must be a list of plain candidates, such as names, or a Release.") from None

"""Scores of candidates, and the unit scores that samplers accept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.core.neighbours import Neighbours, neighbours
from dpselect.core.sensitivity import Sensitivity, constant

# Ticks a unit of a score that is not exact. Rounding costs a relative 2^-20 of epsilon, taken into the span.
TICKS = 2**20
# Public clips, so that no size of a private score is ever refused: clipping is 1-Lipschitz.
UNIT_CLIP = 2.0**30
TICK_CLIP = 2**61


class Scores:
    """The score of every candidate on one database, and how far one neighbour can move each.

    Larger is better, always. Candidates are public, and so is the *kind* of number: a utility must return
    integers on every database or floats on every database, because integers are handled exactly and floats
    by ticks. A list of integers is a list of integers whatever their size; beyond 2^61 they are clipped.

    Args:
        values: shape (m,), integers or floats, finite.
        sensitivity: a public number (the global sensitivity), or a :class:`Sensitivity`.
        candidates: what each position stands for, length m; ``None`` means 0 .. m-1.
        neighbours: ``"add-remove"``, ``"substitution"``, ``"edge"`` or ``"family"``.
        range_bound: 1 when one added record moves every score in the same direction, else 2.
        distance: for each candidate the number of changes that would make it best, shape (m,), if known.
        facts: where the data came from, recorded with every spend; nothing private.

    Raises:
        ValueError: no values, NaN or infinite values, shapes that differ, an unknown relation.
        TypeError: values that are not real numbers; candidates that are no list or array of plain values.

    >>> Scores([3, 1, 4], sensitivity=1, candidates=["a", "b", "c"])
    Scores(candidates=3, neighbours='add-remove', range_bound=2)
    """

    def __init__(
        self,
        values: ArrayLike,
        sensitivity: float | Fraction | Sensitivity,
        candidates: Sequence[Any] | NDArray[Any] | None = None,
        neighbours: str = "add-remove",
        range_bound: int = 2,
        distance: ArrayLike | None = None,
        facts: Mapping[str, str] | None = None,
    ) -> None:
        self.facts: Mapping[str, str] = dict(facts or {})
        self.values = _numbers(values)
        size = self.values.size
        if not isinstance(sensitivity, Sensitivity):
            sensitivity = constant(sensitivity)
        if isinstance(range_bound, bool) or range_bound not in (1, 2):
            raise ValueError("range_bound is 1 (all scores move the same way) or 2.")
        self.candidates = range(size) if candidates is None else _distinct(candidates, size)
        self.sensitivity = sensitivity.over(size)
        self.neighbours: Neighbours = _relation(neighbours)
        self.range_bound = range_bound
        self.distance = None if distance is None else _distances(distance, size)

    def __len__(self) -> int:
        return int(self.values.size)

    def __neg__(self) -> Scores:
        """Return the scores with the order reversed: minimise instead of maximise."""
        values = np.maximum(self.values, -TICK_CLIP) if self.values.dtype.kind == "i" else self.values
        return Scores(
            -values, self.sensitivity, self.candidates, self.neighbours.value, self.range_bound, facts=self.facts
        )

    def __repr__(self) -> str:
        return f"Scores(candidates={len(self)}, neighbours={self.neighbours.value!r}, range_bound={self.range_bound})"


@dataclass(frozen=True, repr=False, eq=False)
class UnitScores:
    """Integer scores of which one neighbour moves each by at most ``per_unit`` ticks, rounding aside.

    The coin of candidate r is Bernoulli(exp(-epsilon (max ticks - ticks_r) / span)). For exact scores the
    span is range_bound * per_unit; otherwise it is range_bound * per_unit + 2, which pays for the rounding
    of the score (half a tick at most) and for the floor.

    Attributes:
        ticks: shape (m,), int64.
        per_unit: ticks in one unit.
        span: the most by which one neighbour can move the gap between two candidates, in ticks.
        range_bound: 1 or 2.
    """

    ticks: NDArray[np.int64]
    per_unit: Fraction
    span: Fraction
    range_bound: int

    def rate(self, epsilon: Fraction) -> Fraction:
        """Return epsilon / span: what a gap of one tick costs in the exponent."""
        return epsilon / self.span

    def __len__(self) -> int:
        return int(self.ticks.size)

    def __repr__(self) -> str:
        return (
            f"UnitScores(candidates={len(self)}, per_unit={self.per_unit}, "
            f"span={self.span}, range_bound={self.range_bound})"
        )


@dataclass(frozen=True, repr=False, eq=False)
class SmoothScores:
    """Scores in units of noise whose scale moves with the database: u / (c S), floored to ticks of 2^-30.

    They are no unit scores, because S moves too; only heavy-tailed noise with a dilation bound may be added, and
    its draws are idealised.

    Attributes:
        ticks: shape (m,), int64.
        rate: what one tick is worth, in units of noise.
    """

    ticks: NDArray[np.int64]
    rate: Fraction = Fraction(1, 2**30)

    def __len__(self) -> int:
        return int(self.ticks.size)

    def __repr__(self) -> str:
        return f"SmoothScores(candidates={len(self)})"


def smooth_ticks(values: NDArray[np.int64] | NDArray[np.float64], scale: float) -> SmoothScores:
    """Return scores over a private scale > 0, measured from the best; sizes beyond 2^30 units are clipped."""
    with np.errstate(over="ignore"):
        behind = np.minimum((values.max() - values) / scale, UNIT_CLIP)
    return SmoothScores(-np.ceil(behind * 2**30).astype(np.int64))


def exact_ticks(values: NDArray[np.int64], per_unit: Fraction, range_bound: int) -> UnitScores:
    """Return integer scores as they are: no rounding, no margin; sizes beyond 2^61 are clipped."""
    ticks = np.clip(values, -TICK_CLIP, TICK_CLIP)
    return UnitScores(ticks, per_unit, range_bound * per_unit, range_bound)


def floor_ticks(units: NDArray[np.float64], range_bound: int) -> UnitScores:
    """Return unit scores floored to ticks of 2^-20, with a span of range_bound * 2^20 + 2.

    ``units`` must be within half a tick of the true score; infinities are clipped, NaN is a programming
    error. Why the margin is 2: each database adds half a tick of error, and a floor less than one, so an
    integer move lies strictly within 2 ticks of the true one, hence within [-T-1, T+1].
    """
    clipped = np.clip(units, -UNIT_CLIP, UNIT_CLIP)
    clipped *= TICKS
    ticks = np.floor(clipped, out=clipped).astype(np.int64)
    return UnitScores(ticks, Fraction(TICKS), Fraction(range_bound * TICKS + 2), range_bound)


def _numbers(values: ArrayLike) -> NDArray[np.int64] | NDArray[np.float64]:
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError("Scores must not be masked: pass plain arrays, with a public value for what is missing.")
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError("Scores need at least one candidate: pass values of shape (m,), m >= 1.") from None
    if array.ndim != 1 or not array.size:
        raise ValueError("Scores need at least one candidate: pass values of shape (m,), m >= 1.")
    if array.dtype == object:
        array = _unboxed(array)
    elif not hasattr(values, "dtype") and array.dtype.kind in "iuf":
        # The sizes in a list, which are private, must not decide which kind of number it becomes.
        array = _as_listed(values, array)
    if array.dtype.kind in "bi":
        return _read_only(array.astype(np.int64, copy=False))
    if array.dtype.kind == "u":
        return _read_only(np.minimum(array, np.uint64(TICK_CLIP)).astype(np.int64))
    if array.dtype.kind != "f":
        raise TypeError("Scores must be real numbers: pass integers or floats.")
    floats = array.astype(np.float64, copy=False)
    if not np.isfinite(floats).all():
        raise ValueError("Scores must be finite: the utility gave NaN or an infinite value.")
    return _read_only(floats)


def _as_listed(values: Any, array: NDArray[Any]) -> NDArray[Any]:
    """Return what NumPy made of a list, with integers clipped whatever type it found for them."""
    if array.dtype.kind == "i":
        return np.asarray(np.clip(array, -TICK_CLIP, TICK_CLIP))
    if all(isinstance(value, (int, np.integer)) for value in values):
        return _unboxed(np.array(list(values), dtype=object))
    return array


def _unboxed(array: NDArray[Any]) -> NDArray[Any]:
    """Turn Python numbers into an array; integers beyond 64 bits are clipped, not sent through floats."""
    if all(isinstance(value, (int, np.integer)) for value in array):
        return np.array([max(-TICK_CLIP, min(TICK_CLIP, int(value))) for value in array], dtype=np.int64)
    try:
        return np.array([float(value) for value in array])
    except (TypeError, ValueError, OverflowError):
        raise TypeError("Scores must be real numbers: pass integers or floats.") from None


def _distinct(candidates: Any, size: int) -> Sequence[Any] | NDArray[Any]:
    """Return the candidates, one a score and each once, so that nothing can go wrong after a draw."""
    if isinstance(candidates, (str, bytes)) or not isinstance(candidates, (Sequence, np.ndarray)):
        raise TypeError("candidates must be a list, tuple, range or array, in the order of the scores.")
    if isinstance(candidates, np.ndarray) and candidates.ndim != 1:
        raise TypeError("candidates must be one-dimensional: pass shape (m,).")
    if len(candidates) != size:
        raise ValueError(f"There are {len(candidates)} candidates and {size} scores: pass one score a candidate.")
    if not isinstance(candidates, range):
        try:
            kinds = len(np.unique(candidates) if isinstance(candidates, np.ndarray) else set(candidates))
        except TypeError:
            raise TypeError("candidates must be plain values that can be compared, such as text or numbers.") from None
        if kinds != size:
            raise ValueError("Some candidates are listed twice: pass each public candidate once.")
    return candidates


def _distances(distance: ArrayLike, size: int) -> NDArray[np.int64]:
    array = np.asarray(distance)
    if array.shape != (size,) or array.dtype.kind not in "iu" or (array < 0).any():
        raise ValueError("distance counts changes: pass one integer >= 0 a candidate.")
    return _read_only(array.astype(np.int64))


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


_relation = neighbours  # the parameter of the same name hides the function inside Scores

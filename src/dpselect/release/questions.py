"""Questions that are ready to be drawn: integers, an exact rate, and a price; all else was refused before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.bound import Bound
from dpselect.kernel.errors import InputError, InputTypeError
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.units import TICK_CLIP, floor_ticks
from dpselect.mechanisms.base import Mechanism, UnitMechanism
from dpselect.mechanisms.sampler import PERMUTE_AND_FLIP, Sampler
from dpselect.scores.scores import Scores

Integers = NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class Question:
    """A selection: what is drawn, and what one winner costs and is promised.

    Attributes:
        sampler, ticks, rate: what is drawn.
        guarantee: of one winner.
        once: whether several winners may be drawn in one pass: unit scores, by permute-and-flip.
    """

    sampler: Sampler
    ticks: Integers
    rate: Fraction
    guarantee: Guarantee
    once: bool = False


def question(scores: Scores, share: Fraction, mechanism: Mechanism) -> Question:
    """Return a question at this epsilon for each winner, or refuse what has no guarantee or lacks a public fact."""
    guarantee = mechanism.guarantee(scores, share)
    ticks, rate = mechanism.quantize(scores, share)
    return Question(mechanism.sampler, ticks, rate, guarantee, flips_units(mechanism))


def flips_units(mechanism: Mechanism) -> bool:
    """Return whether a mechanism draws from unit scores by permute-and-flip, so that lists can be drawn in one pass."""
    return isinstance(mechanism, UnitMechanism) and mechanism.sampler.name == PERMUTE_AND_FLIP.name


def row_ticks(values: NDArray[np.float64] | Integers, epsilon: Fraction, bound: Bound) -> tuple[Integers, Fraction]:
    """Return ticks of rows of monotone scores and what a tick is multiplied by; integers are exact."""
    if values.dtype.kind == "i":
        return countable(values), epsilon / bound.total
    if np.isnan(values).any():
        raise InputError("Scores must not be NaN: give every candidate of every row a number.")
    unit = floor_ticks(values.ravel() / float(bound.total), range_bound=1)
    return unit.ticks.reshape(values.shape), unit.rate(epsilon)


def require_alike(asked: Sequence[Question], which: Integers) -> Sampler:
    """Return the one sampler of questions that parts ask by their positions (``ValueError``)."""
    samplers, shapes = {each.sampler for each in asked}, {each.ticks.shape for each in asked}
    if len(samplers) != 1 or len(shapes) != 1 or which.size == 0 or not 0 <= which.min() <= which.max() < len(asked):
        raise InputError("Parts ask questions of one mechanism, among as many candidates each, by their positions.")
    return samplers.pop()


def require_valid(valid: Any, shape: tuple[int, ...]) -> None:
    """Refuse public masks that do not leave every row of scores a candidate (``ValueError``)."""
    fits = isinstance(valid, np.ndarray) and valid.dtype.kind == "b" and valid.ndim == 2 and valid.shape == shape
    if not fits or not valid.any(axis=1).all():
        raise InputError("valid must say of every candidate of every row whether it may win, and one in each row may.")


def countable(values: Any) -> Integers:
    """Return integers of 64 bits, to which noise can be added; clipping moves no two of them further apart.

    Raises:
        TypeError: values that are not integers, or have a mask.
    """
    if isinstance(values, np.ma.MaskedArray):
        raise InputTypeError(
            "What a mask hides would be counted: pass an array without a mask, such as values.filled(0)."
        )
    array = np.asarray(values)
    if array.dtype.kind in "fO":
        # NumPy has no integers of more than 64 bits: lists of Python's become floats or objects.
        array = _clip_integers(np.asarray(values, dtype=object))
    if array.dtype.kind == "u":
        return np.asarray(np.minimum(array, np.uint64(TICK_CLIP)).astype(np.int64))
    if array.dtype.kind not in "ib":
        raise InputTypeError("Only integers get exact noise: pass an array of integers.")
    return np.asarray(np.clip(array.astype(np.int64), -TICK_CLIP, TICK_CLIP))


def _clip_integers(values: NDArray[np.object_]) -> NDArray[Any]:
    """Return integers of any length clipped; what holds anything else, or nothing, stays."""
    if not values.size or not all(isinstance(each, (int, np.integer)) for each in values.flat):
        return values
    return np.array([min(max(int(each), -TICK_CLIP), TICK_CLIP) for each in values.flat]).reshape(values.shape)


def require_count(k: Any, most: int | None = None) -> int:
    """Return how many candidates to name, from 1 to as many as there are (``ValueError``)."""
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise InputError("k must be an integer of at least 1: how many candidates to name.")
    if most is not None and k > most:
        raise InputError(f"k is {k} and there are {most} candidates: ask for at most that many.")
    return int(k)

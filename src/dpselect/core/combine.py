"""Several objectives at once: scores of the same candidates made into one score.

``aggregate`` weighs them; ``pareto`` counts how many others are at least as good in every objective. Both carry their
composed sensitivities, so that every mechanism follows: PrivAgg and PrivPareto are these scores with local dampening
(``sensitivity="local"``) or the exponential mechanism (``"global"``).

References: Farias et al. 2024, Definitions 4.1 to 4.6. Erratum: max(lost, new dominators) is not admissible; the
sensitivity here is the tighter max(lost(t-1) + new(t), lost(t) + new(t-1)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.core.dominance import count_above
from dpselect.core.mechanism import require_scores
from dpselect.core.scores import Scores
from dpselect.core.sensitivity import Floats, Sensitivity, constant, profiles

Integers = NDArray[np.int64]
# Running sums of sensitivities are rounded upwards by this; points and queries by one more step.
_UP = 1 + 2.0**-44


def aggregate(
    parts: Sequence[Scores], weights: ArrayLike | None = None, *, touched: str = "all", sensitivity: str = "local"
) -> Scores:
    """Return the weighted sum of several scores.

    Its sensitivity is sum |w_i| delta_i, or max |w_i| delta_i with ``touched="one"``; ceilings and reaches follow.
    Integers with integer weights stay exact. Range bound 2.

    Args:
        parts: scores of the same candidates and neighbours, larger is better; ``-scores`` to minimise.
        weights: one number each, not all zero; 1 each when left out.
        touched: ``"one"`` declares that one record can touch only one of the objectives (true and false positive
            rates under add-remove); ``"all"`` otherwise.
        sensitivity: ``"local"``, or ``"global"`` for the ceilings alone.

    Raises:
        ValueError, TypeError: no objective, other candidates or neighbours, bad weights.

    >>> a, b = Scores([3, 1], sensitivity=1), Scores([0, 5], sensitivity=2)
    >>> both = aggregate([a, b], weights=[1, 100])
    >>> both.values, both.sensitivity.ceiling
    (array([  3, 501]), 201.0)
    """
    first = _same(parts)
    given = np.ones(len(parts), dtype=np.int64) if weights is None else np.asarray(weights)
    if given.shape != (len(parts),) or given.dtype.kind not in "iuf" or not np.isfinite(given).all():
        raise ValueError("weights must be one finite number an objective.")
    if not given.any():
        raise ValueError("The weights are all zero, so every candidate is alike: pass at least one that is not.")
    if touched not in ("all", "one"):
        raise ValueError('touched is "all" or "one": how many objectives one record can touch.')
    used = [(weight, part) for weight, part in zip(given.tolist(), parts, strict=True) if weight]
    values: Any = sum(weight * part.values for weight, part in used)
    size = [abs(weight) for weight, _ in used]
    join = sum if touched == "all" else max
    return Scores(
        values,
        _joined([part.sensitivity for _, part in used], size, join, _local(sensitivity)),
        candidates=first.candidates,
        neighbours=first.neighbours.value,
    )


def pareto(parts: Sequence[Scores], *, sensitivity: str = "local") -> Scores:
    """Return minus the number of other candidates that are at least as good in every objective, exact integers.

    Of equal candidates each counts the others. Ceiling R - 1 for R candidates; reach unknown. Range bound 2. In top-k
    the score is taken once over all candidates.

    Args:
        parts: scores of the same candidates and neighbours, larger is better; ``-scores`` to minimise.
        sensitivity: ``"local"``, or ``"global"`` for the constant R - 1.

    Raises:
        ValueError, TypeError: no objective, other candidates or neighbours, fewer than two candidates.

    >>> a, b = Scores([3, 1, 2], sensitivity=1), Scores([0, 5, -1], sensitivity=1)
    >>> pareto([a, b]).values
    array([ 0,  0, -1])
    """
    first = _same(parts)
    if len(first) < 2:
        raise ValueError("A Pareto score needs at least two candidates.")
    values = np.stack([part.values.astype(np.float64) for part in parts])
    dominators = count_above(values, values) - 1
    if _local(sensitivity):
        spread = _Spread(parts, values, dominators)
        bound = profiles(spread.rows, profile=np.arange(len(first)), ceiling=len(first) - 1)
    else:
        bound = constant(len(first) - 1)
    return Scores(-dominators, bound, candidates=first.candidates, neighbours=first.neighbours.value)


class _Spread:
    """The Pareto sensitivity: how many dominators can be lost or won within t steps, from two counts a distance."""

    def __init__(self, parts: Sequence[Scores], values: Floats, dominators: Integers) -> None:
        self._parts, self._values, self._dominators = parts, values, dominators
        whole = all(part.values.dtype.kind == "i" for part in parts) and np.abs(values).max(initial=0) < 2.0**50
        self._whole = whole
        self._reached: tuple[int, Floats] = (-1, np.zeros(values.shape))
        self._known: dict[int, tuple[Integers, Integers]] = {-1: (np.zeros_like(dominators), np.zeros_like(dominators))}

    def rows(self, t: Integers) -> Floats:
        """Return the sensitivity at distances t, shape (k, R)."""
        out = np.empty((t.size, self._dominators.size))
        for place, step in enumerate(t.tolist()):
            lost, won = self._at(step)
            lost_before, won_before = self._at(step - 1)
            out[place] = np.maximum(lost_before + won, lost + won_before)
        return out

    def _at(self, t: int) -> tuple[Integers, Integers]:
        """Return how many dominators may be lost and won within t + 1 steps."""
        if t not in self._known:
            spread = self._sums(t)
            up, down = self._values + spread, self._values - spread
            if not (self._whole and (spread == np.floor(spread)).all()):
                up, down = np.nextafter(up, math.inf), np.nextafter(down, -math.inf)
            possible = count_above(up, down) - 1
            # A candidate that cannot move counts itself among those that are certainly as good.
            certain = count_above(down, up) - (down == up).all(axis=0)
            if len(self._known) > 8:
                self._known = {-1: self._known[-1], **{k: v for k, v in self._known.items() if k >= t - 2}}
            lost = np.maximum(self._dominators - certain, 0)
            won = np.maximum(possible - self._dominators, 0)
            self._known[t] = (lost, won)
        return self._known[t]

    def _sums(self, t: int) -> Floats:
        """Return S_i(r) = sum of delta_i(j, r) over j <= t, rounded upwards unless exact."""
        last, total = self._reached
        if last > t:
            last, total = -1, np.zeros(self._values.shape)
        for start in range(last + 1, t + 1, 64):
            steps = np.arange(start, min(start + 64, t + 1))
            more = np.stack([part.sensitivity.at(steps).sum(axis=0) for part in self._parts])
            exact = self._whole and (more == np.floor(more)).all()
            total = np.asarray(total + more if exact else (total + more) * _UP)
        self._reached = (t, total)
        return total


def _same(parts: Sequence[Scores]) -> Scores:
    """Return the first of several scores of the same candidates, or say what differs."""
    if not isinstance(parts, Sequence) or not parts:
        raise ValueError("There is no objective: pass a list of Scores.")
    first = require_scores(parts[0])
    for other in parts[1:]:
        require_scores(other)
        if len(other) != len(first) or not np.array_equal(np.asarray(other.candidates), np.asarray(first.candidates)):
            raise ValueError("The objectives score different candidates: score the same public list in each.")
        if other.neighbours is not first.neighbours:
            raise ValueError("The objectives protect different neighbours: use one relation for all.")
    return first


def _local(sensitivity: str) -> bool:
    if sensitivity not in ("local", "global"):
        raise ValueError('sensitivity is "local" or "global".')
    return sensitivity == "local"


def _joined(parts: list[Sensitivity], weights: list[float], join: Any, local: bool) -> Sensitivity:
    ceiling = join(weight * part.ceiling for weight, part in zip(weights, parts, strict=True))
    if (not local and math.isfinite(ceiling)) or all(part.fixed for part in parts):
        return constant(ceiling * (1 if float(ceiling).is_integer() else _UP))
    reaches = [part.reach for part in parts]
    reach = None if any(each is None for each in reaches) else max(each for each in reaches if each is not None)
    whole = all(isinstance(weight, int) for weight in weights)

    def rows(t: Integers) -> Floats:
        shaped = [weight * part.at(t) for weight, part in zip(weights, parts, strict=True)]
        out = np.asarray(sum(shaped) if join is sum else np.maximum.reduce(shaped))
        return out if whole else out * _UP

    finite = math.isfinite(ceiling)
    return profiles(
        rows,
        profile=None if parts[0].size is None else np.arange(parts[0].size),
        ceiling=ceiling * (1 if whole else _UP) if finite else None,
        reach=reach if finite else None,
    )

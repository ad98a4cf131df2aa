"""Scores of a database that was made from another: one step there may be several steps here.

delta'(t) = delta(m t) + delta(m t + 1) + .. + delta(m t + m - 1), m the most steps. Proof: ``several_steps.md``.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np
from numpy.typing import NDArray

from dpselect.kernel.errors import InputError
from dpselect.scores.public_bound import upwards
from dpselect.scores.scores import Scores
from dpselect.scores.sensitivity import Floats, Rows, Sensitivity, constant, profiles


def of_several_steps(scores: Scores, steps: int) -> Scores:
    """Return these scores with the sensitivity of data of which one step moves what was scored by up to ``steps``.

    Args:
        scores: of the database that was made.
        steps: a public number, proved for how it was made.

    Raises:
        ValueError: ``steps`` is below 1; scores with distances, or of which only a smooth bound is known.

    >>> of_several_steps(Scores([3.0, 1.0], sensitivity=2), 3).sensitivity.ceiling
    6.0
    """
    if isinstance(steps, bool) or not isinstance(steps, (int, np.integer)) or steps < 1:
        raise InputError("steps counts steps: pass an integer >= 1.")
    if scores.distance is not None or scores.sensitivity.smoothed is not None:
        raise InputError("Scores with distances or a smooth bound alone do not say how they move after several steps.")
    # Several steps of scores that move within one interval move them within one as many times as long.
    kept = steps == 1 or (scores.sensitivity.fixed and scores.values.dtype.kind == "i")
    made = Scores(
        scores.values,
        scores.sensitivity if steps == 1 else sum_steps(scores.sensitivity, int(steps)),
        scores.candidates,
        scores.neighbours.value,
        scores.range_bound if kept else 2,
        metadata=scores.metadata,
        zero=scores.zero,
    )
    # Of several steps one may go up and another down.
    made.direction = scores.direction if steps == 1 else 0
    return made


def sum_steps(sensitivity: Sensitivity, steps: int) -> Sensitivity:
    """Return the sums of ``steps`` values each: admissible where one step is up to as many of the argument's."""
    if sensitivity.bounds is not None:
        return constant([upwards(steps * Fraction(bound)) for bound in sensitivity.bounds.tolist()])
    most = inf if sensitivity.ceiling == inf else upwards(steps * Fraction(sensitivity.ceiling))
    if sensitivity.fixed:
        return constant(most)
    within = np.arange(steps)

    def rows(t: NDArray[np.int64], only: NDArray[np.intp] | None = None) -> Floats:
        values = sensitivity.by_profile((steps * t[:, None] + within).ravel(), only)
        sums: Floats = values.reshape(t.size, steps, values.shape[1]).sum(axis=1)
        return sums

    reach = None if sensitivity.reach is None else -(-sensitivity.reach // steps)
    return profiles(
        rows,
        profile=sensitivity.profile,
        ceiling=None if most == inf else most,
        reach=reach,
        total=_total(sensitivity, steps),
        some=rows if sensitivity.some is not None else None,
    )


def _total(sensitivity: Sensitivity, steps: int) -> Rows | None:
    """Return sums in closed form where there are some: of the ceiling from the reach on, as the values are."""
    closed, reach = sensitivity.total, sensitivity.reach
    if closed is None or reach is None:
        return None

    def total(t: NDArray[np.int64]) -> Floats:
        below = np.minimum(steps * t, reach)
        sums: Floats = closed(below) + (steps * t - below)[:, None] * sensitivity.ceiling
        return sums

    return total

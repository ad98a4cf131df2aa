"""The budgets at which the theses' own programs measure: a grid on which their savings are whole steps."""

from __future__ import annotations

import math

_STEPS, _DECADES = 29, 3
# Thirty budgets from 0.1 to 100, even in logarithms.
AUTHORS_GRID = tuple(10 ** (-1 + _DECADES * step / _STEPS) for step in range(_STEPS + 1))


def steps(less: float, more: float) -> float:
    """Return by how many steps of the grid one budget is below another.

    >>> round(steps(AUTHORS_GRID[2], AUTHORS_GRID[7]), 6)
    5.0
    """
    return math.log10(more / less) * _STEPS / _DECADES


def saved(number: float) -> float:
    """Return the per cent of a budget that so many steps of the grid save.

    >>> [round(saved(number)) for number in (3, 5, 6, 8)]
    [51, 70, 76, 85]
    """
    return float(100 * (1 - 10 ** (-_DECADES * number / _STEPS)))


def steps_of(percent: float) -> int:
    """Return how many steps of the grid a printed saving in per cent is.

    >>> steps_of(69)
    5
    """
    return round(-math.log10(1 - percent / 100) * _STEPS / _DECADES)

"""Public grids and percentages, and the histograms that the percentiles read."""

from __future__ import annotations

import decimal
import numbers
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import PrivacyError
from dpselect.sources.warehouse import is_expression
from dpselect.views import Column, StoredColumn
from dpselect.views.column import Numbers, public_points

# Keeps the products of a share and up to 4 * 10^10 records within 64 bits; beyond, Python's integers are used.
_FINEST = 10**8


def records(values: ArrayLike | Column, lower: Any, upper: Any) -> Numbers:
    """Return the numbers of a column within public bounds, shape (n,): int64 for integer bounds, else float64.

    Raises:
        TypeError, ValueError: as :class:`Column`, and records of an engine, which stay there.
    """
    made = histogram(values, "integer" if isinstance(lower, int) else "real")
    if isinstance(made, StoredColumn):
        raise TypeError(
            "This names records, and those of a warehouse stay there: choose the median value by "
            "percentile_rank(values, 50, grid=...), or pass the numbers."
        )
    return made.between(lower, upper)


def public_grid(grid: ArrayLike | None) -> Numbers:
    """Return the public grid, strictly increasing, at least 2 values.

    Raises:
        PrivacyError: no grid.
        TypeError, ValueError: not numbers, fewer than 2 values, not strictly increasing, or not finite.
    """
    if grid is None:
        raise PrivacyError(
            "The candidates must be public, and the values that happen to occur are private: pass grid=, the public "
            "list of values."
        )
    return public_points(grid)


def histogram(values: Any, kind: str) -> Column | StoredColumn:
    """Return what can count its values on a grid: a column in memory, or one in its engine (an Ibis column).

    Args:
        values: a column, or what makes one.
        kind: the public kind of the grid or the bounds, for what is not a column yet.

    Raises:
        TypeError, ValueError: as :class:`Column` and :class:`StoredColumn`.
    """
    if isinstance(values, (Column, StoredColumn)):
        return values
    return StoredColumn.of(values) if is_expression(values) else Column(values, kind=kind)


def counted(values: Any, grid: Numbers) -> tuple[NDArray[np.int64], Mapping[str, str]]:
    """Return how many records are nearest to each value of a public grid, and where they came from.

    Raises:
        TypeError, ValueError: as :func:`histogram`.
        ConnectionError: the engine failed.
    """
    made = histogram(values, "integer" if grid.dtype.kind == "i" else "real")
    return made.counts_on(grid), made.facts


def percent(p: Any) -> Fraction:
    """Return p / 100 as an exact fraction; a float is read as its decimal text.

    Raises:
        TypeError: not a number.
        ValueError: outside [0, 100), or finer than one part in 10^8.

    >>> percent(99.9), percent(Fraction(100, 3))
    (Fraction(999, 1000), Fraction(1, 3))
    """
    if isinstance(p, np.generic):
        p = p.item()
    if isinstance(p, bool) or not isinstance(p, (numbers.Real, decimal.Decimal)):
        raise TypeError("p must be a number: pass a percentage such as 50 or 99.9.")
    try:
        exact = Fraction(str(p)) / 100
    except ValueError:
        exact = Fraction(-1)
    if not 0 <= exact < 1:
        raise ValueError("p must be a percentage, 0 <= p < 100.")
    if exact.denominator > _FINEST:
        raise ValueError("p has too many digits: pass a percentage with at most 6 decimals.")
    return exact

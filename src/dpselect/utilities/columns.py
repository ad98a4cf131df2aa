"""Public grids, and the histograms that the percentiles read."""

from __future__ import annotations

import decimal
import math
import numbers
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpselect.kernel.errors import Advice, PrivacyError
from dpselect.sources.column_cells import INTEGER_CLIP
from dpselect.sources.warehouse import is_expression
from dpselect.views import Column, StoredColumn
from dpselect.views.column import public_points
from dpselect.views.grid import Numbers

# A grid that fits memory with room to spare.
_MOST = 10**7
# Integers are exact in floats up to here.
_EXACT = 2**53


def records(values: ArrayLike | Column, lower: Any, upper: Any) -> Numbers:
    """Return the numbers of a column within public bounds, shape (n,): int64 for integer bounds, else float64.

    Raises:
        TypeError, ValueError: as :class:`Column`, and records of an engine, which stay there.
    """
    column = histogram(values, "integer" if isinstance(lower, int) else "real")
    if isinstance(column, StoredColumn):
        raise TypeError(
            "This names records, and those of a warehouse stay there: choose the median value by "
            "utilities.median(values, lower=, upper=, step=), or pass the numbers."
        )
    return column.between(lower, upper)


def public_grid(grid: ArrayLike | None, lower: Any = None, upper: Any = None, step: Any = None) -> Numbers:
    """Return the public grid, strictly increasing, at least 2 values: as listed, or lower, lower + step, ... to upper.

    ``step`` is 1 between integer bounds unless it is passed. Three whole numbers make a grid of integers, unless one
    of them is a float; floats are read as their decimal text, so that 0, 0.1, 0.2, 0.3 is what it says.

    Raises:
        PrivacyError: neither a grid nor bounds.
        TypeError, ValueError: both; not numbers, fewer than 2 values, not strictly increasing, or not finite.

    >>> public_grid(None, 0, 0.7, 0.1)
    array([0. , 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
    """
    bounds = {"lower": lower, "upper": upper, "step": step}
    if grid is not None:
        if any(bound is not None for bound in bounds.values()):
            raise ValueError("The grid is named twice: pass grid=, or lower=, upper= and step=.")
        return public_points(grid)
    if lower is None or upper is None:
        raise PrivacyError(
            "The candidates must be public, and the values that happen to occur are private: pass grid=, the public "
            "list of values, or lower=, upper= and step=."
        )
    low, high = (_bound(name, bounds[name]) for name in ("lower", "upper"))
    if not low < high:
        raise ValueError("lower must be below upper: pass the public bounds of the values.")
    if step is None and not (isinstance(lower, numbers.Integral) and isinstance(upper, numbers.Integral)):
        raise ValueError(Advice("Between bounds that are not integers there is no natural step: pass {step=}."))
    points = _even(low, high, Fraction(1) if step is None else _bound("step", step))
    real = any(isinstance(bound, (float, np.floating)) for bound in bounds.values())
    return public_points(points.astype(np.float64) if real else points)


def _bound(name: str, value: Any) -> Fraction:
    """Return a public number exactly, a float as its decimal text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (numbers.Real, decimal.Decimal)):
        raise TypeError(f"{name} must be a real number: pass what is public about the values.")
    try:
        return Fraction(str(value))
    except ValueError:
        raise ValueError(f"{name} must be finite: pass what is public about the values.") from None


def _even(low: Fraction, high: Fraction, step: Fraction) -> Numbers:
    """Return low, low + step, ... up to high, each rounded once."""
    if step <= 0:
        raise ValueError("step must be positive: how fine the answer is.")
    steps = (high - low) // step
    if not 1 <= steps <= _MOST:
        raise ValueError(f"step must divide the bounds into 2 to {_MOST} values: choose another step.")
    whole = math.lcm(low.denominator, step.denominator)
    first, each = int(low * whole), int(step * whole)
    if max(abs(first), abs(first + steps * each), whole) > (INTEGER_CLIP if whole == 1 else _EXACT):
        return np.asarray(float(low) + float(step) * np.arange(steps + 1))
    places = first + each * np.arange(steps + 1)
    return places if whole == 1 else np.asarray(places / whole)


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
    column = histogram(values, "integer" if grid.dtype.kind == "i" else "real")
    return column.counts_on(grid), column.metadata

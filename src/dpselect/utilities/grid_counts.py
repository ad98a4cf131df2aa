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

from dpselect.kernel.errors import Advice, InputError, InputTypeError, PrivacyError
from dpselect.sources.column_cells import INTEGER_CLIP
from dpselect.sources.warehouse import is_expression
from dpselect.views import Column, StoredColumn
from dpselect.views.column import public_points
from dpselect.views.grid import EvenGrid, Grid, Integers, Numbers, grid_of

# A grid that fits memory with room to spare.
_MOST = 10**7 + 1
# Integers are exact in floats up to here.
_EXACT = 2**53


def records(values: ArrayLike | Column, lower: Any, upper: Any) -> Numbers:
    """Return the numbers of a column within public bounds, shape (n,): int64 for integer bounds, else float64.

    Raises:
        TypeError, ValueError: as :class:`Column`, and records of an engine, which stay there.
    """
    column = histogram(values, "integer" if isinstance(lower, int) else "real")
    if isinstance(column, StoredColumn):
        raise InputTypeError(
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
            raise InputError("The grid is named twice: pass grid=, or lower=, upper= and step=.")
        return public_points(grid)
    if lower is None or upper is None:
        raise PrivacyError(
            "The candidates must be public, and the values that happen to occur are private: pass grid=, the public "
            "list of values, or lower=, upper= and step=."
        )
    even = _even(*_even_bounds(lower, upper, step))
    if even.size > _MOST:
        raise InputError(f"step must divide the bounds into at most {_MOST} values: choose a larger step.")
    return public_points(even.array() if isinstance(even, EvenGrid) else even)


def public_values(grid: Any, lower: Any = None, upper: Any = None, step: Any = None) -> Grid:
    """Return the public grid of :func:`public_grid` without an array of its values, where it is even.

    A ``range``, bounds and a step, and an array of evenly spaced integers may have any number of values.

    Raises:
        PrivacyError, TypeError, ValueError: as :func:`public_grid`.

    >>> public_values(None, 0, 10**12, 0.5)
    EvenGrid(first=0, step=1, size=2000000000001, over=2, real=True)
    """
    if isinstance(grid, range) and grid.step < 0:
        raise InputError("grid must be finite and strictly increasing: sort it and drop repeated values.")
    if isinstance(grid, range) and lower is upper is step is None and len(grid) >= 2:
        first, last = grid[0], grid[-1]
        if max(abs(first), abs(last)) > INTEGER_CLIP:
            raise InputError("A grid of integers lies within 2^61: pass floats.")
        return EvenGrid(first, grid.step, len(grid))
    if grid is None and lower is not None and upper is not None:
        low, high, each, real = _even_bounds(lower, upper, step)
        even = _even(low, high, each, real)
        if isinstance(even, EvenGrid):
            return even
    return grid_of(public_grid(grid, lower, upper, step))


def _bound(name: str, value: Any) -> Fraction:
    """Return a public number exactly, a float as its decimal text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (numbers.Real, decimal.Decimal)):
        raise InputTypeError(f"{name} must be a real number: pass what is public about the values.")
    try:
        return Fraction(str(value))
    except ValueError:
        raise InputError(f"{name} must be finite: pass what is public about the values.") from None


def _even_bounds(lower: Any, upper: Any, step: Any) -> tuple[Fraction, Fraction, Fraction, bool]:
    """Return the bounds and the step exactly, and whether a float among them makes the grid one of floats."""
    low, high = _bound("lower", lower), _bound("upper", upper)
    if not low < high:
        raise InputError("lower must be below upper: pass the public bounds of the values.")
    if step is None and not (isinstance(lower, numbers.Integral) and isinstance(upper, numbers.Integral)):
        raise InputError(Advice("Between bounds that are not integers there is no natural step: pass {step=}."))
    real = any(isinstance(bound, (float, np.floating)) for bound in (lower, upper, step))
    return low, high, Fraction(1) if step is None else _bound("step", step), real


def _even(low: Fraction, high: Fraction, step: Fraction, real: bool) -> EvenGrid | Numbers:
    """Return low, low + step, ... up to high, each rounded once; an array where 53 bits cannot hold the numbers."""
    if step <= 0:
        raise InputError("step must be positive: how fine the answer is.")
    steps = (high - low) // step
    over = math.lcm(low.denominator, step.denominator)
    first, each = int(low * over), int(step * over)
    whole = over == 1 and not real
    fits = max(abs(first), abs(first + steps * each), over) <= (INTEGER_CLIP if whole else _EXACT)
    if steps < 1:
        raise InputError(Advice("{step} must divide the bounds into 2 values or more: choose a smaller step."))
    if fits:
        return EvenGrid(first, each, steps + 1, over, not whole)
    if steps >= _MOST:
        raise InputError(Advice("{step} is so fine that floating point rounds it away: choose a larger step."))
    return np.asarray(float(low) + float(step) * np.arange(steps + 1))


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


def count_on_grid(values: Any, grid: Numbers) -> tuple[NDArray[np.int64], Mapping[str, str]]:
    """Return how many records are nearest to each value of a public grid, and where they came from.

    Raises:
        TypeError, ValueError: as :func:`histogram`.
        ConnectionError: the engine failed.
    """
    column = histogram(values, "integer" if grid.dtype.kind == "i" else "real")
    return column.counts_on(grid), column.metadata


def occupied_places(values: Any, grid: Grid) -> tuple[Integers, Integers, Mapping[str, str]]:
    """Return which places of a public grid are nearest to records, to how many each, and where they came from.

    Raises:
        TypeError, ValueError, ConnectionError: as :func:`count_on_grid`.
    """
    column = histogram(values, "real" if grid.real else "integer")
    return *column.grid_counts(grid), column.metadata

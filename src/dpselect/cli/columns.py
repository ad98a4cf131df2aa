"""What the commands about one column share: the file, the public grid, values moved onto it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import dpselect as dps
from dpselect.cli import paths, places, reading
from dpselect.cli.options import number, option
from dpselect.cli.places import stays
from dpselect.cli.request import Request
from dpselect.release import by_group
from dpselect.sources import tables
from dpselect.sources.warehouse import Warehouse
from dpselect.views import StoredColumn

# A grid that fits memory with room to spare.
_MOST = 10**7 + 1

# What a rank score counts.
UNIT = by_group.UNIT

OPTIONS = (
    paths.input("file", help=f"{reading.FILES}, a histogram (.npy), or a URL"),
    *places.OPTIONS,
    option("--column", metavar="NAME", help="the column of the table (may be left out when there is one)"),
    option("--lower", type=number, metavar="X", help="the public smallest value (a histogram starts at 0)"),
    option("--upper", type=number, metavar="X", help="the public largest value (a histogram ends with its last cell)"),
    option("--step", type=number, default=Fraction(1), metavar="X", help="how fine the answer is (default 1)"),
    *reading.OPTIONS,
    reading.NUMBERS,
)


def grid_and_column(request: Request) -> tuple[Any, dps.data.Column | StoredColumn]:
    """Return the public grid, and the column, whose values move to the nearest grid value when they are counted."""
    bounds, column = bounds_and_column(request)
    return _grid(**bounds), column


def bounds_and_column(request: Request) -> tuple[dict[str, Any], dps.data.Column | StoredColumn]:
    """Return the public lower, upper and step, and the column; a grid of any size is never written out."""
    if request.step <= 0:
        raise ValueError("--step must be positive: how fine the answer is.")
    if Path(request.file).suffix == ".npy":
        return _histogram(request)
    if request.lower is None or request.upper is None:
        raise dps.PrivacyError(
            "The smallest and largest values in the file are private: pass --lower and --upper, the public bounds."
        )
    if not request.lower < request.upper:
        raise ValueError("--lower must be below --upper: the public bounds of the values.")
    bounds = {"lower": request.lower, "upper": request.upper, "step": request.step}
    how = reading.of(request)
    if stays(request, request.file):
        if request.missing == "refuse":
            raise ValueError("--missing refuse goes with a file that is read into memory: leave it out.")
        if request.column is None:
            raise ValueError("Which column of the table? Pass --column.")
        return bounds, StoredColumn(Warehouse.open(request.file, request.table), request.column)
    kind = "integer" if _whole(**bounds) else "real"
    column = dps.data.Column(tables.column(request.file, request.column, how), kind=kind)
    reading.require_complete(request, column)
    return bounds, column


def _grid(lower: Fraction, upper: Fraction, step: Fraction) -> Any:
    """Return lower, lower + step, ..., up to upper; integers when all are."""
    steps = int((upper - lower) / step)
    if not 1 <= steps < _MOST:
        raise ValueError(f"--step must divide the bounds into 2 to {_MOST} values: choose another step.")
    if _whole(lower, upper, step):
        return int(lower) + int(step) * np.arange(steps + 1)
    return float(lower) + float(step) * np.arange(steps + 1)


def _whole(lower: Fraction, upper: Fraction, step: Fraction) -> bool:
    """Return whether the grid is one of integers; where it ends does not matter."""
    del upper
    return lower.denominator == 1 == step.denominator


def _histogram(request: Request) -> tuple[dict[str, Any], dps.data.Column]:
    if reading.keywords(request):
        raise ValueError("A histogram (.npy) has no rows and no text: leave out how the file is read.")
    try:
        counts = np.load(request.file, allow_pickle=False)
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {request.file}.") from None
    except (ValueError, EOFError, OSError):
        raise ValueError(f"{request.file} is not a NumPy file of counts.") from None
    if counts.ndim != 1 or counts.size < 2:
        raise ValueError("A histogram is a list of at least two counts: pass a one-dimensional .npy file.")
    lower = Fraction(0) if request.lower is None else request.lower
    bounds = {"lower": lower, "upper": lower + request.step * (counts.size - 1), "step": request.step}
    if request.upper is not None and request.upper != bounds["upper"]:
        raise ValueError("--upper does not agree with the number of cells: leave it out for a histogram.")
    plain: Any = int if _whole(**bounds) else float
    return bounds, dps.data.Column.from_counts(counts, lower=plain(lower), step=plain(request.step))

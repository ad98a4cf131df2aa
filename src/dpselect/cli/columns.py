"""What the commands about one column share: the file, the public grid, values moved onto it."""

from __future__ import annotations

import argparse
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import dpselect as dps
from dpselect.cli.arguments import add_place, number, stays
from dpselect.cli.paths import add_input
from dpselect.sources.warehouse import Warehouse
from dpselect.views import StoredColumn

# A grid that fits memory with room to spare.
_MOST = 10**7


def add_column(parser: argparse.ArgumentParser) -> None:
    """Add the file, the column and the public grid."""
    add_input(parser, "file", metavar="FILE", help="a table (.csv, .csv.gz, .parquet), a histogram (.npy), or a URL")
    add_place(parser)
    parser.add_argument("--column", help="the column of the table (may be left out when there is one)")
    parser.add_argument("--lower", type=number, help="the public smallest value (a histogram starts at 0)")
    parser.add_argument("--upper", type=number, help="the public largest value (a histogram ends with its last cell)")
    parser.add_argument("--step", type=number, default=Fraction(1), help="how fine the answer is (default 1)")
    parser.add_argument(
        "--clip", action="store_true", help="move values outside the bounds to the nearest bound instead of refusing"
    )


def grid_and_column(given: argparse.Namespace) -> tuple[Any, dps.Column | StoredColumn]:
    """Return the public grid and the column with every value on its nearest grid value.

    How many values were clipped goes to standard error, for the curator.
    """
    if given.step <= 0:
        raise ValueError("--step must be positive: how fine the answer is.")
    if Path(given.file).suffix == ".npy":
        return _histogram(given)
    if given.lower is None or given.upper is None:
        raise dps.PrivacyError(
            "The smallest and largest values in the file are private: pass --lower and --upper, the public bounds."
        )
    grid = _grid(given.lower, given.upper, given.step)
    column: dps.Column | StoredColumn
    if stays(given, given.file):
        if given.column is None:
            raise ValueError("Which column of the table? Pass --column.")
        column = StoredColumn(Warehouse.open(given.file, given.table), given.column)
    else:
        column = dps.Column.read(given.file, given.column)
    if given.clip:
        column = column.clip(grid[0].item(), grid[-1].item())
        print(f"For the curator only, not to be published: values clipped: {column.clipped}.", file=sys.stderr)
    return grid, column.onto(grid)


def _grid(lower: Fraction, upper: Fraction, step: Fraction) -> Any:
    """Return lower, lower + step, ..., up to upper; integers when all are."""
    if not lower < upper:
        raise ValueError("--lower must be below --upper: the public bounds of the values.")
    steps = int((upper - lower) / step)
    if not 1 <= steps <= _MOST:
        raise ValueError(f"--step must divide the bounds into 2 to {_MOST} values: choose another step.")
    if lower.denominator == 1 and step.denominator == 1:
        return int(lower) + int(step) * np.arange(steps + 1)
    return float(lower) + float(step) * np.arange(steps + 1)


def _histogram(given: argparse.Namespace) -> tuple[Any, dps.Column]:
    try:
        counts = np.load(given.file, allow_pickle=False)
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {given.file}.") from None
    except (ValueError, EOFError, OSError):
        raise ValueError(f"{given.file} is not a NumPy file of counts.") from None
    if counts.ndim != 1 or counts.size < 2:
        raise ValueError("A histogram is a list of at least two counts: pass a one-dimensional .npy file.")
    lower = Fraction(0) if given.lower is None else given.lower
    grid = _grid(lower, lower + given.step * (counts.size - 1), given.step)
    if given.upper is not None and given.upper != lower + given.step * (counts.size - 1):
        raise ValueError("--upper does not agree with the number of cells: leave it out for a histogram.")
    if counts.dtype.kind not in "iu" or (counts < 0).any():
        raise ValueError("A histogram is a list of counts: pass integers >= 0.")
    return grid, dps.Column(np.repeat(grid, counts))

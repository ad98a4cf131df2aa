"""What the commands about one column share: the file, the public grid, values moved onto it."""

from __future__ import annotations

import argparse
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


def grid_and_column(given: argparse.Namespace) -> tuple[Any, dps.Column | StoredColumn]:
    """Return the public grid, and the column, whose values move to the nearest grid value when they are counted."""
    if given.step <= 0:
        raise ValueError("--step must be positive: how fine the answer is.")
    if Path(given.file).suffix == ".npy":
        return _histogram(given)
    if given.lower is None or given.upper is None:
        raise dps.PrivacyError(
            "The smallest and largest values in the file are private: pass --lower and --upper, the public bounds."
        )
    grid = _grid(given.lower, given.upper, given.step)
    if stays(given, given.file):
        if given.column is None:
            raise ValueError("Which column of the table? Pass --column.")
        return grid, StoredColumn(Warehouse.open(given.file, given.table), given.column)
    kind = "integer" if grid.dtype.kind == "i" else "real"
    return grid, dps.Column.read(given.file, given.column, kind=kind)


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
    plain: Any = int if grid.dtype.kind == "i" else float
    return grid, dps.Column.from_counts(counts, lower=plain(lower), step=plain(given.step))

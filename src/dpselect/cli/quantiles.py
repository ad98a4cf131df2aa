"""dpselect quantiles: choose several percentiles of a column under one budget."""

from __future__ import annotations

import argparse
from typing import Any

import dpselect as dps
from dpselect.cli.arguments import add_release, mechanism_of, number, shown
from dpselect.cli.columns import add_column, grid_and_column
from dpselect.cli.spending import purse_of

DEFAULT = "permute-and-flip"


def add(verbs: Any) -> None:
    """Add the command."""
    parser = verbs.add_parser("quantiles", help="choose several percentiles of a column under one budget")
    add_column(parser)
    parser.add_argument(
        "--p", type=number, nargs="+", required=True, metavar="P", help="the percentages, such as 25 50 75"
    )
    add_release(parser, DEFAULT)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> str:
    """Return the chosen values as text or JSON."""
    grid, column = grid_and_column(given)
    mechanism = mechanism_of(given, DEFAULT)
    release = dps.percentiles(
        column, given.p, grid=grid, epsilon=given.epsilon, mechanism=mechanism, ledger=purse_of(given)
    )
    written = [f"{float(p):g}" for p in given.p]
    lines = [f"percentile {p}: {value}" for p, value in zip(written, release.candidates, strict=True)]
    return shown(release, lines, given, p=written)

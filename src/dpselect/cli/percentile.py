"""dpselect percentile: choose a percentile of a column from a public grid."""

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
    parser = verbs.add_parser("percentile", help="choose a percentile of a column")
    add_data(parser)
    add_release(parser, DEFAULT)
    parser.set_defaults(run=run)


def add_data(parser: argparse.ArgumentParser) -> None:
    """Add what says which percentile of what."""
    add_column(parser)
    parser.add_argument("--p", type=number, required=True, help="the percentage, 0 <= p <= 100, such as 90 or 99.9")


def scores(given: argparse.Namespace) -> dict[str, dps.Scores]:
    """Return the recommended score."""
    grid, column = grid_and_column(given)
    return {"rank": dps.utilities.percentile(column, given.p, grid=grid)}


def run(given: argparse.Namespace) -> str:
    """Return the chosen value as text or JSON."""
    release = dps.select(
        scores(given)["rank"],
        given.epsilon,
        mechanism=mechanism_of(given, DEFAULT),
        ledger=purse_of(given),
    )
    return shown(release, [f"percentile {_written(given.p)}: {release.candidate}"], given)


def _written(p: Any) -> str:
    return str(p) if p.denominator == 1 else f"{float(p):g}"

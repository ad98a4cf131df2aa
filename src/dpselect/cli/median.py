"""dpselect median: choose the median value of a column, or name the record that has it."""

from __future__ import annotations

import argparse
from typing import Any

import dpselect as dps
from dpselect.cli.arguments import add_release, mechanism_of, shown, stays
from dpselect.cli.columns import add_column, grid_and_column
from dpselect.cli.spending import purse_of
from dpselect.sources import tables

VALUE, RECORD = "permute-and-flip", "local-dampening-flip"


def add(verbs: Any) -> None:
    """Add the command."""
    parser = verbs.add_parser("median", help="choose the median value of a column, or name the record that has it")
    add_data(parser)
    add_release(parser, f"{VALUE} for values, {RECORD} for records")
    parser.set_defaults(run=run)


def add_data(parser: argparse.ArgumentParser) -> None:
    """Add what says the median of what."""
    add_column(parser)
    parser.add_argument(
        "--label",
        metavar="COLUMN",
        help="name the record instead: the public labels are in this column, and its value is protected",
    )


def scores(given: argparse.Namespace) -> dict[str, dps.Scores]:
    """Return the score of the values, or of the records."""
    if given.label is not None and stays(given, given.file):
        raise ValueError("--label names records, and those of a database stay there: leave --label out.")
    grid, column = grid_and_column(given)
    if given.label is None:
        return {"rank": dps.utilities.median(column, grid=grid)}
    assert isinstance(column, dps.Column)
    found = dps.published.median(column.onto(grid), lower=grid[0].item(), upper=grid[-1].item())
    labels = tables.labels(given.file, given.label)
    return {"distance": dps.Scores(found.values, found.sensitivity, candidates=labels, neighbours="substitution")}


def run(given: argparse.Namespace) -> str:
    """Return the value or the record as text or JSON."""
    ((kind, found),) = scores(given).items()
    mechanism = mechanism_of(given, VALUE if kind == "rank" else RECORD)
    release = dps.select(found, given.epsilon, mechanism=mechanism, ledger=purse_of(given))
    return shown(release, [f"median: {release.candidate}"], given)

"""dpselect snp: name the k most significant genetic markers of a study of families."""

from __future__ import annotations

import argparse
from typing import Any

import dpselect as dps
from dpselect.cli.arguments import add_release, mechanism_of, shown, whole
from dpselect.cli.paths import add_input
from dpselect.cli.spending import purse_of
from dpselect.sources import tables

DEFAULT = "local-dampening-flip"


def add(verbs: Any) -> None:
    """Add the command."""
    parser = verbs.add_parser("snp", help="name the k most significant genetic markers (TDT)")
    add_data(parser)
    parser.add_argument("--k", type=whole, default=1, help="how many markers to name (default 1)")
    add_release(parser, DEFAULT)
    parser.set_defaults(run=run)


def add_data(parser: argparse.ArgumentParser) -> None:
    """Add the study."""
    add_input(parser, "file", metavar="FILE", help="a table (.csv, .parquet) with columns b and c, a line a marker")
    parser.add_argument("--families", type=whole, required=True, help="the public number of families in the study")
    parser.add_argument("--label", default="snp", metavar="COLUMN", help="the column of marker names (default snp)")


def scores(given: argparse.Namespace) -> dict[str, dps.Scores]:
    """Return the TDT statistic of every marker."""
    # A cell that spells no count is 0, and none is more than all families together can have.
    columns = (dps.Column.read(given.file, name, kind="integer") for name in ("b", "c"))
    if given.families < 1:
        raise ValueError("--families must be at least 1: the public number of families in the study.")
    b, c = (column.clip(0, 2 * given.families).values for column in columns)
    names = tables.labels(given.file, given.label)
    found = dps.utilities.tdt(b, c, families=given.families, candidates=names)
    # One sensitivity for all: its own would dampen the best markers most, because theirs is the largest.
    shared = dps.sensitivity.flatten(found.sensitivity)
    return {"tdt": dps.Scores(found.values, shared, candidates=names, neighbours="family")}


def run(given: argparse.Namespace) -> str:
    """Return the named markers as text or JSON."""
    mechanism = mechanism_of(given, DEFAULT)
    release = dps.top_k(scores(given)["tdt"], given.k, given.epsilon, mechanism=mechanism, ledger=purse_of(given))
    ranks = [f"{rank:>3}  {marker}" for rank, marker in enumerate(release.candidates, 1)]
    return shown(release, ranks, given, "in order of selection; ")

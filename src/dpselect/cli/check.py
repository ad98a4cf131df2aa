"""dpselect check: count what a table holds outside of its public domains, for the curator. It spends nothing."""

from __future__ import annotations

import argparse
from typing import Any

import dpselect as dps
from dpselect.cli import paths
from dpselect.cli.arguments import add_place, stays
from dpselect.cli.train import add_reading, read_domains, require_columns, require_target
from dpselect.sources import tables
from dpselect.sources.warehouse import Warehouse


def add(verbs: Any) -> None:
    """Add the command."""
    parser = verbs.add_parser("check", help="count, for the curator alone, what lies outside of the public domains")
    paths.add_input(parser, "file", metavar="FILE", help="a table (.csv, .csv.gz, .parquet), or the URL of a database")
    add_place(parser)
    parser.add_argument("--target", required=True, help="the column to be predicted")
    paths.add_input(
        parser, "--domains", required=True, metavar="TOML", help="the public domains, as for dpselect train"
    )
    add_reading(parser)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> str:
    """Return the counts, which are private."""
    domains = read_domains(given.domains)
    require_target(given, domains)
    # Every estimator reads alike, so the default one will do.
    model = dps.learn.DPTreeClassifier(1, domains=domains, missing=given.missing, unknown=given.unknown)
    if not stays(given, given.file):
        require_columns(given, domains, tables.names(given.file))
        return str(model.check(tables.table(given.file, [*domains]), given.target))
    with Warehouse.open(given.file, given.table) as source:
        require_columns(given, domains, source.table.columns)
        return str(model.check(source.only(domains), given.target))

"""dpselect select: name the best of the candidates in a table, however many they are."""

from __future__ import annotations

import argparse
from typing import Any

import dpselect as dps
from dpselect.cli.arguments import add_release, mechanism_of, nodes, number, shown, whole
from dpselect.cli.paths import add_input
from dpselect.cli.spending import purse_of
from dpselect.sources.warehouse import Warehouse

DEFAULT = "permute-and-flip"


def add(verbs: Any) -> None:
    """Add the command."""
    parser = verbs.add_parser("select", help="name the best of the candidates in a table, where the table lives")
    add_input(
        parser, "file", metavar="TABLE", help="a .parquet file, or a URL such as postgres://host/database with --table"
    )
    parser.add_argument("--table", help="the table, when a URL is given")
    parser.add_argument("--candidate", required=True, metavar="COLUMN", help="the names: integers or text, each once")
    parser.add_argument("--score", required=True, metavar="COLUMN", help="the scores: larger is better")
    parser.add_argument(
        "--sensitivity", type=number, required=True, metavar="S", help="how far one record can move one score: public"
    )
    add_input(
        parser,
        "--domain",
        metavar="N|FILE|rows",
        help="the public candidates: their number when names are 0 .. N-1, or a file with one name a line; those "
        "without a row score 0. Or rows, when the table has a row for each whatever the data (required)",
    )
    parser.add_argument(
        "--range-bound", type=whole, default=2, choices=(1, 2), help="1 if one record moves all scores the same way"
    )
    parser.add_argument(
        "--neighbours", default="add-remove", metavar="RELATION", help="what one step between databases is"
    )
    parser.add_argument("--k", type=whole, default=1, help="how many candidates to name (default 1)")
    add_release(parser, DEFAULT)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> str:
    """Return the named candidates as text or JSON."""
    mechanism = mechanism_of(given, DEFAULT)
    with (
        Warehouse.open(given.file, given.table) as place,
        dps.Candidates(
            place,
            given.candidate,
            given.score,
            given.sensitivity,
            domain=_domain(given.domain),
            neighbours=given.neighbours,
            range_bound=given.range_bound,
        ) as candidates,
    ):
        release = dps.top_k(candidates, given.k, given.epsilon, mechanism=mechanism, ledger=purse_of(given))
    ranks = [f"{rank:>3}  {name}" for rank, name in enumerate(release.candidates, 1)]
    return shown(release, ranks, given, "in order of selection; ")


def _domain(text: str | None) -> Any:
    if text is None:
        raise dps.PrivacyError(
            "Which candidates there are must not depend on the data: pass --domain N, a file with one name a line, or "
            "rows if the table has a row for every public candidate."
        )
    found = text if text == "rows" else nodes(text, "--domain", "name")
    return range(found) if isinstance(found, int) else found

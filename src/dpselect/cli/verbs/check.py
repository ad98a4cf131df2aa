"""dpselect check: count what a table holds outside of its public domains, for the curator. It spends nothing."""

from __future__ import annotations

import dpselect as dps
from dpselect.cli import domains, paths, places, reading
from dpselect.cli.options import MISSING, option
from dpselect.cli.places import stays
from dpselect.cli.request import Request
from dpselect.cli.verb import Answer, Verb
from dpselect.sources import tables
from dpselect.sources.warehouse import Warehouse


def run(request: Request) -> Answer:
    """Return the counts, which are private."""
    declared = domains.read(request.domains)
    domains.require_target(request, declared)
    # Every classifier reads alike, and every regressor, so the default ones will do.
    number = domains.is_number(declared[request.target])
    kind = dps.learn.DPTreeRegressor if number else dps.learn.DPTreeClassifier
    model = kind(1, domains=declared, missing=MISSING[request.missing], unknown=request.unknown)
    how = reading.of(request)
    if not stays(request, request.file):
        domains.require_columns(request, declared, tables.names(request.file, how))
        table = tables.table(request.file, [*declared], how, reading.numbers(declared))
        counts = model.check(table, request.target)
    else:
        with Warehouse.open(request.file, request.table) as source:
            domains.require_columns(request, declared, source.table.columns)
            counts = model.check(source.only(declared), request.target)
    facts = {
        "private": "these counts are for the curator alone",
        "rows": counts.rows,
        "outside": {str(name): count for name, count in counts.outside.items()},
        "missing": {str(name): count for name, count in counts.missing.items()},
        "labels_outside": counts.labels_outside,
        "labels_missing": counts.labels_missing,
        "left_out": counts.left_out,
    }
    return Answer(str(counts), facts)


VERB = Verb(
    run,
    (
        paths.input("file", help=f"{reading.FILES}, or the URL of a database"),
        *places.OPTIONS,
        option("--target", required=True, metavar="COLUMN", help="the column to be predicted"),
        paths.input("--domains", required=True, metavar="TOML", help="the public domains, as for dpselect train"),
        *domains.READING,
    ),
    "dpselect check people.csv --target rich --domains domains.toml",
    about="Protected: nobody. The counts are exact and private: they are for the curator alone.",
)

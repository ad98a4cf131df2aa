"""dpselect check: count what a table holds outside of its public domains or bounds, for the curator. It is free."""

from __future__ import annotations

import math
from typing import Any

import dpselect as dps
from dpselect.cli import domains, edge_check, name_check, pasted, paths, places, reading
from dpselect.cli.options import MISSING, number, one_of, option
from dpselect.cli.places import stays
from dpselect.cli.request import Request
from dpselect.cli.verb import Answer, Verb
from dpselect.cli.verbs.top_k import DEFAULTS
from dpselect.dataset import Dataset, checked
from dpselect.dataset.edge_counts import PRIVATE
from dpselect.sources import csv_text, tables
from dpselect.sources.warehouse import Warehouse

# What questions call the column that they read, and which of these hold names.
_COLUMNS = ("column", "item", "key", "value", "score")
_OF_NAMES = ("item", "key")


def run(request: Request) -> Answer:
    """Return the counts, which are private: of a description, of edges, of one column, or of a target and domains."""
    if request.file.lower().endswith(".toml"):
        return _of_dataset(request)
    if request.nodes is not None:
        return edge_check.of_edges(request)
    if request.source is not None:
        raise ValueError("--source goes with --nodes, which says that the file holds edges: pass both.")
    named = [name for name in _COLUMNS if request.get(name) is not None]
    if len(named) > 1:
        raise ValueError(f"One column is checked at a time: pass --{named[0]} or --{named[1]}.")
    bounded = bool(request.bins) or (request.lower, request.upper) != (None, None)
    if named or (bounded and request.domains is None):
        return _of_column(request, named[0] if named else "column", bounded=bounded)
    if request.target is None or request.domains is None:
        raise ValueError(
            "What is to be checked? Pass --column for one of numbers, with --domain for one of names, --target with "
            "--domains, or --nodes for a file of edges; or name a description, as dpselect describe writes it."
        )
    if (request.lower, request.upper) != (None, None):
        raise ValueError("--lower and --upper go with --column: write other bounds into the file of --domains.")
    declared = domains.read(request.domains)
    domains.require_target(request, declared)
    # Every classifier reads alike, and every regressor, so the default ones will do.
    of_numbers = domains.is_number(declared[request.target])
    kind = dps.learn.DPTreeRegressor if of_numbers else dps.learn.DPTreeClassifier
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


def _of_dataset(request: Request) -> Answer:
    """Return what is understood of the table or the graph that a file describes, which says all there is to say."""
    said = [word.partition("=")[0] for word in request.words if word.startswith("--") and word != "--json"]
    if said:
        raise ValueError(f"The description says how its data are read: leave {said[0]} out, or write it there.")
    found = checked(Dataset.load(request.file))
    return Answer(str(found), found.facts)


def _of_column(request: Request, option: str, *, bounded: bool) -> Answer:
    """Return how many cells of one column are empty, or are not what they should be; ``option`` names the column."""
    if (request.target, request.domains, request.unknown) != (None, None, "clip") or request.missing == "category":
        raise ValueError(f"--{option} checks one column alone: leave --target, --domains, --missing and --unknown out.")
    if stays(request, request.file):
        raise ValueError(f"--{option} is checked in a file that is read into memory: leave --in-place and --table out.")
    if option in _OF_NAMES or (option == "column" and request.domain is not None):
        if bounded:
            raise ValueError("--lower, --upper and --bins go with numbers: leave them out for a column of names.")
        return name_check.of_names(request, request.get(option))
    return _of_numbers(request, request.get(option))


def _of_numbers(request: Request, column: str | None) -> Answer:
    """Return how many cells of a column of numbers are empty, are not numbers, or lie outside the bounds."""
    ends = [float(each) for each in request.bins]
    lower = min(ends, default=-math.inf) if request.lower is None else float(request.lower)
    upper = max(ends, default=math.inf) if request.upper is None else float(request.upper)
    if not lower < upper:
        raise ValueError("--lower must be below --upper: the public bounds of the values.")
    cells = tables.column(request.file, column, reading.of(request))
    numbers = dps.data.Column(cells, kind="real")
    lacking = numbers.lacking_count()
    # Of a typed column, what lacks a number is missing.
    empty = sum(map(_is_empty, cells.to_pylist())) if _is_text(cells) else lacking
    facts = {
        "private": "these counts are for the curator alone",
        "rows": len(cells),
        "empty": empty,
        "not_a_number": lacking - empty,
        "outside_the_bounds": numbers.clip(lower, upper).clipped,
    }
    more, said = name_check.beside(request)
    lines = [
        PRIVATE,
        f"empty: {facts['empty']}",
        f"not a number: {facts['not_a_number']}",
        f"outside the bounds: {facts['outside_the_bounds']}",
        *said,
        f"rows: {facts['rows']}",
    ]
    return Answer("\n".join(lines), facts | more)


def _is_text(cells: Any) -> bool:
    return str(cells.type) in ("string", "large_string")


def _is_empty(cell: str | None) -> bool:
    number = math.nan if cell is None else csv_text.number(cell)
    return number is not None and math.isnan(number)


_OWN = (
    paths.input(
        "file",
        help=f"a description (.toml, as dpselect describe writes it); or {reading.FILES}, a file of edges, or the "
        "URL of a database",
    ),
    *places.OPTIONS,
    option("--target", metavar="COLUMN", help="the column to be predicted; with --nodes, the other end of an edge"),
    paths.input("--domains", metavar="TOML", help="the public domains, as for dpselect train"),
    option("--column", metavar="NAME", help="check one column instead: of numbers, or with --domain of names"),
    option("--lower", type=number, metavar="X", help="of --column: the public smallest value"),
    option("--upper", type=number, metavar="X", help="of --column: the public largest value"),
    option(
        "--bins", type=number, several=True, metavar="EDGE...", help="of --column: the public edges of bins instead"
    ),
    paths.input(
        "--domain", metavar="A,B|FILE|N", help="of --column: the public names, as for dpselect counts and most-common"
    ),
    option("--item", metavar="NAME", help="what dpselect most-common calls a column of names"),
    option("--key", metavar="NAME", help="what dpselect keys calls a column of names, which no list declares"),
    option("--value", metavar="NAME", help="what dpselect above calls a column of numbers"),
    option("--score", metavar="NAME", help="what dpselect select calls a column of numbers"),
    option("--by", metavar="COLUMN", help="beside a column, that of groups"),
    paths.input("--groups", metavar="A,B|FILE|N", help="the public groups of --by, written as --domain is"),
    option("--person", metavar="COLUMN", help="beside a column, that tells persons apart: count rows without one"),
    paths.input("--nodes", metavar="N|FILE", help="check a file of edges: the public nodes, as for dpselect top-k"),
    option("--source", metavar="NAME", help="with --nodes, the column of one end of an edge (default source)"),
    option(
        "--metric",
        multiple=True,
        type=one_of(sorted(DEFAULTS)),
        metavar="METRIC",
        help="with --nodes: followers counts edges with direction",
    ),
    *domains.READING,
)
VERB = Verb(
    run,
    (*_OWN, *pasted.beyond(_OWN, "check")),
    "dpselect check people.toml\n"
    "dpselect check people.csv --target rich --domains domains.toml\n"
    "dpselect check people.csv --column income --lower 0 --upper 200000\n"
    "dpselect check people.csv --column job --domain nurse,smith,clerk\n"
    "dpselect check edges.txt --nodes 36692",
    about="Protected: nobody. The counts are exact and private: they are for the curator alone. Options of a question "
    "that say nothing of how a file is understood, such as --epsilon and --ledger, may stay.",
)

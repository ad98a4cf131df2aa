"""dpselect counts: a noisy histogram of a column, over public values or bins."""

from __future__ import annotations

from typing import Any

import dpselect as dps
from dpselect.cli import contributions, paths, reading
from dpselect.cli.count_table import count_rows
from dpselect.cli.names import names
from dpselect.cli.options import number, one_of, option, whole
from dpselect.cli.plan import facts_text, promise, said
from dpselect.cli.request import Request
from dpselect.cli.spending import accountant_of
from dpselect.cli.verb import Answer, Verb
from dpselect.mechanisms.error_bound import ErrorBound
from dpselect.release.counts import NEGATIVE, Counts, error_bound_of_counts, promised, public_cells
from dpselect.sources import tables
from dpselect.sources.public_names import PublicNames

# Bins that --lower, --upper and --step make.
_MOST = 10**6


def run(request: Request) -> Answer:
    """Return the counts, of every group where there are groups."""
    domain, bins = names(request.domain, "--domain", "value"), _edges(request)
    groups = names(request.groups, "--groups", "group")
    contributions.noted(request, grouped=False)
    _require_complete(request, of_numbers=bins is not None)
    request.says(_error_bound(request, domain, bins, groups))
    release = dps.counts(
        reading.file(request),
        epsilon=request.epsilon,
        column=request.column,
        domain=domain,
        bins=bins,
        by=request.by,
        groups=groups,
        person=request.person,
        rows_per_person=request.rows_per_person,
        negative=request.negative,
        ledger=accountant_of(request),
    )
    return _answered(request, release, grouped=groups is not None)


def _require_complete(request: Request, *, of_numbers: bool) -> None:
    """Refuse missing cells where the curator asked for that (``ValueError``); of bins, what is not a number too."""
    reading.require_named(request, request.file, request.column, request.by, request.person)
    if request.missing == "refuse" and of_numbers:
        cells = tables.column(request.file, request.column, reading.of(request))
        reading.require_complete(request, dps.data.Column(cells, kind="real"))


def _error_bound(request: Request, domain: Any, bins: Any, groups: Any) -> ErrorBound:
    """Return what a dry run may say, which follows from public numbers."""
    guarantee, bound = promised(request.epsilon, request.person, request.rows_per_person)
    many = len(public_cells(domain, bins)) * (1 if groups is None else len(PublicNames.of(groups, "groups")))
    return error_bound_of_counts(guarantee, bound, many)


def _edges(request: Request) -> list[float] | None:
    """Return the public edges of bins, as they are listed or as a grid makes them."""
    grid = (request.lower, request.upper, request.step)
    if grid == (None, None, None):
        return [float(each) for each in request.bins] or None
    if request.bins:
        raise ValueError("Bins are listed by --bins, or even by --lower, --upper and --step: pass one of the two.")
    if None in grid or not request.lower < request.upper or request.step <= 0:
        raise ValueError("Even bins need --lower below --upper, and a positive --step, their width: all three.")
    many = (request.upper - request.lower) / request.step
    if many.denominator != 1 or many > _MOST:
        raise ValueError(f"--step must divide the bounds into at most {_MOST} whole bins: choose another width.")
    return [float(request.lower + place * request.step) for place in range(int(many) + 1)]


def _answered(request: Request, release: Counts, *, grouped: bool) -> Answer:
    rows, table = count_rows(release.value, grouped=grouped)
    facts = {
        "counts": rows,
        "mechanism": release.mechanism,
        "guarantee": promise(release.guarantee),
        **said(release.error_bound),
        # Errors of counts are whole numbers.
        "every_count_within": int(release.error_bound.at()) - 1,
    }
    if request.counted is not None:
        facts["rows_per_person"] = request.counted
    cost = f"{facts_text(release.guarantee, protected=request.protected)}, by {release.mechanism}"
    return Answer.of([table, cost, release.error_bound.describe()], facts)


VERB = Verb(
    run,
    (
        paths.input("file", help=reading.FILES),
        option("--column", required=True, metavar="NAME", help="the column to count"),
        paths.input(
            "--domain",
            metavar="A,B|FILE|N",
            help="the public values: with commas between (a single one ends with a comma), a file with one per line, "
            "or "
            "N for the whole numbers 0 .. N-1; other values are counted nowhere",
        ),
        option(
            "--bins",
            type=number,
            several=True,
            metavar="EDGE...",
            help="of numbers: the public edges of bins instead, such as 0 18 65 120",
        ),
        option("--lower", type=number, metavar="X", help="of numbers: where the first of even bins begins"),
        option("--upper", type=number, metavar="X", help="of numbers: where the last of even bins ends"),
        option("--step", type=number, metavar="X", help="of numbers: how wide even bins are"),
        option("--by", metavar="COLUMN", help="count in each group of this column; all groups together cost epsilon"),
        paths.input("--groups", metavar="A,B|FILE|N", help="the public groups, written as --domain is"),
        option("--person", metavar="COLUMN", help="the column that tells persons apart: protect all of their rows"),
        option(
            "--rows-per-person",
            type=whole,
            metavar="K",
            help="how many rows of one person count, the first ones (default 1); the noise grows with it",
        ),
        option(
            "--negative",
            type=one_of(NEGATIVE),
            default=NEGATIVE[0],
            metavar="|".join(NEGATIVE),
            help="counts that noise made negative: keep them, so that sums are right on average (default), or clip "
            "them to 0",
        ),
        *reading.OPTIONS,
        reading.EVENTS,
    ),
    "dpselect counts people.csv --column job --domain nurse,smith,clerk --epsilon 1\n"
    "dpselect counts people.csv --column age --bins 0 18 65 120 --epsilon 1",
    about="Protected: whether any one row is in the table, or with --person any one person with all of their rows. The "
    "values, bins and groups are public: never take them from the data.",
    spends=True,
)

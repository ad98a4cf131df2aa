"""dpselect quantiles: choose several quantiles of a column under one budget."""

from __future__ import annotations

from typing import Any

import dpselect as dps
from dpselect.cli import columns, contributions
from dpselect.cli.options import number, one_of, option, whole
from dpselect.cli.release import released
from dpselect.cli.request import Request
from dpselect.cli.spending import accountant_of
from dpselect.cli.verb import Answer, Verb
from dpselect.histograms.quantiles import HALVING, error_bound_of_quantiles
from dpselect.mechanisms.error_bound import ErrorBound
from dpselect.utilities.columns import public_values
from dpselect.utilities.shares import shares_of

METHODS = ("auto", "halving", "joint", "tree")


def run(request: Request) -> Answer:
    """Return the chosen values, of every group where there are groups."""
    bounds, column = columns.bounds_and_column(request)
    q, p = _asked(request)
    shares_of(q, p)
    asked, noun = (request.p, "percentile") if request.p else (request.q, "quantile")
    written = [f"{float(each):g}" for each in asked]
    rows = contributions.of(request) if contributions.named(request) else {}
    request.says(_error_bound(request, bounds))
    release = dps.quantiles(
        column,
        q,
        p=p,
        **bounds,
        epsilon=request.epsilon,
        method=request.method,
        total=request.total,
        ledger=accountant_of(request, **contributions.facts(request)),
        **rows,
    )
    if rows:
        title = ", ".join(f"{noun} {each}" for each in written)
        if request.p:
            return contributions.answered(request, release, title, p=written)
        return contributions.answered(request, release, title, q=written)
    request.nouns = tuple(f"{noun} {each}" for each in written)
    lines = [f"{noun} {each}: {value}" for each, value in zip(written, release.value, strict=True)]
    return released(release, lines, p=written) if request.p else released(release, lines, q=written)


def _asked(request: Request) -> tuple[Any, Any]:
    """Return the shares and the percentages that were named, ``None`` where none were."""
    return [*request.q] or None, [*request.p] or None


def _error_bound(request: Request, bounds: dict[str, Any]) -> ErrorBound:
    """Return what the release says of its error, before it is paid for."""
    shares = shares_of(*_asked(request))
    size, grouped = public_values(None, **bounds).size, contributions.named(request)
    method = HALVING if grouped else request.method
    return error_bound_of_quantiles(
        shares, size, request.epsilon / (request.rows_per_person or 1), method, request.total
    )


VERB = Verb(
    run,
    (
        *columns.OPTIONS,
        *contributions.OPTIONS,
        option("--p", type=number, several=True, metavar="P...", help="the percentages, such as 25 50 75"),
        option("--q", type=number, several=True, metavar="Q...", help="the same as shares, such as 1/4 1/2 3/4"),
        option(
            "--total",
            type=whole,
            metavar="N",
            help="how many records there are, if that is public; not with --by or --person",
        ),
        option(
            "--method",
            type=one_of(METHODS),
            default="auto",
            metavar="|".join(METHODS),
            help="draw one by one, jointly, or read off a tree of counts: auto (default) draws four to 25 jointly "
            "where --total is passed, and takes the tree for fifty or more",
        ),
    ),
    "dpselect quantiles people.csv --column age --p 25 50 75 --lower 0 --upper 120 --epsilon 1",
    about="Protected: whether any one record is in the table; with --person, whether any one person is. "
    "The bounds must not come from the data. A "
    "finer step costs no time; one that is ten times finer costs up to about 5 / epsilon more records of rank for each "
    "doubling of the number of percentiles.",
    spends=True,
)

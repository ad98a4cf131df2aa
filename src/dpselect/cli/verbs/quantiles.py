"""dpselect quantiles: choose several percentiles of a column under one budget."""

from __future__ import annotations

import dpselect as dps
from dpselect.cli import columns
from dpselect.cli.options import number, option
from dpselect.cli.release import mechanism_of, released
from dpselect.cli.request import Request
from dpselect.cli.spending import purse_of
from dpselect.cli.verb import Answer, Verb

DEFAULT = "permute-and-flip"


def run(request: Request) -> Answer:
    """Return the chosen values."""
    grid, column = columns.grid_and_column(request)
    mechanism = mechanism_of(request, DEFAULT)
    release = dps.percentiles(
        column, [*request.p], grid=grid, epsilon=request.epsilon, mechanism=mechanism, ledger=purse_of(request)
    )
    written = [f"{float(p):g}" for p in request.p]
    lines = [f"percentile {p}: {value}" for p, value in zip(written, release.candidates, strict=True)]
    return released(release, lines, p=written)


VERB = Verb(
    run,
    (
        *columns.OPTIONS,
        option(
            "--p",
            type=number,
            several=True,
            required=True,
            metavar="P...",
            help="the percentages, such as 25 50 75",
        ),
    ),
    "dpselect quantiles people.csv --column age --p 25 50 75 --lower 0 --upper 120 --epsilon 1",
    about="Protected: whether any one record is in the table.",
    spends=True,
    mechanism=DEFAULT,
)

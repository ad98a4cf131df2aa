"""dpselect percentile: choose a percentile of a column from a public grid."""

from __future__ import annotations

from typing import Any

import dpselect as dps
from dpselect.cli import columns, contributions
from dpselect.cli.options import number, option
from dpselect.cli.release import best, mechanism_of, released
from dpselect.cli.request import Request
from dpselect.cli.verb import Answer, Verb
from dpselect.utilities.shares import percent, require_no_share

DEFAULT = "permute-and-flip"
DATA = (
    *columns.OPTIONS,
    option("--p", type=number, required=True, metavar="P", help="the percentage, 0 <= p <= 100, such as 90 or 99.9"),
)


def run(request: Request) -> Answer:
    """Return the chosen value, of every group where there are groups."""
    mechanism = mechanism_of(request, DEFAULT)
    noun = f"percentile {_written(request.p)}"
    if contributions.named(request):
        require_no_share(request.p)
        grid, column = columns.grid_and_column(request)
        share = percent(request.p)
        return contributions.chosen(request, column, grid, share, mechanism, noun, columns.UNIT)
    release = best(request, scores(request)["rank"], mechanism, unit=columns.UNIT, gaps=False)
    request.nouns = (noun,)
    return released(release, [f"{noun}: {release.value[0]}"], unit=columns.UNIT)


def scores(request: Request) -> dict[str, dps.Scores]:
    """Return the recommended score."""
    require_no_share(request.p)
    grid, column = columns.grid_and_column(request)
    return {"rank": dps.utilities.percentile(column, request.p, grid=grid)}


def _written(p: Any) -> str:
    return str(p) if p.denominator == 1 else f"{float(p):g}"


VERB = Verb(
    run,
    (*DATA, *contributions.OPTIONS),
    "dpselect percentile people.csv --column age --p 90 --lower 0 --upper 120 --epsilon 0.5",
    about="Protected: whether any one record is in the table; with --person, whether any one person is. "
    "The answer is a value of the public grid from --lower to --upper; the bounds must not come from the data.",
    spends=True,
    mechanism=DEFAULT,
)

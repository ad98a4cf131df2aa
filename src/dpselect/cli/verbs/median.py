"""dpselect median: choose the median value of a column, or name the record that has it."""

from __future__ import annotations

from fractions import Fraction

import dpselect as dps
from dpselect.cli import columns, contributions, reading
from dpselect.cli.options import option
from dpselect.cli.places import stays
from dpselect.cli.release import best, mechanism_of, released
from dpselect.cli.request import Request
from dpselect.cli.verb import Answer, Verb
from dpselect.sources import tables

VALUE, RECORD = "permute-and-flip", "local-dampening-flip"
DATA = (
    *columns.OPTIONS,
    option(
        "--label",
        metavar="COLUMN",
        help="name the record instead: the public labels are in this column, and its value is protected",
    ),
)


def scores(request: Request) -> dict[str, dps.Scores]:
    """Return the score of the values, or of the records."""
    if request.label is not None and stays(request, request.file):
        raise ValueError("--label names records, and those of a database stay there: leave --label out.")
    if request.label is not None:
        if request.column is None:
            raise ValueError("With --label the table has several columns: name that of the values by --column.")
        reading.require_apart(request, request.column, "label")
        reading.require_all(request)
    grid, column = columns.grid_and_column(request)
    if request.label is None:
        return {"rank": dps.utilities.median(column, grid=grid)}
    assert isinstance(column, dps.data.Column)
    near = dps.papers.median(column.onto(grid), lower=grid[0].item(), upper=grid[-1].item())
    labels = tables.labels(request.file, request.label, reading=reading.of(request))
    relation = near.neighbours.value
    return {
        "distance": dps.Scores(near.values, near.sensitivity, candidates=labels, neighbours=relation, zero=near.zero)
    }


def run(request: Request) -> Answer:
    """Return the value, of every group where there are groups, or the record."""
    if contributions.named(request):
        if request.label is not None:
            raise ValueError(
                "--label protects the values of a public number of records, so there is nobody to tell apart: leave "
                "--label out, or --by, --groups, --person and --rows-per-person."
            )
        grid, column = columns.grid_and_column(request)
        mechanism = mechanism_of(request, VALUE)
        return contributions.chosen(request, column, grid, Fraction(1, 2), mechanism, "median", columns.UNIT)
    ((kind, scored),) = scores(request).items()
    mechanism = mechanism_of(request, VALUE if kind == "rank" else RECORD)
    unit = columns.UNIT if kind == "rank" else ""
    release = best(request, scored, mechanism, unit=unit, gaps=False)
    request.nouns = ("median",)
    return released(release, [f"median: {release.value[0]}"], unit=unit)


VERB = Verb(
    run,
    (*DATA, *contributions.OPTIONS),
    "dpselect median people.csv --column income --lower 0 --upper 200000 --step 100 --epsilon 0.5",
    about="Protected: whether any one record is in the table; with --person, whether any one person is; "
    "with --label, the value of any one record.",
    spends=True,
    mechanism=f"{VALUE} for values, {RECORD} for records",
)

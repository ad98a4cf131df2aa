"""dpselect snp: name the k most significant genetic markers of a study of families."""

from __future__ import annotations

import dpselect as dps
from dpselect.cli import paths, reading
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import option, whole
from dpselect.cli.release_text import answer_of, best, mechanism_of, ranking_lines
from dpselect.cli.request import Request
from dpselect.kernel.errors import InputError
from dpselect.sources import tables

# More accurate than a dampening from epsilon 1 on, and level below.
DEFAULT = "smooth-noisy-max"
# The columns of counts; the other one names markers.
PRIVATE = ("b", "c")
DATA = (
    paths.input("file", help="a .tdt of PLINK, or a table with columns b and c, one line per marker"),
    option("--families", type=whole, required=True, metavar="N", help="the public number of families in the study"),
    option("--label", default="snp", metavar="COLUMN", help="the column of marker names (default snp)"),
    *reading.FILE,
)


def scores(request: Request, shared: bool = True) -> dict[str, dps.Scores]:
    """Return the TDT statistic of every marker, with one sensitivity for all where it is shared."""
    for name in PRIVATE:
        reading.require_apart(request, name, "label")
    # A cell that is not a count is 0, and none is more than all families together can have.
    how = reading.of(request)
    columns = (dps.data.Column(tables.column(request.file, name, how), kind="integer") for name in PRIVATE)
    if request.families < 1:
        raise InputError("--families must be at least 1: the public number of families in the study.")
    b, c = (column.clip(0, 2 * request.families).values for column in columns)
    names = tables.labels(request.file, request.label, reading=how)
    reading.note_check(request, **dict.fromkeys(PRIVATE, (0, 2 * request.families)))
    scored = dps.utilities.tdt(b, c, families=request.families, candidates=names)
    if not shared:
        return {"tdt": scored}
    # One sensitivity for all: its own would dampen the best markers most, because theirs is the largest.
    flat = dps.sensitivity.flatten(scored.sensitivity)
    return {"tdt": dps.Scores(scored.values, flat, candidates=names, neighbours="family", zero=scored.zero)}


def run(request: Request) -> CommandAnswer:
    """Return the named markers."""
    mechanism = mechanism_of(request, DEFAULT)
    shared = mechanism.name != DEFAULT
    release = best(request, scores(request, shared)["tdt"], mechanism, request.k)
    return answer_of(release, ranking_lines(release), "in order of selection")


VERB = Command(
    run,
    (*DATA, option("--k", type=whole, default=1, metavar="K", help="how many markers to name (default 1)")),
    "dpselect snp study.csv --families 100 --k 3 --epsilon 1",
    about="Protected: the genes of any one family.",
    spends=True,
    mechanism=DEFAULT,
)

"""dpselect select: name the best of the candidates in a table, however many they are."""

from __future__ import annotations

from typing import Any

import dpselect as dps
from dpselect.cli import counts, groups, paths, reading
from dpselect.cli.options import RELATION, nodes, number, one_of, option, whole
from dpselect.cli.release import best, best_stored, bound, mechanism_of, ranked, released
from dpselect.cli.request import Request
from dpselect.cli.spending import accountant_of
from dpselect.cli.verb import Answer, Verb
from dpselect.release.one_shot import ONE_SHOT, PEELING
from dpselect.release.questions import require_count
from dpselect.release.top_k_by_group import error_bound_of_groups
from dpselect.sources.warehouse import Warehouse

DEFAULT = "permute-and-flip"


def run(request: Request) -> Answer:
    """Return the named candidates."""
    mechanism = mechanism_of(request, DEFAULT)
    reading.require_apart(request, request.score, *counts.PUBLIC)
    if counts.are_in(request):
        if counts.are_grouped(request):
            return _in_groups(request, mechanism)
        release = best(request, counts.scores(request), mechanism, request.k, method=request.method)
        return released(release, ranked(release), "in order of selection; ")
    counts.require_ungrouped(request)
    reading.refuse_all(request)
    range_bound = int(request.range_bound)
    with (
        Warehouse.open(request.file, request.table) as place,
        dps.data.Candidates(
            place,
            request.candidate,
            request.score,
            request.sensitivity,
            domain=_domain(request.domain),
            neighbours=request.neighbours,
            range_bound=range_bound,
        ) as candidates,
    ):
        each = lambda: request.epsilon / request.k  # noqa: E731
        request.bound = bound(candidates.known, request.sensitivity, range_bound, each, mechanism)
        release = best_stored(request, candidates, mechanism, request.method)
    return released(release, ranked(release), "in order of selection; ")


def _in_groups(request: Request, mechanism: dps.mechanisms.Mechanism) -> Answer:
    if request.method is not None:
        raise ValueError("In groups --method is decided by the mechanism: leave it out.")
    scores = counts.by_group(request)
    k, request.scope = require_count(request.k, min(map(len, scores.values()))), "each group: "
    share = min(request.groups_per_person or 1, len(scores))
    request.says(error_bound_of_groups(scores, k, request.epsilon, mechanism, max(share, 1)))
    book = accountant_of(request, by=request.by, candidate=request.candidate, score=request.score)
    release = dps.top_k_by_group(
        scores,
        k,
        epsilon=request.epsilon,
        mechanism=mechanism,
        groups_per_person=request.groups_per_person,
        ledger=book,
    )
    return groups.answered(release, note="in order of selection; ")


def _domain(text: str | None) -> Any:
    if text is None:
        raise dps.PrivacyError(
            "Which candidates there are must not depend on the data: pass --domain N, a file with one name per line, "
            "or rows if the table has a row for every public candidate."
        )
    domain = text if text == "rows" else nodes(text, "--domain", "name")
    return range(domain) if isinstance(domain, int) else domain


VERB = Verb(
    run,
    (
        paths.input(
            "file",
            metavar="TABLE",
            help="a .parquet file, a .csv, .tsv or .xlsx file with --kind, or a URL such as postgres://host/database "
            "with --table",
        ),
        counts.KIND,
        *reading.OPTIONS,
        reading.NUMBERS,
        option("--table", metavar="NAME", help="the table, when a URL is given"),
        option("--candidate", required=True, metavar="COLUMN", help="the names: integers or text, each once"),
        option(
            "--score",
            required=True,
            metavar="COLUMN",
            help="the scores: larger is better; to count rows, ask most-common or counts",
        ),
        option(
            "--sensitivity",
            type=number,
            required=True,
            metavar="S",
            help="how far one record can move one score: public",
        ),
        paths.input(
            "--domain",
            metavar="N|FILE|rows",
            help="the public candidates: their number when names are 0 .. N-1, or a file with one name per line; "
            "those without a row score 0. Or rows, when the table has a row for each whatever the data (required)",
        ),
        option(
            "--range-bound",
            type=one_of((1, 2)),
            default="2",
            metavar="1|2",
            help="1 if one record moves all scores the same way (default 2)",
        ),
        RELATION,
        option("--k", type=whole, default=1, metavar="K", help="how many candidates to name (default 1)"),
        option(
            "--by",
            metavar="COLUMN",
            help="name K candidates in each group of this column of a csv file, all for one epsilon: one record is "
            "behind the scores of one group only",
        ),
        paths.input(
            "--groups",
            metavar="A,B|FILE|N",
            help="with --by, the public groups: names with commas between (a single one ends with a comma), a file "
            "with one per line, or N for the whole numbers 0 .. N-1; lines of other groups are left out",
        ),
        option(
            "--groups-per-person",
            type=whole,
            metavar="G",
            help="with --by and --neighbours person: of how many groups one person moves scores at most; each group "
            "is drawn at epsilon / G",
        ),
        option(
            "--method",
            type=one_of((ONE_SHOT, PEELING)),
            metavar="METHOD",
            help="how a list is drawn: one-shot, or peeling; by default the first that the mechanism and the ledger "
            "allow",
        ),
    ),
    "dpselect select votes.parquet --candidate page --score votes --sensitivity 1 --domain 1000 --epsilon 1",
    about="Protected: one record behind the scores, which moves no score by more than --sensitivity.",
    spends=True,
    mechanism=DEFAULT,
    elsewhere={
        "--column": "candidates have scores here; to count the rows of a column, ask dpselect most-common --item for "
        "the most frequent value, or dpselect counts --column for all"
    },
)

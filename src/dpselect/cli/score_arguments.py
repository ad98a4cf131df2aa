"""dpselect select --sensitivity: name the best of candidates whose scores are in a table, however many they are.

A line of a csv file is a public candidate with its private score, and all of them fit memory; other tables are asked
where they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import dpselect as dps
from dpselect.cli import groups, paths, reading
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.names import names
from dpselect.cli.options import RELATION, CommandOption, nodes, number, one_of, option, whole
from dpselect.cli.release_text import answer_of, best, best_stored, bound, mechanism_of, ranking_lines
from dpselect.cli.request import Request
from dpselect.cli.spending import accountant_of
from dpselect.kernel.errors import InputError
from dpselect.release.one_shot import ONE_SHOT, PEELING
from dpselect.release.questions import require_count
from dpselect.release.top_k_by_group import error_bound_of_groups
from dpselect.sources import tables
from dpselect.sources.distinct import distinct
from dpselect.sources.missing_column import in_csv, no_column
from dpselect.sources.warehouse import Warehouse
from dpselect.views.contribution_bounds import public_groups

DEFAULT = "permute-and-flip"
KINDS = ("integer", "real")
KIND: CommandOption = option(
    "--kind",
    type=one_of(KINDS),
    metavar="|".join(KINDS),
    help="what the scores of a csv file are: the file does not say, and its rows may not; other tables have types",
)


# Options that name public columns, unlike --score.
PUBLIC = ("candidate", "by")


def run(request: Request) -> CommandAnswer:
    """Return the named candidates."""
    mechanism = mechanism_of(request, DEFAULT)
    reading.require_apart(request, request.score, *PUBLIC)
    if _are_in_csv(request):
        if _are_grouped(request):
            return _in_groups(request, mechanism)
        release = best(request, _all(request), mechanism, request.k, method=request.method)
        return answer_of(release, ranking_lines(release), "in order of selection")
    _require_ungrouped(request)
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
        request.outcome.bound = bound(candidates.known, request.sensitivity, range_bound, each, mechanism)
        release = best_stored(request, candidates, mechanism, request.method)
    return answer_of(release, ranking_lines(release), "in order of selection")


def _in_groups(request: Request, mechanism: dps.mechanisms.Mechanism) -> CommandAnswer:
    if request.method is not None:
        raise InputError("In groups --method is decided by the mechanism: leave it out.")
    scores = _by_group(request)
    k, request.outcome.scope = require_count(request.k, min(map(len, scores.values()))), "each group: "
    share = min(request.groups_per_person or 1, len(scores))
    request.outcome.says(error_bound_of_groups(scores, k, request.epsilon, mechanism, max(share, 1)))
    book = accountant_of(request, by=request.by, candidate=request.candidate, score=request.score)
    release = dps.top_k_by_group(
        scores,
        k,
        epsilon=request.epsilon,
        mechanism=mechanism,
        groups_per_person=request.groups_per_person,
        ledger=book,
    )
    return groups.answer_by_group(release, note="in order of selection")


def _domain(text: str | None) -> Any:
    if text is None:
        raise dps.PrivacyError(
            "Which candidates there are must not depend on the data: pass --domain N, a file with one name per line, "
            "or rows if the table has a row for every public candidate."
        )
    domain = text if text == "rows" else nodes(text, "--domain", "name")
    return range(domain) if isinstance(domain, int) else domain


def _are_in_csv(request: Request) -> bool:
    """Return whether the candidates are lines of a csv file.

    Raises:
        ValueError: another table with --kind, or a csv file without it or without a public list of its lines.
    """
    if request.table is not None or not in_csv(request.file):
        if request.kind is not None:
            raise InputError("--kind goes with a csv file: other tables declare their types. Leave it out.")
        return False
    if request.kind is None:
        raise InputError(
            "A csv file does not say whether its scores are integers, and its rows are private: pass --kind integer or "
            "--kind real."
        )
    if request.domain not in {None, "rows"}:
        raise InputError(
            "A csv file has a line for every public candidate, whatever the data: pass --domain rows. For candidates "
            "that may be missing, write parquet."
        )
    return True


def _are_grouped(request: Request) -> bool:
    """Return whether groups are named."""
    return any(value is not None for value in (request.by, request.groups, request.groups_per_person))


def _require_ungrouped(request: Request) -> None:
    """Refuse groups of candidates that are not in a csv file (``ValueError``)."""
    if _are_grouped(request):
        raise InputError("--by is for candidates in a csv file: of other tables, select from a view of one group.")


def _all(request: Request) -> dps.Scores:
    """Return the candidates, each with its score; a cell that is not a number counts as 0.

    Raises:
        PrivacyError: nothing says that the lines are public.
        ValueError: a column is missing, or a candidate is named twice.
    """
    how = _public(request)
    return _scores(request, _values(request, how), tables.labels(request.file, request.candidate, "--candidate", how))


def _by_group(request: Request) -> dict[Any, dps.Scores]:
    """Return the scores of every listed group: a line is a public candidate of a group, other groups are left out.

    Raises:
        PrivacyError: nothing says which groups there are, or that the lines are public.
        ValueError: as :func:`_all`; a listed group without a line, or a candidate that is named twice in one.
    """
    public = public_groups(request.by, names(request.groups, "--groups", "group"))
    how = _public(request, request.by)
    where = public.codes(distinct(tables.arrows(request.file, [request.by], how)[request.by]), request.by)
    values = _values(request, how)
    labels = tables.repeated_labels(request.file, request.candidate, "--candidate", how)
    result = {}
    for code, group in enumerate(public.names):
        rows = np.flatnonzero(where == code)
        if not rows.size:
            raise InputError(f"The file has no line for the group {group!r}: every group needs its public candidates.")
        result[group] = _scores(request, values[rows], [labels[row] for row in rows.tolist()])
    return result


def _public(request: Request, *more: str) -> tables.FileOptions:
    """Return how the file is read, after whatever is not public or not there was refused."""
    if request.domain is None:
        raise dps.PrivacyError(
            "Which candidates there are must not depend on the data: pass --domain rows if the file has a line for "
            "every public candidate."
        )
    how = reading.of(request)
    reading.require_public(request, request.score)
    there = tables.names(request.file, how)
    for name in (request.candidate, request.score, *more):
        if name not in there:
            raise no_column(name, there, request.file)
    return how


def _values(request: Request, how: tables.FileOptions) -> Any:
    column = dps.data.Column(tables.column(request.file, request.score, how), kind=request.kind)
    return column.values


def _scores(request: Request, values: Any, labels: list[Any]) -> dps.Scores:
    return dps.Scores(
        values if request.kind == "integer" else np.nan_to_num(values),
        request.sensitivity,
        labels,
        request.neighbours,
        int(request.range_bound),
        metadata={"candidate": request.candidate, "score": request.score},
        kind=request.kind,
    )


VERB = Command(
    run,
    (
        paths.input(
            "file",
            metavar="TABLE",
            help="a .parquet file, a .csv, .tsv or .xlsx file with --kind, or a URL such as postgres://host/database "
            "with --table",
        ),
        KIND,
        *reading.OPTIONS,
        option("--table", metavar="NAME", help="the table, when a URL is given"),
        option("--candidate", required=True, metavar="COLUMN", help="the names: integers or text, each once"),
        option(
            "--score",
            required=True,
            metavar="COLUMN",
            help="the scores: larger is better; to count rows, ask most-common or histogram",
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
        "--column": "candidates have scores here; to count the rows of a column, ask dpselect most-common for the most "
        "frequent value, or dpselect histogram for all"
    },
)

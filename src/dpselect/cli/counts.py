"""Scores in a csv file: every line is a public candidate with its private score, and all of them fit memory."""

from __future__ import annotations

from typing import Any

import numpy as np

import dpselect as dps
from dpselect.cli import reading
from dpselect.cli.names import names
from dpselect.cli.options import Option, one_of, option
from dpselect.cli.request import Request
from dpselect.sources import tables
from dpselect.sources.absent import in_csv, no_column
from dpselect.sources.distinct import distinct
from dpselect.views.contributions import public_groups

KINDS = ("integer", "real")
KIND: Option = option(
    "--kind",
    type=one_of(KINDS),
    metavar="|".join(KINDS),
    help="what the scores of a csv file are: the file does not say, and its rows may not; other tables have types",
)


# Options that name public columns, unlike --score.
PUBLIC = ("candidate", "by")


def are_in(request: Request) -> bool:
    """Return whether the candidates are lines of a csv file.

    Raises:
        ValueError: another table with --kind, or a csv file without it or without a public list of its lines.
    """
    if request.table is not None or not in_csv(request.file):
        if request.kind is not None:
            raise ValueError("--kind goes with a csv file: other tables declare their types. Leave it out.")
        return False
    if request.kind is None:
        raise ValueError(
            "A csv file does not say whether its scores are integers, and its rows are private: pass --kind integer or "
            "--kind real."
        )
    if request.domain not in {None, "rows"}:
        raise ValueError(
            "A csv file has a line for every public candidate, whatever the data: pass --domain rows. For candidates "
            "that may be missing, write parquet."
        )
    return True


def are_grouped(request: Request) -> bool:
    """Return whether groups are named."""
    return any(value is not None for value in (request.by, request.groups, request.groups_per_person))


def require_ungrouped(request: Request) -> None:
    """Refuse groups of candidates that are not in a csv file (``ValueError``)."""
    if are_grouped(request):
        raise ValueError("--by is for candidates in a csv file: of other tables, select from a view of one group.")


def scores(request: Request) -> dps.Scores:
    """Return the candidates, each with its score; a cell that is not a number counts as 0.

    Raises:
        PrivacyError: nothing says that the lines are public.
        ValueError: a column is missing, or a candidate is named twice.
    """
    how = _public(request)
    return _scores(request, _values(request, how), tables.labels(request.file, request.candidate, "--candidate", how))


def by_group(request: Request) -> dict[Any, dps.Scores]:
    """Return the scores of every listed group: a line is a public candidate of a group, other groups are left out.

    Raises:
        PrivacyError: nothing says which groups there are, or that the lines are public.
        ValueError: as :func:`scores`; a listed group without a line, or a candidate that is named twice in one.
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
            raise ValueError(f"The file has no line for the group {group!r}: every group needs its public candidates.")
        result[group] = _scores(request, values[rows], [labels[row] for row in rows.tolist()])
    return result


def _public(request: Request, *more: str) -> tables.Reading:
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


def _values(request: Request, how: tables.Reading) -> Any:
    column = dps.data.Column(tables.column(request.file, request.score, how), kind=request.kind)
    reading.require_complete(request, column)
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

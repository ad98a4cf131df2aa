"""Scores in a csv file: every line is a public candidate with its private score, and all of them fit memory."""

from __future__ import annotations

import numpy as np

import dpselect as dps
from dpselect.cli import reading
from dpselect.cli.options import Option, one_of, option
from dpselect.cli.request import Request
from dpselect.sources import tables
from dpselect.sources.absent import in_csv, no_column

KINDS = ("integer", "real")
KIND: Option = option(
    "--kind",
    type=one_of(KINDS),
    metavar="|".join(KINDS),
    help="what the scores of a csv file are: the file does not say, and its rows may not; other tables have types",
)


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


def scores(request: Request) -> dps.Scores:
    """Return the candidates, each with its score; a cell that is not a number counts as 0.

    Raises:
        PrivacyError: nothing says that the lines are public.
        ValueError: a column is missing, or a candidate is named twice.
    """
    if request.domain is None:
        raise dps.PrivacyError(
            "Which candidates there are must not depend on the data: pass --domain rows if the file has a line for "
            "every public candidate."
        )
    how = reading.of(request)
    reading.require_public(request, request.score)
    there = tables.names(request.file, how)
    for name in (request.candidate, request.score):
        if name not in there:
            raise no_column(name, there, request.file)
    column = dps.Column(tables.column(request.file, request.score, how), kind=request.kind)
    reading.require_complete(request, column)
    values = column.values
    return dps.Scores(
        values if request.kind == "integer" else np.nan_to_num(values),
        request.sensitivity,
        tables.labels(request.file, request.candidate, "--candidate", how),
        request.neighbours,
        int(request.range_bound),
        metadata={"candidate": request.candidate, "score": request.score},
        kind=request.kind,
    )

"""dpselect median-record: name the record that has the median of a column."""

from __future__ import annotations

from dataclasses import replace

import dpselect as dps
from dpselect.cli import dataset_options, reading
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import Argument, option
from dpselect.cli.query_answers import note_check
from dpselect.cli.release_text import answer_of, best, mechanism_of
from dpselect.cli.request import Request
from dpselect.dataset import Dataset
from dpselect.dataset.source_rows import reading_of
from dpselect.kernel.errors import InputError
from dpselect.sources import tables

DEFAULT = "local-dampening-flip"
# What leaves records out, or protects others.
_OF_ROWS = ("where", "person", "rows_per_person", "order", "in_place")


def run(request: Request) -> CommandAnswer:
    """Return the name of the record."""
    dataset = _dataset(request)
    reading.require_apart(request, request.column, "label")
    if dataset.person is not None or dataset.where is not None:
        raise InputError(
            "This protects the value of any one record among a public number of them: a description with person or "
            "where is about others, so leave them out."
        )
    with dataset_options.error_location(request):
        grid = dataset.grid(request.column).array()
    column = dps.data.Column(dataset.rows([request.column])[request.column], kind=_kind(grid))
    near = dps.papers.median(column.snap_to(grid), lower=grid[0].item(), upper=grid[-1].item())
    labels = tables.labels(dataset.address, request.label, reading=reading_of(dataset))
    relation = near.neighbours.value
    scores = dps.Scores(near.values, near.sensitivity, candidates=labels, neighbours=relation, zero=near.zero)
    request.outcome.nouns = ("median",)
    note_check(request, replace(dataset, columns={request.column: dataset.columns[request.column]}))
    release = best(request, scores, mechanism_of(request, DEFAULT), gaps=False)
    return answer_of(release, [f"median: {release.value[0]}"])


def _kind(grid: object) -> str:
    return "integer" if str(getattr(grid, "dtype", "")).startswith("int") else "real"


def _dataset(request: Request) -> Dataset:
    if dataset_options.is_description(request):
        return dataset_options.dataset_of(request)
    if request.column is None:
        request.column = dataset_options.only_column(request)
    columns = dataset_options.domains(request, {"column": True})
    return dataset_options.one_off(request, "source", columns=columns)


VERB = Command(
    run,
    (
        dataset_options.argument(),
        Argument("column", required=False, metavar="COLUMN", help="a column of numbers"),
        option("--label", required=True, metavar="COLUMN", help="the column of public names, complete and different"),
        *dataset_options.of_columns(numbers=True, values=False, groups=False),
        *(each for each in dataset_options.description_options("table") if each.name not in _OF_ROWS),
    ),
    "dpselect median-record people.csv income --label person --lower 0 --upper 200000 --step 100 --epsilon 0.5",
    about="Protected: the value of any one record, among a public number of records with public names.",
    spends=True,
    mechanism=DEFAULT,
)

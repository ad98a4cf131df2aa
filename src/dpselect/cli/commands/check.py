"""dpselect check: count what a table or a graph holds outside of what is public of it, for the curator. It is free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpselect.cli import dataset_options, graph_options, pasted_options
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import Argument, number, option
from dpselect.cli.request import Request
from dpselect.kernel.errors import InputError
from dpselect.queries.metrics import FOLLOWERS, METRICS

if TYPE_CHECKING:
    from dpselect.dataset import Dataset


def run(request: Request) -> CommandAnswer:
    """Return the counts, which are private: of a description, or of what a question asks about."""
    from dpselect.dataset import check_dataset

    directed = FOLLOWERS in request.asked if {*request.asked} & {*METRICS} else None
    with dataset_options.error_location(request):
        found = check_dataset(_dataset(request), directed=directed)
    return CommandAnswer(str(found), found.facts)


def _dataset(request: Request) -> Dataset:
    if dataset_options.is_description(request):
        return dataset_options.dataset_of(request)
    # A page of help loads no NumPy.
    from dpselect.sources import edge_forms

    if request.nodes is not None or edge_forms.of(str(request.dataset)) is not None:
        return graph_options.edges(request)
    # The names of records, as of dpselect median-record, are not how a table is understood.
    request.label = None
    if not request.asked and any(request.get(name) is not None for name in ("lower", "upper", "domain")):
        request.asked = (dataset_options.only_column(request),)
    if not request.asked:
        raise InputError(
            "What is to be checked? Name a column after the file, with --lower and --upper for numbers or --domain for "
            "names; pass --nodes for a file of edges; or name a description, as dpselect describe writes it."
        )
    columns = dataset_options.domains(request, {"of": True, "by": False})
    for name in request.asked:
        request.column = name
        columns |= dataset_options.domains(request, {"column": None}, unlisted=True)
    dataset_options.require_together(request)
    dataset = dataset_options.one_off(request, "source", columns=columns)
    named = {"by": () if request.by is None else (request.by,), "asked": request.asked}
    dataset_options.require_there(request, dataset, named)
    return dataset


_OWN = (
    dataset_options.argument(": a table, or a file of edges"),
    Argument(
        "asked", required=False, nargs=-1, metavar="COLUMN|METRIC...", help="what a question asks about: only this"
    ),
    option("--of", metavar="COLUMN", rare=True, help="another column, of numbers, as of dpselect select"),
    option("--by", metavar="COLUMN", rare=True, help="another column, with the list of --groups"),
    option("--bins", type=number, several=True, metavar="EDGE...", rare=True, help="of numbers: the edges of bins"),
    *dataset_options.of_columns(numbers=True, values=True, groups=True),
    *dataset_options.description_options("table"),
    *(
        each
        for each in graph_options.OPTIONS
        if each.name not in {own.name for own in dataset_options.description_options("table")}
    ),
)
VERB = Command(
    run,
    (*_OWN, *pasted_options.beyond(_OWN, "check")),
    "dpselect check people.toml\n"
    "dpselect check people.csv income --lower 0 --upper 200000\n"
    "dpselect check people.csv job --domain nurse,smith,clerk\n"
    "dpselect check edges.txt --nodes 36692",
    about="Protected: nobody. The counts are exact and private, for the curator alone. Options of a question that do "
    "not concern the reading of the file, such as --epsilon and --ledger, are accepted and ignored.",
)

"""Commands of queries: the fields of a query are its options, its plan is the dry run, and its release the answer."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpselect.cli import dataset_options, graph_options, paths, served
from dpselect.cli.answer_files import FILES
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import Argument, CommandOption, Exact, flag, number, one_of, option, whole
from dpselect.cli.request import Request
from dpselect.cli.served import connection
from dpselect.kernel.errors import InputError
from dpselect.queries.base import Query
from dpselect.queries.field_kinds import FLAG, MECHANISM, FieldKind

if TYPE_CHECKING:
    from dpselect.dataset import Dataset

Kind = type[Query[Any]]
DETAILS = "Details"
# So many names of a choice stand in the place of its value.
_MOST_SHOWN = 4


def verb_of(query: Kind) -> Command:
    """Return the command of a class of queries."""
    more = FILES[query.form].OPTIONS if query.form in FILES else ()
    examples = "\n".join(f"dpselect {each}" for each in query.examples)
    return Command(
        lambda request: run(request, query),
        (*options_of(query), *more),
        examples,
        about=f"Protected: {query.protects}",
        spends=True,
        plans_errors=query.form not in FILES,
        elsewhere={
            **{f"--{name}": f"name the {name} after the dataset" for name in _positional(query)},
            **connection.OF_DATASETS,
        },
    )


def options_of(query: Kind) -> tuple[CommandOption | Argument, ...]:
    """Return the arguments and options of a class of queries: its dataset, its fields, and what describes a file."""
    return (*_arguments(query), *_options(query), *_of_dataset(query), *connection.OF_QUERIES)


def name_of(query: Kind) -> str:
    """Return what the command of a query is called."""
    return query.name.replace("_", "-")


def run(request: Request, kind: Kind) -> CommandAnswer:
    """Return the answer to a query; what it costs is paid durably before anything is drawn."""
    if served.is_served(request.dataset):
        # A page of help needs no network.
        from dpselect.cli.served.served_answers import answer_served

        return answer_served(request, lambda description: _query_of(request, kind, description))
    connection.require_none(request)
    # A page of help needs nothing that answers.
    from dpselect.cli import query_answers
    from dpselect.queries.plan import plan_of

    dataset = dataset_of(request, kind)
    with dataset_options.error_location(request):
        query = _query_of(request, kind, dataset)
        # Whatever public facts refuse is refused before a ledger is opened or made.
        found = plan_of(query, dataset)
        dataset_options.require_there(request, dataset, _columns(request, kind, dataset))
        if query.form in FILES:
            FILES[query.form].require(request, query, dataset)
        with graph_options.note_graph_parts(request) if query.of_graph else nullcontext():
            return query_answers.answer_query(request, query, dataset, found)


def dataset_of(request: Request, kind: Kind) -> Dataset:
    """Return the dataset of a command line.

    Raises:
        PrivacyError, ValueError, OSError: what is public of it is not said, or cannot be used.
    """
    if dataset_options.is_description(request):
        return dataset_options.dataset_of(request)
    if kind.of_graph:
        return graph_options.one_off(request)
    if kind.needs_description:
        answer = {"model": "A model", "table": "A synthetic table"}.get(kind.form, "A score")
        raise InputError(
            f"{answer} needs what is public of every column: write that by dpselect describe FILE > FILE.toml, "
            "fill it in, and name it instead."
        )
    for name, field in _positional(kind).items():
        if request.get(name) is None and field.metadata["kind"].control == "column":
            setattr(request, name, dataset_options.only_column(request))
    dataset_options.require_together(request)
    columns = {name: each.numeric for name, each in kind.kinds().items() if each.control == "column"}
    return dataset_options.one_off(request, "source", columns=dataset_options.domains(request, columns))


def _query_of(request: Request, kind: Kind, dataset: Dataset | None) -> Query[Any]:
    """Return the query of a command line, at the epsilon that it says or that its error takes."""
    return with_epsilon(request, dataset, lambda: query_of(request, kind))


def with_epsilon(request: Request, dataset: Dataset | None, query: Callable[[], Query[Any]]) -> Query[Any]:
    """Return a query at the epsilon of the command line, or at the least one whose error a dry run allows.

    Args:
        request: the command line.
        dataset: its description; ``None`` where it is not known here.
        query: returns it at the epsilon of the request.

    Raises:
        ValueError: an error without a dry run, or beside an epsilon; no such epsilon.
    """
    from dpselect.queries.required_epsilon import with_error_below

    if request.get("error") is None:
        return query()
    if dataset is None:
        raise InputError("What is public of this dataset is not known here: name --epsilon instead of --error.")
    if request.epsilon is not None or not request.dry_run:
        raise InputError("--error goes with --dry-run, which says the epsilon that it takes: leave --epsilon out.")

    def asked(epsilon: Fraction) -> Query[Any]:
        request.epsilon = epsilon
        return query()

    needed = with_error_below(asked, request.error, dataset)
    request.epsilon = needed.epsilon
    return needed


def query_of(request: Request, kind: Kind) -> Query[Any]:
    """Return the query of a command line.

    Raises:
        ValueError: a field has a value that it cannot have, by its option.
    """
    given = {name: request.get(name) for name in kind.fields()}
    said = {name: _field_value(value, kind.kinds()[name]) for name, value in given.items() if value not in (None, ())}
    require_said(request, *_positional(kind), "epsilon")
    return kind.parse(said)


def require_said(request: Request, *names: str) -> None:
    """Refuse a command line that leaves out what it must say (``ValueError``)."""
    for name in names:
        if request.get(name) in (None, ()):
            parameter = request.parameters[name]
            raise InputError(f"{paths.label_of(parameter)} is required: {parameter.help}.")


def _field_value(value: Any, kind: FieldKind) -> Any:
    if isinstance(value, tuple):
        return [*value]
    return kind.read(value) if kind is FLAG and isinstance(value, str) else value


def _columns(request: Request, kind: Kind, dataset: Dataset) -> dict[str, Sequence[str]]:
    """Return the columns that a command line names, by the fields that name them."""
    named = {name: request.get(name) for name, each in kind.kinds().items() if each.control in ("column", "columns")}
    if named.get("features", "") == ():
        named["features"] = [*dataset.columns]
    return {name: (value,) if isinstance(value, str) else value for name, value in named.items() if value is not None}


def _positional(kind: Kind) -> dict[str, dataclasses.Field[Any]]:
    return {name: each for name, each in kind.fields().items() if not each.kw_only}


def _arguments(kind: Kind) -> Iterator[Argument]:
    words = graph_options.WORDS if kind.of_graph else None if kind.needs_description else ""
    yield dataset_options.argument(words)
    for name, each in _positional(kind).items():
        field: FieldKind = each.metadata["kind"]
        settings: dict[str, Any] = {"metavar": {"column": "COLUMN"}.get(field.control, name.upper())}
        if field.choices:
            settings["type"] = one_of(field.choices, "write spaces between" if field.combined else "")
        if field.combined:
            settings |= {"nargs": -1, "metavar": f"{name.upper()}..."}
        listed = f": {', '.join(field.choices)}" if field.choices else ""
        yield Argument(name, required=False, help=f"{each.metadata['about']}{listed}", **settings)


def _options(kind: Kind) -> Iterator[CommandOption]:
    positional = _positional(kind)
    for name, each in kind.fields().items():
        if name not in positional and name != "epsilon":
            yield option_of(name, each)


def option_of(name: str, field: dataclasses.Field[Any]) -> CommandOption:
    """Return the option of a field."""
    kind: FieldKind = field.metadata["kind"]
    spelled, panel = f"--{name.replace('_', '-')}", DETAILS if field.metadata["rare"] else None
    about, default = field.metadata["about"], field.default
    if kind is FLAG and default is False:
        return flag(spelled, about, panel)
    settings: dict[str, Any] = {"type": str, "metavar": "COLUMN" if kind.control == "column" else "N"}
    if kind.choices:
        listed = "|".join(kind.choices)
        settings |= {"type": one_of(kind.choices), "metavar": listed if len(kind.choices) <= _MOST_SHOWN else "NAME"}
        if kind is MECHANISM:
            about += "; see dpselect mechanisms"
        elif len(kind.choices) > _MOST_SHOWN:
            about += f": {', '.join(kind.choices)}"
    elif kind.control == "list":
        of_text = kind.schema["items"].get("type") == "string"
        each = str if of_text else _each_number(spelled)
        settings |= {"type": each, "several": True, "metavar": f"{name.upper()}..."}
    elif kind.control == "columns":
        settings |= {"several": True, "metavar": "COLUMN..."}
    elif kind.control == "text" and kind.schema.get("type") != "string":
        settings["type"] = Exact(name, kind.of_text)
    elif kind.control == "number":
        settings["type"] = whole if kind.schema["type"] == "integer" else number
    if default is not dataclasses.MISSING and default not in (None, False):
        about += f" (default {default})"
    return option(spelled, panel=panel, required=default is dataclasses.MISSING, help=about, **settings)


def _each_number(spelled: str) -> Exact:
    """Return the type of one of several numbers; whatever follows an option with several is taken for one of them."""

    def read(text: str) -> Any:
        try:
            return number.read(text)
        except ValueError as error:
            raise InputError(f"{error}, and the dataset before {spelled}") from None

    return Exact("number", read)


def _of_dataset(kind: Kind) -> Iterator[CommandOption | Argument]:
    """Yield the options that describe a data file for this once."""
    if kind.of_graph:
        yield from graph_options.OPTIONS
    if kind.of_graph or kind.needs_description:
        return
    columns = [each for name, each in kind.kinds().items() if each.control == "column" and name != "by"]
    yield from dataset_options.of_columns(
        numbers=any(each.numeric is not False or each.dates for each in columns),
        values=any(not each.numeric for each in columns),
        groups="by" in kind.fields(),
    )
    yield from dataset_options.description_options("table")

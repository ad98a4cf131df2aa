"""A question to a server: planned for nothing, or paid for once and answered as the verb that reads a file answers."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from dpselect.cli import paths
from dpselect.cli.options import OUTPUT, Argument, Option, option
from dpselect.cli.request import Request
from dpselect.cli.served import connection
from dpselect.cli.verb import Answer, Verb
from dpselect.kernel.neighbours import PROTECTED_UNITS

if TYPE_CHECKING:
    from dpselect import client
    from dpselect.queries import Plan, Query
    from dpselect.release.release import Release

BY = option("--by", metavar="COLUMN", help="one answer in each public group of this column, all for one epsilon")
COLUMN = option("--column", required=True, metavar="NAME", help="a column of the dataset")
_OPTIONS = (
    option("--dataset", required=True, metavar="NAME", help="the dataset: dpselect datasets --server URL lists them"),
    option(
        "--key",
        metavar="KEY",
        panel=connection.PANEL,
        help="what you choose to ask with, such as report-2025-age: the same key gives the same answer, and is paid "
        "for once",
    ),
    paths.output(
        "--certificate",
        endings=(".json", ".html"),
        panel=OUTPUT,
        help="save the certificate that the server made, as .json or .html; dpselect verify reads it",
    ),
)
_ABOUT = (
    "Protected: whom the server says, as --dry-run shows before anything is paid. The server has the data, their "
    "bounds and the ledger; you need neither. A lost answer is asked for again, and the same --key never pays twice."
)


def verb(
    question: str | Callable[[Request], str],
    named: Callable[[Request], Mapping[str, Any]],
    options: tuple[Option | Argument, ...],
    example: str,
) -> Verb:
    """Return a verb that asks a question.

    Args:
        question: its name at a server, perhaps by what is asked.
        named: what the question takes beside epsilon.
        options: of the verb alone.
        example: as of every verb.
    """

    def run(request: Request) -> Answer:
        from dpselect.queries import query_of

        name = question if isinstance(question, str) else question(request)
        dataset = connection.dataset(request)
        said = {"query": name, "epsilon": request.epsilon, **named(request)}
        query = query_of({field: value for field, value in said.items() if value is not None})
        if request.dry_run:
            return _planned(request, dataset, dataset.plan_of(query))
        return told(request, query.as_json(), _released(request, dataset, query))

    return Verb(
        run,
        (*_OPTIONS, *options, *connection.OPTIONS),
        example,
        about=_ABOUT,
        spends=True,
        remote=True,
        hint=connection.stray,
        elsewhere=connection.ELSEWHERE,
    )


def told(request: Request, asked: Mapping[str, Any], answer: Release[Any]) -> Answer:
    """Return what was paid for in words and for programs; what has another form is printed as it is.

    Raises:
        Unsaved: it has another form.
    """
    from dpselect.cli.served.answers import answered

    try:
        return answered(request, asked, answer)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        whole = json.dumps(answer._answer, indent=2)
        raise paths.Unsaved("It has not the form of an answer: tell the curator.", whole) from None


def _released(request: Request, dataset: client.RemoteDataset, query: Query[Any]) -> Release[Any]:
    """Return the answer; where it is lost, say what it was asked with, because it may have been paid for."""
    from dpselect.client.keys import chosen
    from dpselect.client.problem import NoAnswer
    from dpselect.kernel.errors import PrivacyError

    key = chosen(request.key)
    again = f"The same command with --key {shlex.quote(key)} asks for the answer again, and nothing is paid twice"
    try:
        answer: Release[Any] = dataset.ask(query, key=key)
    except KeyboardInterrupt:
        request.paid = True
        print(f"{request.prog}: {again}.", file=sys.stderr)
        raise
    except NoAnswer as lost:
        request.paid = True
        raise ConnectionError(f"{lost.why} {again}: what is spent stays spent.") from None
    except (ConnectionError, PrivacyError):
        request.paid = True
        raise
    request.paid = True
    return answer


def _planned(request: Request, dataset: client.RemoteDataset, plan: Plan) -> Answer:
    from dpselect.cli.plan import promise
    from dpselect.cli.release import shown
    from dpselect.cli.served.answers import accuracy, cost
    from dpselect.cli.served.left import left_of, left_words

    left = left_of(dataset.facts)
    lines = [
        "Dry run: nothing was spent, drawn or written.",
        f"cost       {cost(plan)}",
        f"mechanism  {shown(plan.mechanism)}",
        f"accuracy   {shown(plan.error_bound.describe())}",
        f"left       {left_words(left)}",
    ]
    facts = {
        "dry_run": True,
        "mechanism": plan.mechanism,
        "guarantee": promise(plan.guarantee),
        "accuracy": accuracy(plan.error_bound.facts()),
        "accuracy_line": plan.error_bound.describe(),
        "protects": plan.protects or PROTECTED_UNITS[plan.guarantee.neighbours],
        "server": request.server,
        "dataset": dataset.name,
        "left": {whose: {name: str(amount) for name, amount in each.items()} for whose, each in left.items()},
    }
    return Answer("\n".join(lines), facts)

"""Queries to a server: planned for nothing, or paid for once and answered in the words of this machine's answers.

No text of a server steers a terminal.
"""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpselect.cli import dataset_options, paths, query_answers
from dpselect.cli.answer_files import FILES
from dpselect.cli.command import CommandAnswer
from dpselect.cli.key_options import is_said
from dpselect.cli.plan_text import facts_text, promise, state_error
from dpselect.cli.release_text import escape_name
from dpselect.cli.request import Request
from dpselect.cli.served import connection, place_of
from dpselect.cli.served.remaining import left_of, left_words
from dpselect.cli.tables import AnswerTable, Part, ReleaseFacts
from dpselect.client.idempotency_keys import key_or_new
from dpselect.client.problem import AnswerLostError
from dpselect.kernel.errors import InputError, LostConnectionError, PrivacyError
from dpselect.kernel.neighbours import PROTECTED_UNITS

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpselect.client import RemoteDataset
    from dpselect.dataset import Dataset
    from dpselect.kernel.guarantee import Guarantee
    from dpselect.queries.base import Query
    from dpselect.queries.plan import Plan
    from dpselect.release.release import Release

# Options of the same command about this machine, by what is said of them where a server is asked.
_NOT_HERE = {
    "ledger": "the server pays from its own ledger",
    "question": "the server makes the certificate",
    "file_hash": "the server makes the certificate",
    "workers": "the server decides it",
}


def answer_served(request: Request, query: Callable[[Dataset | None], Query[Any]]) -> CommandAnswer:
    """Return the answer of a server to a query; a dry run asks it for its plan.

    Args:
        request: the command line.
        query: returns it by the public description of the dataset, where that can be known here.

    Raises:
        ValueError: as :meth:`RemoteDataset.ask`, or an option of this machine.
        ConnectionError, BudgetError, PrivacyError: as :meth:`RemoteDataset.ask`.
    """
    _require_no_stray(request)
    server, name = place_of(str(request.dataset))
    key = key_or_new(request.key)
    dataset = connection.connect_server(request, server).dataset(name)
    description = dataset.description
    with dataset_options.error_location(request):
        asked = query(description)
        # What public facts refuse is refused before anything is sent.
        dataset.read(asked)
    if description is not None and asked.form in FILES:
        FILES[asked.form].require(request, asked, description)
    if request.dry_run:
        return _plan_answer(request, dataset, dataset.plan_of(asked))
    return served_release(request, _ask_server(request, dataset, asked, key), asked, description, server, name)


def served_release(
    request: Request,
    release: Release[Any],
    query: Query[Any] | None,
    description: Dataset | None,
    server: str,
    name: str,
) -> CommandAnswer:
    """Return what was paid for in words and for programs; where its query is not known here, as it is.

    Raises:
        UnsavedError: it has not the form of an answer to the query.
    """
    receipt = release.receipt
    assert receipt is not None
    request.outcome.protected = _privacy_unit(
        release.guarantee, str(release.certificate().content["guarantee"]["protects"])
    )
    whole = json.dumps(release._answer, indent=2, default=str)
    if query is None or description is None:
        cost = f"{facts_text(release.guarantee, protected=request.outcome.protected)}, by {release.mechanism}"
        facts = {"answer": release._answer, "mechanism": release.mechanism, "guarantee": promise(release.guarantee)}
        answer = CommandAnswer(
            f"{whole}\n{cost}\n{release.error_bound.describe()}", facts | state_error(release.error_bound)
        )
    else:
        request.outcome.counted = release.error_bound.rows_per_person
        try:
            answer = query_answers.release_answer(request, query, description, release)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
            raise paths.UnsavedError("It has not the form of an answer: tell the curator.", whole) from None
    where = {
        "server": server,
        "dataset": name,
        "request": receipt.request,
        "ledger_row": receipt.ledger_row,
        "key": receipt.key,
    }
    line = f"request {receipt.request}, row {receipt.ledger_row} of the ledger of {name}"
    return replace(_printable(answer.with_line(line, where)), certificate=release.certificate())


def _printable(answer: CommandAnswer) -> CommandAnswer:
    """Return an answer whose words steer no terminal; tables spell theirs out."""
    return replace(answer, text=_lines(answer.text), parts=[*map(_printable_part, answer.parts)])


def _printable_part(part: Part) -> Part:
    if isinstance(part, ReleaseFacts):
        return ReleaseFacts(_lines(part.price), _lines(part.accuracy), [*map(_lines, part.further)], _lines(part.note))
    return part if isinstance(part, AnswerTable) else _lines(part)


def _lines(text: str) -> str:
    return "\n".join(map(escape_name, text.split("\n")))


def _ask_server(request: Request, dataset: RemoteDataset, query: Query[Any], key: str) -> Release[Any]:
    """Return the answer; where it is lost, say what it was asked with, because it may have been paid for."""
    again = f"The same command with --key {shlex.quote(key)} asks for the answer again, and nothing is paid twice"
    try:
        release = dataset.ask(query, key=key)
    except KeyboardInterrupt:
        request.outcome.paid = True
        print(f"{request.prog}: {again}.", file=sys.stderr)
        raise
    except AnswerLostError as lost:
        request.outcome.paid = True
        raise LostConnectionError(f"{lost.why} {again}: what is spent stays spent.") from None
    except (ConnectionError, PrivacyError):
        request.outcome.paid = True
        raise
    request.outcome.paid = True
    return release


def _plan_answer(request: Request, dataset: RemoteDataset, plan: Plan) -> CommandAnswer:
    left = left_of(dataset.facts)
    lines = [
        "Dry run: nothing was spent, drawn or written.",
        f"cost       {facts_text(plan.guarantee, protected=None if plan.protects is None else _bare(plan.protects))}",
        f"mechanism  {plan.mechanism}",
        f"accuracy   {plan.error_bound.describe()}",
        f"left       {left_words(left)}",
    ]
    facts = {
        "dry_run": True,
        "mechanism": plan.mechanism,
        "guarantee": promise(plan.guarantee),
        **state_error(plan.error_bound),
        "protects": plan.protects or PROTECTED_UNITS[plan.guarantee.neighbours],
        "server": place_of(str(request.dataset))[0],
        "dataset": dataset.name,
        "left": {whose: {name: str(amount) for name, amount in each.items()} for whose, each in left.items()},
    }
    return _printable(CommandAnswer("\n".join(lines), facts))


def _privacy_unit(guarantee: Guarantee, words: str) -> str | None:
    """Return who is protected, where the relation alone does not say it."""
    return None if PROTECTED_UNITS[guarantee.neighbours] == words else _bare(words)


def _bare(words: str) -> str:
    return words.removeprefix("one ")


def _require_no_stray(request: Request) -> None:
    """Refuse what is said of a file or a ledger of this machine (``ValueError``)."""
    for name, parameter in request.parameters.items():
        public = "the server knows it, from its curator" if dataset_options.is_of_dataset(parameter) else None
        why, value = _NOT_HERE.get(name, public), request.get(name)
        if why is not None and value != parameter.default and is_said(value):
            raise InputError(f"{paths.label_of(parameter)}: {why}, so leave it out.")

"""dpselect history: what you asked a server, and its answers once more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpselect.cli import paths
from dpselect.cli.command import Command, CommandAnswer
from dpselect.cli.options import OUTPUT, option
from dpselect.cli.request import Request
from dpselect.cli.served import connection
from dpselect.cli.tables import AnswerTable
from dpselect.kernel.errors import InputError


def run(request: Request) -> CommandAnswer:
    """Return the list, or one answer."""
    if request.request is not None:
        return _again(request)
    if request.certificate is not None:
        raise InputError("--certificate is of one answer: name its request by --request.")
    from dpselect.cli.release_text import escape_name

    asked = connection.connect_server(request, request.server).history()
    rows = [[escape_name(cell) for cell in _cells(each)] for each in asked]
    table = AnswerTable(("asked", "dataset", "query", "state", "row", "request"), rows)
    facts = {"server": request.server, "requests": asked}
    return CommandAnswer.of([table], facts) if rows else CommandAnswer("You asked nothing of this server yet.", facts)


def _again(request: Request) -> CommandAnswer:
    from dataclasses import replace

    from dpselect.cli.served.served_answers import served_release
    from dpselect.queries import query_of

    server = connection.connect_server(request, request.server)
    asked = next((each for each in server.history() if each.get("request") == request.request), {})
    release = server.answer(request.request)
    name = str(asked.get("dataset"))
    try:
        query, description = query_of(asked["query"]), server.dataset(name).description
    except (LookupError, ValueError):
        # It is another dataset now, or a query of the server alone.
        query, description = None, None
    answered = served_release(request, release, query, description, request.server, name)
    return replace(answered, facts={"server": request.server, "requests": [asked], "answer": answered.facts})


def _cells(asked: Mapping[str, Any]) -> list[str]:
    """Return what the list shows of a request."""
    from dpselect.certificates.answer_table import words

    query = asked.get("query")
    named = dict(query) if isinstance(query, Mapping) else {}
    verb = str(named.pop("query", "")).replace("_", "-")
    said = [f"{name} {words(value)}" for name, value in named.items() if value is not None]
    row = asked.get("ledger_row")
    moment = str(asked.get("asked"))[:16].replace("T", " ")
    return [
        moment,
        str(asked.get("dataset")),
        f"{verb}: {', '.join(said)}",
        str(asked.get("state")),
        "" if row is None else str(row),
        str(asked.get("request")),
    ]


VERB = Command(
    run,
    (
        connection.SERVER,
        option("--request", metavar="NUMBER", help="show the answer to this request once more, at no cost"),
        paths.output(
            "--certificate",
            endings=(".json", ".html"),
            panel=OUTPUT,
            help="with --request: save the certificate that the server made, as .json or .html",
        ),
        *connection.options(),
    ),
    "dpselect history https://dp.example.org",
    about="Protected: no table is read, and nothing is spent. It shows your questions, and the answers "
    "that are paid for.",
    elsewhere=connection.ELSEWHERE,
)

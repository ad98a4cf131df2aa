"""dpselect history: what you asked a server, and its answers once more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpselect.cli import paths
from dpselect.cli.options import OUTPUT, option
from dpselect.cli.request import Request
from dpselect.cli.served import connection
from dpselect.cli.tables import Table
from dpselect.cli.verb import Answer, Verb


def run(request: Request) -> Answer:
    """Return the list, or one answer."""
    if request.request is not None:
        return _again(request)
    if request.certificate is not None:
        raise ValueError("--certificate is of one answer: name its request by --request.")
    from dpselect.cli.release import shown

    asked = connection.connected(request).history()
    rows = [[shown(cell) for cell in _cells(each)] for each in asked]
    table = Table(("asked", "dataset", "question", "state", "row", "request"), rows)
    facts = {"server": request.server, "requests": asked}
    return Answer.of([table], facts) if rows else Answer("You asked nothing of this server yet.", facts)


def _again(request: Request) -> Answer:
    from dataclasses import replace

    from dpselect.cli.served.question import told

    server = connection.connected(request)
    asked = [each for each in server.history() if each.get("request") == request.request]
    answer = server.answer(request.request)
    request.dataset = str(asked[0].get("dataset")) if asked else ""
    answered = told(request, asked[0]["query"] if asked else {}, answer)
    return replace(answered, facts={"server": request.server, "requests": asked, "answer": answered.facts})


def _cells(asked: Mapping[str, Any]) -> list[str]:
    """Return what the list shows of a request."""
    from dpselect.certificates.page import words

    question = asked.get("query")
    named = dict(question) if isinstance(question, Mapping) else {}
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


VERB = Verb(
    run,
    (
        option("--request", metavar="NUMBER", help="show the answer to this request once more; it is free"),
        paths.output(
            "--certificate",
            endings=(".json", ".html"),
            panel=OUTPUT,
            help="with --request: save the certificate that the server made, as .json or .html",
        ),
        *connection.OPTIONS,
    ),
    "dpselect history --server https://dp.example.org",
    about="Protected: no table is read, and nothing is spent. What is shown are your questions, and answers that were "
    "paid for before.",
    remote=True,
    hint=connection.stray,
    elsewhere=connection.ELSEWHERE,
)

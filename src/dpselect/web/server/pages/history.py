"""The history of an analyst: each request with its answer, all of them, and their certificates."""

from __future__ import annotations

import csv
import io
import json
import re
from concurrent.futures import wait
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from dpselect.certificates.answer_table import AnswerShown, answer_shown, no_formula
from dpselect.certificates.certificate import Certificate
from dpselect.certificates.page import answer_markup, record
from dpselect.web.server import serializers
from dpselect.web.server.dependencies import Analyst
from dpselect.web.server.error_pages import HOME
from dpselect.web.server.errors import NotFoundError
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.pages.budget_bar import budget_bars
from dpselect.web.server.pages.layout import moment, page
from dpselect.web.server.requests import Job
from dpselect.web.server.users import User

# How long a page waits for an answer before it is shown without.
_SECONDS = 1.5


def asked_pages(jobs: JobQueue) -> APIRouter:
    """Return the addresses of requests, of the history and of certificates."""
    router = APIRouter()

    @router.get(f"{HOME}/requests/{{number}}")
    def request_page(number: str, request: Request, user: Analyst) -> Response:
        asked = jobs.find(number, user.name)
        if asked.answer is None and (future := jobs.start_job(asked)) is not None:
            wait([future], _SECONDS)
            asked = jobs.find(number, user.name)
        facts: dict[str, Any] = {"asked": asked, "words": _words(jobs, asked), "when": moment(asked.created)}
        if asked.answer is None:
            return page(request, "waiting.html", "Your answer is being drawn", **facts)
        content = json.loads(asked.answer)
        if asked.state != "answered":
            titles = {"refused": "This was not asked", "failed": "This could not be answered"}
            return page(request, "unanswered.html", titles[asked.state], **facts, problem=content["problem"])
        return page(request, "answer.html", "Answer", **facts, **_answer_facts(jobs, asked, content, user))

    @router.get(f"{HOME}/requests/{{number}}/answer.csv")
    def answer_file(number: str, user: Analyst) -> Response:
        asked = jobs.find(number, user.name)
        if asked.state != "answered" or asked.answer is None:
            raise NotFoundError("This request has no answer.")
        text = io.StringIO()
        shown = _answer_table(json.loads(asked.answer), json.loads(asked.body))
        csv.writer(text, lineterminator="\n").writerows([*map(no_formula, line)] for line in shown.lines)
        headers = {"content-disposition": f'attachment; filename="answer-{asked.id}.csv"'}
        return Response(text.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)

    @router.get(f"{HOME}/history")
    def history(request: Request, user: Analyst) -> Response:
        listed = [
            {"words": _words(jobs, each), "when": moment(each.created), **serializers.job_entry(each)}
            for each in jobs.server_state.requests.history(user.name)
        ]
        return page(request, "history.html", "History", requests=listed)

    @router.get(f"{HOME}/certificates/{{number}}")
    def certificate(number: str, request: Request, user: Analyst) -> Response:
        made = Certificate.of(jobs.certificate(number, user.name), number)
        body = record(made.content, made.sha256, made.as_json())
        return page(request, "certificate.html", "Certificate", number=number, record=body)

    @router.get(f"{HOME}/certificates/{{number}}/page")
    def file(number: str, user: Analyst) -> Response:
        made = Certificate.of(jobs.certificate(number, user.name), number)
        headers = {"content-disposition": f'attachment; filename="certificate-{number}.html"'}
        return HTMLResponse(made.as_html(), headers=headers)

    return router


def _answer_facts(jobs: JobQueue, asked: Job, content: dict[str, Any], user: User) -> dict[str, Any]:
    """Return an answer as its page shows it, what it cost of the budget, and the address of the same question."""
    body = json.loads(asked.body)
    shown, dataset = _answer_table(content, body), jobs.server_state.datasets.get(asked.dataset)
    # One unit alone is a unit of every number in the file.
    units = () if dataset is None else dataset.description.unit
    unit = f" {units[0]}" if len(units) == 1 and "candidates" in content["answer"] else ""
    fields = {name: value for name, value in body.items() if name != "query" and value is not None}
    question = {name: str(value).lower() if isinstance(value, bool) else value for name, value in fields.items()}
    return {
        "content": content,
        "sentence": _sentence(_words(jobs, asked), f"{shown.value}{unit}") if shown.value else "",
        "answer": answer_markup(shown),
        "picture": shown.picture,
        "budget": () if dataset is None else [*budget_bars(dataset, user)],
        "again": f"{HOME}/datasets/{asked.dataset}/{body['query']}?{urlencode(question, doseq=True)}",
    }


def _answer_table(content: dict[str, Any], body: dict[str, Any]) -> AnswerShown:
    """Return the answer, with the interval of every count where all of them are within one distance."""
    shown = answer_shown(content["answer"], body)
    accuracy = content["certificate"]["certificate"]["accuracy"] or {}
    within = accuracy.get("error_below")
    if shown.header[1:] == ("count",) and isinstance(within, int):
        return shown.with_interval(within - 1)
    return shown


def _sentence(words: str, value: str) -> str:
    """Return an answer to a question, in the words of the question.

    >>> _sentence("What is the median of age?", "47"), _sentence("Which node is largest by degree?", "7")
    ('The median of age is 47.', '7')
    """
    what = re.fullmatch(r"What is (the [^,?]+)\?", words)
    return f"{what[1][:1].upper()}{what[1][1:]} is {value}." if what else value


def _words(jobs: JobQueue, asked: Job) -> str:
    try:
        return jobs.server_state.query_of(asked.body).words()
    except ValueError:
        # Another version of this server took it.
        return asked.body

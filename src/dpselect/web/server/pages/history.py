"""The history of an analyst: each request with its answer, all of them, and their certificates."""

from __future__ import annotations

import json
from concurrent.futures import wait
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from dpselect.certificates.certificate import Certificate
from dpselect.certificates.page import record
from dpselect.web.server import serializers
from dpselect.web.server.dependencies import Analyst
from dpselect.web.server.error_pages import HOME
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.pages.answer_page import answer_shown
from dpselect.web.server.pages.layout import moment, page
from dpselect.web.server.requests import Job

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
        answer = answer_shown(content["answer"], json.loads(asked.body))
        return page(request, "answer.html", "Answer", **facts, content=content, answer=answer)

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


def _words(jobs: JobQueue, asked: Job) -> str:
    try:
        return jobs.server_state.query_of(asked.body).words()
    except ValueError:
        # Another version of this server took it.
        return asked.body

"""What an analyst has asked: each request with its answer, all of them, and their certificates."""

from __future__ import annotations

import json
from concurrent.futures import wait
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from dpselect.certificates.certificate import Certificate
from dpselect.certificates.page import record
from dpselect.web.server import shown
from dpselect.web.server.desk import Desk
from dpselect.web.server.pages.answers import answer_shown
from dpselect.web.server.pages.shell import moment, page
from dpselect.web.server.refusal import Unknown
from dpselect.web.server.refused import HOME
from dpselect.web.server.requests import Asked
from dpselect.web.server.visitors import Analyst

# How long a page waits for an answer before it is shown without.
_SECONDS = 1.5


def asked_pages(desk: Desk) -> APIRouter:
    """Return the addresses of requests, of the history and of certificates."""
    router = APIRouter()

    @router.get(f"{HOME}/requests/{{number}}")
    def request_page(number: str, request: Request, visitor: Analyst) -> Response:
        asked = _found(desk, number, visitor.name)
        if asked.answer is None and (future := desk.begin(asked)) is not None:
            wait([future], _SECONDS)
            asked = _found(desk, number, visitor.name)
        facts: dict[str, Any] = {"asked": asked, "words": _words(desk, asked), "when": moment(asked.created)}
        if asked.answer is None:
            return page(request, "waiting.html", "Your answer is being drawn", **facts)
        content = json.loads(asked.answer)
        if asked.state != "answered":
            titles = {"refused": "This was not asked", "failed": "This could not be answered"}
            return page(request, "unanswered.html", titles[asked.state], **facts, problem=content["problem"])
        answer = answer_shown(content["answer"], json.loads(asked.body))
        return page(request, "answer.html", "Answer", **facts, content=content, answer=answer)

    @router.get(f"{HOME}/history")
    def history(request: Request, visitor: Analyst) -> Response:
        listed = [
            {"words": _words(desk, each), "when": moment(each.created), **shown.asked(each)}
            for each in desk.house.requests.history(visitor.name)
        ]
        return page(request, "history.html", "History", requests=listed)

    @router.get(f"{HOME}/certificates/{{number}}")
    def certificate(number: str, request: Request, visitor: Analyst) -> Response:
        made = _certificate(desk, number, visitor.name)
        body = record(made.content, made.sha256, made.as_json())
        return page(request, "certificate.html", "Certificate", number=number, record=body)

    @router.get(f"{HOME}/certificates/{{number}}/page")
    def file(number: str, visitor: Analyst) -> Response:
        made = _certificate(desk, number, visitor.name)
        headers = {"content-disposition": f'attachment; filename="certificate-{number}.html"'}
        return HTMLResponse(made.as_html(), headers=headers)

    return router


def _found(desk: Desk, number: str, analyst: str) -> Asked:
    asked = desk.house.requests.find(number if number.isascii() and number.isprintable() else "", analyst)
    if asked is None:
        raise Unknown("There is no such request, or none of yours.")
    return asked


def _certificate(desk: Desk, number: str, analyst: str) -> Certificate:
    asked = _found(desk, number, analyst)
    if asked.state != "answered" or asked.answer is None:
        raise Unknown("This request has no answer, so there is no certificate.")
    return Certificate.of(json.loads(asked.answer)["certificate"], asked.id)


def _words(desk: Desk, asked: Asked) -> str:
    try:
        return desk.house.query_of(asked.body).words()
    except ValueError:
        # Another version of this server took it.
        return asked.body

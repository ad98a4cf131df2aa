"""Refusals over HTTP: problem details (RFC 9457), one sentence each, that quote nothing private."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from dpselect.web.server.errors import InvalidQueryError, RefusalError

TYPE = "application/problem+json"
# Whatever goes wrong inside: no stack trace, and nothing that an error says.
INSIDE = "The server cannot do this now; whether something was spent is in its ledgers: ask again with the same key."


def problem(status: int, sentence: str, **more: Any) -> dict[str, Any]:
    """Return the details of a problem."""
    return {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": sentence, **more}


def problem_response(status: int, sentence: str, headers: Mapping[str, str] | None = None, **more: Any) -> Response:
    """Return a response that says what is wrong."""
    return Response(json.dumps(problem(status, sentence, **more)), status, headers, TYPE)


def handle(application: FastAPI) -> None:
    """Let every refusal of an application be a problem."""

    @application.exception_handler(RefusalError)
    def refused(_: Request, error: RefusalError) -> Response:
        more: dict[str, Any] = {} if error.error is None else {"error": error.error}
        if isinstance(error, InvalidQueryError) and error.field:
            more["errors"] = [{"where": error.field, "sentence": error.sentence}]
        return problem_response(error.status, str(error), **more)

    @application.exception_handler(RequestValidationError)
    def invalid(_: Request, error: RequestValidationError) -> Response:
        errors = [{"where": _place(each["loc"]), "sentence": _sentence(each["msg"])} for each in error.errors()]
        return problem_response(
            422, "The request is not one of those that are described in /openapi.json.", errors=errors
        )

    @application.exception_handler(HTTPException)
    def spoken(_: Request, error: HTTPException) -> Response:
        words = {404: "This address does not exist.", 405: "This address takes other methods."}
        sentence = words.get(error.status_code, "The request cannot be read.")
        return problem_response(error.status_code, sentence, error.headers)

    @application.exception_handler(Exception)
    def inside(_: Request, __: Exception) -> Response:
        return problem_response(500, INSIDE)


def _place(places: Sequence[Any]) -> str:
    return ".".join(str(place) for place in places)


def _sentence(message: str) -> str:
    return message.removeprefix("Value error, ")

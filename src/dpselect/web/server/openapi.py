"""Schemas of replies: their form, for those who write clients and for tools that check them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from dpselect.web.server.problems import TYPE

# What each status means; they are the same at every address.
_REFUSALS = {
    400: "The request cannot be read.",
    401: "The token is missing, or not valid.",
    403: "Nothing was spent: the dataset is paused, or not so much is released or shared.",
    404: "This name or number does not exist, or is not for you.",
    408: "The request took too long to arrive.",
    409: "The idempotency key was used for another request, or a stream has ended, or another server holds it.",
    413: "The request is too long.",
    421: "The server has another name.",
    422: "The request is not a question about this dataset, or not one of those that are described.",
    424: "The request was paid for and could not be answered.",
    429: "There were too many requests.",
    500: "The server cannot do this now.",
    503: "The provider of your token does not answer.",
}
_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"const": "about:blank"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "request": {"type": "string"},
        "state": {"enum": ["refused", "failed"]},
        "error": {"const": "PrivacyError"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["where", "sentence"],
                "properties": {"where": {"type": "string"}, "sentence": {"type": "string"}},
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"description": words, "content": {TYPE: {"schema": _PROBLEM}}} for status, words in _REFUSALS.items()
}


class WaitingReply(BaseModel):
    """A request without an answer: ask for it again.

    Attributes:
        request: its number.
        state: how far it is.
    """

    request: str
    state: Literal["queued", "running"]


class ReleaseReply(BaseModel):
    """A release. What it promises is in the certificate, as ``dpselect certificate verify`` reads it.

    Attributes:
        request: the number of the request.
        state: that it is answered.
        answer: what was drawn.
        mechanism: how.
        guarantee: what it cost, and whom it protects.
        accuracy: how wrong the answer may be, in a sentence.
        ledger_row: the row of the spend.
        certificate: of this release.
        model: of a query that trains one, as dpselect saves it.
    """

    request: str
    state: Literal["answered"]
    answer: Any
    mechanism: str
    guarantee: dict[str, Any]
    accuracy: str
    ledger_row: int
    certificate: dict[str, Any]
    model: dict[str, Any] | None = None


ANSWER_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"model": ReleaseReply, "description": "the answer, the same each time"},
    202: {"model": WaitingReply, "description": "not answered yet: ask again"},
}

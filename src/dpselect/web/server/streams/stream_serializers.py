"""Schemas of streams and their answers, and how they are shown."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel

from dpselect.certificates.certificate import guarantee_facts
from dpselect.kernel.guarantee import Guarantee
from dpselect.kernel.neighbours import neighbours
from dpselect.release.above_threshold import NAME
from dpselect.web.server.serializers import moment
from dpselect.web.server.streams.records import Ending, StoredAnswer, Stream
from dpselect.web.server.streams.sessions import opening_of


class QueryAnswer(BaseModel):
    """One answer of a stream.

    Attributes:
        stream: its number.
        place: which query it was, from 1 on.
        above: whether the noisy count reached the noisy threshold.
        level: which level said so, 0 the cheapest.
        gap: how far above the noisy count was.
        paid: what the answer took of the epsilon of the stream.
        remaining: what is left for answers above.
        ended: whether nothing more is answered.
    """

    stream: str
    place: int
    above: bool
    level: int | None
    gap: int | None
    paid: str
    remaining: str
    ended: bool


class QueryWaiting(BaseModel):
    """A query without an answer: send it again with the same key.

    Attributes:
        stream: its number.
        state: that it is being answered.
    """

    stream: str
    state: Literal["running"]


class StreamReply(BaseModel):
    """A stream: everything that its analyst may know of it.

    Attributes:
        stream: its number.
        dataset: what about.
        opening: what it was opened with.
        state: how far it is.
        ending: why it has ended.
        mechanism: what draws its answers.
        guarantee: what the whole of it promises.
        ledger_row: the row of its price, once it was paid.
        asked: how many queries are answered.
        remaining: what is left of its epsilon for answers above.
        opened: when.
    """

    stream: str
    dataset: str
    opening: dict[str, Any]
    state: Literal["opening", "open", "ended"]
    ending: Ending | None
    mechanism: str
    guarantee: dict[str, Any]
    ledger_row: int | None
    asked: int
    remaining: str | None
    opened: str


class Transcript(StreamReply):
    """A stream with its answers.

    Attributes:
        queries: in order: each query, and its answer or the problem that ended the stream.
    """

    queries: list[dict[str, Any]]


QUERY_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"model": QueryAnswer, "description": "the answer, the same each time"},
    202: {"model": QueryWaiting, "description": "not answered yet: send it again with the same key"},
}
STREAM_RESPONSES: dict[int | str, dict[str, Any]] = {200: {"model": StreamReply, "description": "the stream"}}


def stream_entry(stream: Stream, protected: str) -> dict[str, Any]:
    """Return a stream for programs.

    Args:
        stream: what the database has.
        protected: the relation of neighbours of its dataset.
    """
    guarantee = Guarantee(opening_of(stream).epsilon, neighbours(protected))
    return {
        "stream": stream.id,
        "dataset": stream.dataset,
        "opening": json.loads(stream.body),
        "state": stream.state,
        "ending": stream.ending,
        "mechanism": NAME,
        "guarantee": guarantee_facts(guarantee),
        "ledger_row": stream.row,
        "asked": stream.asked,
        "remaining": stream.remaining,
        "opened": moment(stream.created),
    }


def answer_entry(stored: StoredAnswer) -> dict[str, Any]:
    """Return a query with its answer."""
    return {"query": json.loads(stored.body), "answer": json.loads(stored.answer)}

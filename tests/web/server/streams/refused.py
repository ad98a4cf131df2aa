"""Statements that would break the promise of a stream, and which every database must refuse."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dpselect.web.server.state import ServerState

# The state of the stream, and what is sent to the database.
BREAKING = [
    ("open", "UPDATE streams SET state = 'opening'"),
    ("open", "UPDATE streams SET holder = 'other'"),
    ("open", "UPDATE streams SET holder = NULL"),
    ("open", "DELETE FROM streams"),
    ("open", "DELETE FROM stream_queries"),
    ("open", "UPDATE stream_queries SET answer = '{}'"),
    ("open", "UPDATE stream_queries SET idempotency_key = 'other'"),
    ("ended", "UPDATE streams SET state = 'open', ending = NULL"),
    ("ended", "UPDATE streams SET state = 'opening', ending = NULL, holder = NULL"),
    ("ended", "UPDATE streams SET ending = 'lost'"),
    ("ended", "UPDATE streams SET asked = 0"),
    ("ended", "UPDATE streams SET remaining = '2'"),
    ("ended", "DELETE FROM streams"),
    ("ended", "DELETE FROM stream_queries"),
    ("ended", "UPDATE stream_queries SET answer = '{}'"),
]


def stream_with_an_answer(server_state: ServerState, state: str) -> str:
    """Make a stream of ann with one answer, open or ended; return its number."""
    number = server_state.streams.open("ann", "stands", "survey", "{}").id
    assert server_state.streams.begin(number, "one", 60, 1, "2")
    assert server_state.streams.keep(number, "key", "k", lambda place: (200, f"{place}"), "1", lambda _: None)
    if state == "ended":
        server_state.streams.end(number, "closed")
    return number


@contextmanager
def unchanged(server_state: ServerState, number: str) -> Iterator[None]:
    """Check that a stream and its answers are afterwards what they were before."""
    before = server_state.streams.find(number), server_state.streams.queries(number, 0, 9)
    yield
    assert before == (server_state.streams.find(number), server_state.streams.queries(number, 0, 9))

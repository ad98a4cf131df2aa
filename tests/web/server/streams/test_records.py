"""The database itself keeps streams: what is open is not opened again, and what has ended is not changed."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="the server needs the extra web")
pytest.importorskip("sqlalchemy", reason="the server needs the extra web")

from sqlalchemy.exc import IntegrityError

from tests.web.server.streams.refused import BREAKING, stream_with_an_answer, unchanged


@pytest.mark.parametrize(("state", "statement"), BREAKING)
def test_a_stream_stands(server_state, state, statement) -> None:
    """Whoever sends such a statement to the file is refused, and nothing has changed."""
    number = stream_with_an_answer(server_state, state)
    refused = pytest.raises(IntegrityError, match="stands|once")
    with unchanged(server_state, number), refused, server_state.database.writing() as statements:
        statements.run(statement)


def test_a_stream_is_opened_and_ended_once(server_state) -> None:
    """The second process that says it holds the secret is told no; the first reason of an end stays."""
    number = server_state.streams.open("ann", "k", "survey", "{}").id

    assert [True, False] == [server_state.streams.begin(number, holder, 60, 1, "2") for holder in ("one", "other")]
    server_state.streams.end(number, "closed")
    server_state.streams.end(number, "lost")
    stream = server_state.streams.find(number)
    assert ("one", "closed", False) == (
        stream.holder,
        stream.ending,
        server_state.streams.begin(number, "other", 60, 1, "2"),
    )


def test_an_answer_that_comes_late_is_not_stored(server_state) -> None:
    """Once a stream has ended there is no place for an answer, and none is made."""
    number = stream_with_an_answer(server_state, "ended")

    assert server_state.streams.keep(number, "late", "{}", lambda _: pytest.fail("made"), "1", lambda _: None) is None
    assert ["k"] == [each.body for each in server_state.streams.queries(number, 0, 9)]

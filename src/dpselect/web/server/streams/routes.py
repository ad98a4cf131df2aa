"""Streams over HTTP, for analysts."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

from fastapi import APIRouter, Header
from fastapi import Query as Parameter
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from dpselect.web.server.dependencies import Analyst, CurrentUser
from dpselect.web.server.errors import RefusalError
from dpselect.web.server.jobs import REQUEST_FAILED
from dpselect.web.server.problems import TYPE, problem
from dpselect.web.server.streams.opening import Opening, ThresholdQuestion, plan_stream
from dpselect.web.server.streams.records import StoredAnswer, Stream
from dpselect.web.server.streams.sessions import SparseVectorSessions
from dpselect.web.server.streams.stream_serializers import (
    QUERY_RESPONSES,
    STREAM_RESPONSES,
    StreamReply,
    Transcript,
    answer_entry,
    stream_entry,
)

_Key = Annotated[str, Header(pattern=r"^[!-~]{1,200}$", description="of your choice, a new one for each request")]
_WITHOUT = {"refused": (403, None), "failed": (424, REQUEST_FAILED)}


def stream_routes(streams: SparseVectorSessions) -> APIRouter:
    """Return the routes of streams."""
    router = APIRouter()
    _opening_routes(router, streams)
    _routes_of_one(router, streams)
    return router


def _opening_routes(router: APIRouter, streams: SparseVectorSessions) -> None:
    @router.post("/datasets/{name}/streams/plan")
    def plan(name: str, opening: Opening, user: CurrentUser) -> dict[str, Any]:
        """Return what a stream would cost and how wrong its answers may be. It costs nothing and reads no row."""
        return plan_stream(streams.jobs.dataset(name, user.analyst), opening).as_json()

    @router.post("/datasets/{name}/streams", responses=STREAM_RESPONSES)
    def opened(name: str, opening: Opening, user: Analyst, idempotency_key: _Key) -> Response:
        """Pay for a stream and open it. The same key gives the same stream, which is paid for once."""
        stream = streams.open(user.name, idempotency_key, name, opening)
        where = {"location": f"/streams/{stream.id}"}
        if stream.ending in _WITHOUT and not stream.asked:
            status, sentence = _WITHOUT[stream.ending]
            body = problem(status, sentence or stream.sentence or "", request=stream.id, state=stream.ending)
            return Response(json.dumps(body), status, where, TYPE)
        return JSONResponse(_stream_facts(streams, stream), 200, where)

    @router.get("/streams")
    def mine(user: Analyst) -> list[StreamReply]:
        """Return your streams, newest first."""
        return [StreamReply(**_stream_facts(streams, each)) for each in streams.of(user.name)]


def _routes_of_one(router: APIRouter, streams: SparseVectorSessions) -> None:
    @router.get("/streams/{number}")
    def transcript(
        number: str,
        user: Analyst,
        after: Annotated[int, Parameter(ge=0, le=2**31)] = 0,
        most: Annotated[int, Parameter(ge=1, le=1000)] = 1000,
    ) -> Transcript:
        """Return one of your streams, with its queries behind one and their answers."""
        stream = streams.find(number, user.name)
        listed = [answer_entry(each) for each in streams.records.queries(stream.id, after, most)]
        return Transcript(**_stream_facts(streams, stream), queries=listed)

    @router.delete("/streams/{number}", status_code=204)
    def closed(number: str, user: Analyst) -> Response:
        """End one of your streams; what is left of it is not given back."""
        streams.close(streams.find(number, user.name))
        return Response(status_code=204)

    @router.post("/streams/{number}/queries", responses=QUERY_RESPONSES)
    async def ask(number: str, query: ThresholdQuestion, user: Analyst, idempotency_key: _Key) -> Response:
        """Ask the next query of one of your streams. The same key gives the same answer."""
        stream = await run_in_threadpool(streams.find, number, user.name)
        future = await run_in_threadpool(streams.begin, stream, idempotency_key, query)
        done, _ = await asyncio.wait({asyncio.wrap_future(future)}, timeout=streams.limits.seconds)
        return _reply(stream, done.pop().result() if done else None)


def _stream_facts(streams: SparseVectorSessions, stream: Stream) -> dict[str, Any]:
    return stream_entry(stream, streams.server_state.datasets[stream.dataset].description.neighbours)


def _reply(stream: Stream, result: StoredAnswer | RefusalError | None) -> Response:
    """Return what is stored, byte for byte, or that it is to be asked for again."""
    if isinstance(result, RefusalError):
        raise result
    if result is None:
        return JSONResponse({"stream": stream.id, "state": "running"}, 202, {"retry-after": "1"})
    return Response(result.answer, result.status, None, "application/json" if result.status == 200 else TYPE)

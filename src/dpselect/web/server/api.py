"""The server over HTTP: analysts plan and ask, curators see and limit."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Header
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from dpselect._version import VERSION
from dpselect.web.headers import Application, strict
from dpselect.web.server import shown
from dpselect.web.server.curator import curator_routes
from dpselect.web.server.described import ANSWERED, REFUSALS
from dpselect.web.server.desk import Desk
from dpselect.web.server.gate import HEALTH, Gate
from dpselect.web.server.pages.site import with_pages
from dpselect.web.server.problems import TYPE, handle, problem
from dpselect.web.server.queries import BODY, AnyQuery, describe
from dpselect.web.server.refusal import Unknown
from dpselect.web.server.requests import Asked
from dpselect.web.server.streams.desk import StreamDesk
from dpselect.web.server.streams.routes import stream_routes
from dpselect.web.server.visitors import Analyst, AnyVisitor, Curator

_ABOUT = (
    "Ask private data under differential privacy. A plan costs nothing; a release is paid for before any row is read, "
    "and its answer is stored before it is sent, so that the same idempotency key gives the same answer."
)
_POLL = 0.05
Key = Annotated[str, Header(pattern=r"^[!-~]{1,200}$", description="of your choice, a new one for each request")]


def server(desk: Desk, hosts: frozenset[str]) -> Application:
    """Return the application with all its walls.

    Args:
        desk: what answers; it is started and stopped with the application.
        hosts: what a request may call this server.
    """

    streams = StreamDesk(desk)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await run_in_threadpool(desk.start)
        await run_in_threadpool(streams.start)
        yield
        await run_in_threadpool(streams.stop)
        await run_in_threadpool(desk.stop)

    application = FastAPI(
        title="dpselect",
        version=VERSION,
        description=_ABOUT,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        # What is sent elsewhere would be sent without TLS: a server behind a proxy does not know of it.
        redirect_slashes=False,
        responses=REFUSALS,
    )
    handle(application)
    describe(application, desk.house.queries)
    # The gate looks at tokens; the schema says where.
    guarded = APIRouter(dependencies=[Depends(HTTPBearer(auto_error=False))])
    _dataset_routes(guarded, desk)
    _request_routes(guarded, desk)
    guarded.include_router(stream_routes(streams))
    guarded.include_router(curator_routes(desk))
    house = desk.house
    gate = Gate(
        with_pages(application, desk), house.people, house.sessions, house.settings.limits, hosts, openid=house.openid
    )

    @application.get(HEALTH)
    def health() -> dict[str, str]:
        """Say that the server and its database answer. No token is needed."""
        with desk.house.database.reading() as statements:
            statements.row("SELECT 1 AS one")
        return {"status": "ok"}

    @guarded.get("/metrics", response_class=PlainTextResponse)
    def metrics(_: Curator) -> PlainTextResponse:
        """Return how many requests ended with which status; curators only."""
        lines = ["# TYPE dpselect_http_replies_total counter"]
        lines += [
            f'dpselect_http_replies_total{{status="{code}"}} {many}' for code, many in sorted(gate.counts.items())
        ]
        return PlainTextResponse("\n".join(lines) + "\n")

    application.include_router(guarded)
    return strict(gate)


def _dataset_routes(router: APIRouter, desk: Desk) -> None:
    @router.get("/datasets")
    def datasets(visitor: AnyVisitor) -> list[dict[str, Any]]:
        """Return the datasets that you may ask about, with what is left."""
        return shown.listed(desk.house, visitor)

    @router.get("/datasets/{name}")
    def dataset(name: str, visitor: AnyVisitor) -> dict[str, Any]:
        """Return the public facts of a dataset, and what is left."""
        found = desk.dataset(name, None if visitor.role == "curator" else visitor.name)
        return shown.details(found, visitor, desk.house.standings.of(name))

    @router.post("/datasets/{name}/plan", openapi_extra=BODY)
    def plan(name: str, visitor: AnyVisitor, query: AnyQuery) -> dict[str, Any]:
        """Return what a query would cost and how wrong its answer may be. It costs nothing and reads no row."""
        found = desk.dataset(name, None if visitor.role == "curator" else visitor.name)
        return found.plan(query, desk.house.settings.limits.candidates).as_json()

    @router.post("/datasets/{name}/release", responses=ANSWERED, openapi_extra=BODY)
    async def release(name: str, visitor: Analyst, query: AnyQuery, idempotency_key: Key) -> Response:
        """Pay for a query and return its answer, or where to ask for it. The same key gives the same answer."""
        asked = await run_in_threadpool(desk.take, visitor.name, idempotency_key, name, query)
        return _reply(await _awaited(desk, asked))


def _request_routes(router: APIRouter, desk: Desk) -> None:
    def find(number: str, analyst: str) -> Asked:
        asked = desk.house.requests.find(number if number.isascii() and number.isprintable() else "", analyst)
        if asked is None:
            raise Unknown("There is no such request, or none of yours.")
        return asked

    @router.get("/requests/{number}", responses=ANSWERED)
    def request(number: str, visitor: Analyst) -> Response:
        """Return the answer to one of your requests, or how far it is."""
        return _reply(find(number, visitor.name))

    @router.get("/history")
    def history(visitor: Analyst) -> list[dict[str, Any]]:
        """Return your requests, newest first."""
        return [shown.asked(each) for each in desk.house.requests.history(visitor.name)]

    @router.get("/certificates/{number}")
    def certificate(number: str, visitor: Analyst) -> JSONResponse:
        """Return the certificate of one of your answered requests, as a file that dpselect reads."""
        asked = find(number, visitor.name)
        if asked.state != "answered" or asked.answer is None:
            raise Unknown("This request has no answer, so there is no certificate.")
        name = f'attachment; filename="certificate-{asked.id}.json"'
        return JSONResponse(json.loads(asked.answer)["certificate"], headers={"content-disposition": name})

    @router.get("/models/{number}")
    def model(number: str, visitor: Analyst) -> JSONResponse:
        """Return the model that one of your answered requests trained, as a file that dpselect reads."""
        asked = find(number, visitor.name)
        trained = None if asked.state != "answered" else json.loads(asked.answer or "{}").get("model")
        if trained is None:
            raise Unknown("This request has trained no model.")
        name = f'attachment; filename="model-{asked.id}.json"'
        return JSONResponse(trained, headers={"content-disposition": name})


async def _awaited(desk: Desk, asked: Asked) -> Asked:
    """Return the request as soon as it has an answer, or as it is when its time is over."""
    until = time.monotonic() + desk.house.settings.limits.seconds
    while asked.answer is None and (left := until - time.monotonic()) > 0:
        future = desk.begin(asked)
        found = None
        if future is not None:
            tried = asyncio.wrap_future(future)
            await asyncio.wait({tried}, timeout=left)
            if tried.done() and not tried.cancelled() and tried.exception() is None:
                found = tried.result()
        if found is None:
            found = await run_in_threadpool(desk.house.requests.find, asked.id)
        asked = found or asked
        if asked.answer is None:
            # Another server has it, or it is tried again later.
            await asyncio.sleep(_POLL)
    return asked


def _reply(asked: Asked) -> Response:
    """Return what is stored, byte for byte, or where to ask for it."""
    where = {"location": f"/requests/{asked.id}"}
    if asked.answer is None:
        return JSONResponse({"request": asked.id, "state": asked.state}, 202, where | {"retry-after": "1"})
    if asked.state == "answered":
        return Response(asked.answer, 200, where, "application/json")
    said = json.loads(asked.answer)["problem"]
    body = problem(said["status"], said["detail"], request=asked.id, state=asked.state)
    return Response(json.dumps(body), said["status"], where, TYPE)

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
from dpselect.web.server import serializers
from dpselect.web.server.curator import curator_routes
from dpselect.web.server.dependencies import Analyst, Curator, CurrentUser
from dpselect.web.server.errors import NotFoundError
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.middleware import HEALTH, AuthMiddleware
from dpselect.web.server.openapi import ANSWER_RESPONSES, REFUSALS
from dpselect.web.server.pages.site import with_pages
from dpselect.web.server.problems import TYPE, handle, problem
from dpselect.web.server.queries import BODY, AnyQuery, describe
from dpselect.web.server.requests import Job
from dpselect.web.server.streams.routes import stream_routes
from dpselect.web.server.streams.sessions import SparseVectorSessions

_ABOUT = (
    "Ask private data under differential privacy. A plan costs nothing; a release is paid for before any row is read, "
    "and its answer is stored before it is sent, so that the same idempotency key gives the same answer."
)
_POLL = 0.05
Key = Annotated[str, Header(pattern=r"^[!-~]{1,200}$", description="of your choice, a new one for each request")]


def server(jobs: JobQueue, hosts: frozenset[str]) -> Application:
    """Return the application with all its walls.

    Args:
        jobs: what answers; it is started and stopped with the application.
        hosts: what a request may call this server.
    """

    streams = SparseVectorSessions(jobs)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await run_in_threadpool(jobs.start)
        await run_in_threadpool(streams.start)
        yield
        await run_in_threadpool(jobs.stop)
        await run_in_threadpool(streams.stop)

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
    describe(application, jobs.server_state.queries)
    # The middleware checks tokens; the schema says where.
    guarded = APIRouter(dependencies=[Depends(HTTPBearer(auto_error=False))])
    _dataset_routes(guarded, jobs)
    _request_routes(guarded, jobs)
    guarded.include_router(stream_routes(streams))
    guarded.include_router(curator_routes(jobs))
    state = jobs.server_state
    middleware = AuthMiddleware(
        with_pages(application, jobs), state.people, state.sessions, state.settings.limits, hosts, openid=state.openid
    )

    @application.get(HEALTH)
    def health() -> dict[str, str]:
        """Say that the server and its database answer. No token is needed."""
        with jobs.server_state.database.reading() as statements:
            statements.row("SELECT 1 AS one")
        return {"status": "ok"}

    @guarded.get("/metrics", response_class=PlainTextResponse)
    def metrics(_: Curator) -> PlainTextResponse:
        """Return how many requests ended with which status; curators only."""
        lines = ["# TYPE dpselect_http_replies_total counter"]
        lines += [
            f'dpselect_http_replies_total{{status="{code}"}} {many}' for code, many in sorted(middleware.counts.items())
        ]
        return PlainTextResponse("\n".join(lines) + "\n")

    application.include_router(guarded)
    return strict(middleware)


def _dataset_routes(router: APIRouter, jobs: JobQueue) -> None:
    @router.get("/datasets")
    def datasets(user: CurrentUser) -> list[dict[str, Any]]:
        """Return the datasets that you may ask about, with what is left."""
        return serializers.list_datasets(jobs.server_state, user)

    @router.get("/datasets/{name}")
    def dataset(name: str, user: CurrentUser) -> dict[str, Any]:
        """Return the public facts of a dataset, and what is left."""
        found = jobs.dataset(name, user.analyst)
        return serializers.details(found, user, jobs.server_state.standings.of(name))

    @router.post("/datasets/{name}/plan", openapi_extra=BODY)
    def plan(name: str, user: CurrentUser, query: AnyQuery) -> dict[str, Any]:
        """Return what a query would cost and how wrong its answer may be. It costs nothing and reads no row."""
        found = jobs.dataset(name, user.analyst)
        return found.plan(query, jobs.server_state.settings.limits.candidates).as_json()

    @router.post("/datasets/{name}/release", responses=ANSWER_RESPONSES, openapi_extra=BODY)
    async def release(name: str, user: Analyst, query: AnyQuery, idempotency_key: Key) -> Response:
        """Pay for a query and return its answer, or where to ask for it. The same key gives the same answer."""
        asked = await run_in_threadpool(jobs.submit, user.name, idempotency_key, name, query)
        return _reply(await _wait_for_answer(jobs, asked))


def _request_routes(router: APIRouter, jobs: JobQueue) -> None:
    @router.get("/requests/{number}", responses=ANSWER_RESPONSES)
    def request(number: str, user: Analyst) -> Response:
        """Return the answer to one of your requests, or how far it is."""
        return _reply(jobs.find(number, user.name))

    @router.get("/history")
    def history(user: Analyst) -> list[dict[str, Any]]:
        """Return your requests, newest first."""
        return [serializers.job_entry(each) for each in jobs.server_state.requests.history(user.name)]

    @router.get("/certificates/{number}")
    def certificate(number: str, user: Analyst) -> JSONResponse:
        """Return the certificate of one of your answered requests, as a file that dpselect reads."""
        name = f'attachment; filename="certificate-{number}.json"'
        return JSONResponse(jobs.certificate(number, user.name), headers={"content-disposition": name})

    @router.get("/models/{number}")
    def model(number: str, user: Analyst) -> JSONResponse:
        """Return the model that one of your answered requests trained, as a file that dpselect reads."""
        asked = jobs.find(number, user.name)
        trained = None if asked.state != "answered" else json.loads(asked.answer or "{}").get("model")
        if trained is None:
            raise NotFoundError("This request has trained no model.")
        name = f'attachment; filename="model-{asked.id}.json"'
        return JSONResponse(trained, headers={"content-disposition": name})


async def _wait_for_answer(jobs: JobQueue, asked: Job) -> Job:
    """Return the request as soon as it has an answer, or as it is when its time is over."""
    until = time.monotonic() + jobs.server_state.settings.limits.seconds
    while asked.answer is None and (left := until - time.monotonic()) > 0:
        future = jobs.start_job(asked)
        found = None
        if future is not None:
            tried = asyncio.wrap_future(future)
            await asyncio.wait({tried}, timeout=left)
            if tried.done() and not tried.cancelled() and tried.exception() is None:
                found = tried.result()
        if found is None:
            found = await run_in_threadpool(jobs.server_state.requests.find, asked.id)
        asked = found or asked
        if asked.answer is None:
            # Another server has it, or it is tried again later.
            await asyncio.sleep(_POLL)
    return asked


def _reply(asked: Job) -> Response:
    """Return what is stored, byte for byte, or where to ask for it."""
    where = {"location": f"/requests/{asked.id}"}
    if asked.answer is None:
        return JSONResponse({"request": asked.id, "state": asked.state}, 202, where | {"retry-after": "1"})
    if asked.state == "answered":
        return Response(asked.answer, 200, where, "application/json")
    said = json.loads(asked.answer)["problem"]
    body = problem(said["status"], said["detail"], request=asked.id, state=asked.state)
    return Response(json.dumps(body), said["status"], where, TYPE)

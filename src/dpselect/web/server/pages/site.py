"""All pages, beside the addresses for programs."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from dpselect.web.headers import Application, Receive, Scope, Send
from dpselect.web.server import serializers
from dpselect.web.server.dependencies import CurrentUser
from dpselect.web.server.error_pages import HOME, STATIC, is_page, said_on_pages, title_of
from dpselect.web.server.errors import RefusalError
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.pages import public
from dpselect.web.server.pages.ask import question_pages
from dpselect.web.server.pages.budget_bar import budget_bars
from dpselect.web.server.pages.budgets import budget_pages
from dpselect.web.server.pages.fields import queries_about
from dpselect.web.server.pages.form import UNREADABLE, own_form
from dpselect.web.server.pages.history import asked_pages
from dpselect.web.server.pages.layout import page
from dpselect.web.server.pages.login import entering
from dpselect.web.server.pages.openid import openid_pages
from dpselect.web.server.pages.users import user_pages
from dpselect.web.server.problems import INSIDE

_KINDS = {
    # The explorer and the server look alike.
    "explorer.css": ("dpselect.web.explorer", "text/css; charset=utf-8"),
    "copy.js": ("dpselect.web.explorer", "text/javascript; charset=utf-8"),
    "icon.svg": ("dpselect.web.explorer", "image/svg+xml"),
    "pages.css": ("dpselect.web.server.pages", "text/css; charset=utf-8"),
    "waiting.js": ("dpselect.web.server.pages", "text/javascript; charset=utf-8"),
}


def with_pages(application: Application, jobs: JobQueue) -> Application:
    """Return an application that answers at the addresses of pages too."""
    site = _site(jobs)

    async def answered(scope: Scope, receive: Receive, send: Send) -> None:
        here = scope["type"] == "http" and is_page(scope["path"])
        await (site if here else application)(scope, receive, send)

    return answered


def _site(jobs: JobQueue) -> FastAPI:
    site = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    _refusals(site)
    site.include_router(entering(jobs))
    site.include_router(looks())
    if jobs.server_state.openid is not None:
        site.include_router(openid_pages(jobs.server_state.openid, jobs.server_state.sessions))
    # Whatever changes something proves that its form was made for the user who sends it.
    inner = APIRouter(dependencies=[Depends(own_form)])
    for pages in (dataset_pages, question_pages, asked_pages, budget_pages, user_pages):
        inner.include_router(pages(jobs))
    site.include_router(inner)

    @site.get("/")
    def start() -> Response:
        return RedirectResponse(HOME, 303)

    return site


def _refusals(site: FastAPI) -> None:
    def said(request: Request, status: int, sentence: str) -> Response:
        return page(request, "refused.html", title_of(status), status, sentence=said_on_pages(status, sentence))

    @site.exception_handler(RefusalError)
    def refused(request: Request, error: RefusalError) -> Response:
        return said(request, error.status, str(error))

    @site.exception_handler(RequestValidationError)
    def invalid(request: Request, _: RequestValidationError) -> Response:
        return said(request, 422, UNREADABLE)

    @site.exception_handler(HTTPException)
    def spoken(request: Request, error: HTTPException) -> Response:
        words = {404: "This page does not exist.", 405: "This page cannot be asked for in this way."}
        return said(request, error.status_code, words.get(error.status_code, "The request cannot be read."))

    @site.exception_handler(Exception)
    def inside(request: Request, _: Exception) -> Response:
        return said(request, 500, INSIDE)


def looks() -> APIRouter:
    """Return the addresses of style sheets and pictures."""
    router = APIRouter()

    @router.get(f"{STATIC}/{{name}}")
    def static(name: str) -> Response:
        if name not in _KINDS:
            raise HTTPException(404)
        package, kind = _KINDS[name]
        return Response(_file(package, name), media_type=kind)

    return router


@cache
def _file(package: str, name: str) -> bytes:
    return files(package).joinpath("static", name).read_bytes()


def dataset_pages(jobs: JobQueue) -> APIRouter:
    """Return the addresses of datasets."""
    router = APIRouter()

    @router.get(HOME)
    def datasets(request: Request, user: CurrentUser) -> Response:
        listed = serializers.list_datasets(jobs.server_state, user)
        held = jobs.server_state.datasets
        budgets = {each["name"]: budget_bars(held[each["name"]], user) for each in listed}
        return page(request, "datasets.html", "Datasets", datasets=listed, budgets=budgets)

    @router.get(f"{HOME}/datasets/{{name}}")
    def dataset(name: str, request: Request, user: CurrentUser) -> Response:
        found = jobs.dataset(name, user.analyst)
        queries = queries_about(found.description, jobs.server_state.queries)
        facts: dict[str, Any] = {
            "dataset": serializers.details(found, user, jobs.server_state.standings.of(name)),
            "budget": budget_bars(found, user),
            "queries": [(kind, query.title, query.about()) for kind, query in queries.items()],
            "columns": public.columns(found.description),
            "nodes": public.nodes(found.description),
        }
        return page(request, "dataset.html", name, **facts)

    return router

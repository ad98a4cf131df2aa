"""All pages, beside the addresses for programs."""

from __future__ import annotations

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from dpselect.web.headers import Application, Receive, Scope, Send
from dpselect.web.server.desk import Desk
from dpselect.web.server.pages.datasets import dataset_pages
from dpselect.web.server.pages.enter import entering
from dpselect.web.server.pages.form import own_form
from dpselect.web.server.pages.looks import looks
from dpselect.web.server.problems import INSIDE
from dpselect.web.server.refusal import Refusal
from dpselect.web.server.refused import HOME, is_page, refusal_page


def with_pages(application: Application, desk: Desk) -> Application:
    """Return an application that answers at the addresses of pages too."""
    site = _site(desk)

    async def answered(scope: Scope, receive: Receive, send: Send) -> None:
        here = scope["type"] == "http" and is_page(scope["path"])
        await (site if here else application)(scope, receive, send)

    return answered


def _site(desk: Desk) -> FastAPI:
    site = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    _refusals(site)
    site.include_router(entering(desk))
    site.include_router(looks())
    # Whatever changes something shows that it comes from a form of this session.
    inner = APIRouter(dependencies=[Depends(own_form)])
    for pages in (dataset_pages,):
        inner.include_router(pages(desk))
    site.include_router(inner)

    @site.get("/")
    def start() -> Response:
        return RedirectResponse(HOME, 303)

    return site


def _refusals(site: FastAPI) -> None:
    @site.exception_handler(Refusal)
    def refused(_: Request, error: Refusal) -> Response:
        return refusal_page(error.status, str(error))

    @site.exception_handler(RequestValidationError)
    def invalid(_: Request, __: RequestValidationError) -> Response:
        return refusal_page(422, "The form cannot be read: open the page again and fill it in once more.")

    @site.exception_handler(HTTPException)
    def spoken(_: Request, error: HTTPException) -> Response:
        words = {404: "There is no page at this address.", 405: "This page cannot be asked for in this way."}
        return refusal_page(error.status_code, words.get(error.status_code, "The request cannot be read."))

    @site.exception_handler(Exception)
    def inside(_: Request, __: Exception) -> Response:
        return refusal_page(500, INSIDE)

"""The datasets that a visitor may ask about, and the public facts of each."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from dpselect.web.server import shown
from dpselect.web.server.desk import Desk
from dpselect.web.server.pages.shell import page
from dpselect.web.server.refused import HOME
from dpselect.web.server.visitors import AnyVisitor


def dataset_pages(desk: Desk) -> APIRouter:
    """Return the addresses of datasets."""
    router = APIRouter()

    @router.get(HOME)
    def datasets(request: Request, visitor: AnyVisitor) -> Response:
        listed = shown.listed(desk.house, visitor)
        return page(request, "datasets.html", "Datasets", datasets=listed)

    return router

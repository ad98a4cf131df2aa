"""The datasets that a visitor may ask about, and the public facts of each."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from dpselect.web.server import shown
from dpselect.web.server.desk import Desk
from dpselect.web.server.pages import public
from dpselect.web.server.pages.fields import queries_about
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

    @router.get(f"{HOME}/datasets/{{name}}")
    def dataset(name: str, request: Request, visitor: AnyVisitor) -> Response:
        found = desk.dataset(name, None if visitor.role == "curator" else visitor.name)
        queries = queries_about(found.description, desk.house.queries)
        facts: dict[str, Any] = {
            "dataset": shown.details(found, visitor, desk.house.standings.of(name)),
            "queries": [(kind, query.title, query.about()) for kind, query in queries.items()],
            "columns": public.columns(found.description),
            "nodes": public.nodes(found.description),
        }
        return page(request, "dataset.html", name, **facts)

    return router

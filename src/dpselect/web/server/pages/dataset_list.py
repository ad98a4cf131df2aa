"""The datasets that a visitor may ask about, and the public facts of each."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from dpselect.web.server import serializers
from dpselect.web.server.dependencies import CurrentUser
from dpselect.web.server.error_pages import HOME
from dpselect.web.server.jobs import JobQueue
from dpselect.web.server.pages import public
from dpselect.web.server.pages.fields import queries_about
from dpselect.web.server.pages.layout import page


def dataset_pages(jobs: JobQueue) -> APIRouter:
    """Return the addresses of datasets."""
    router = APIRouter()

    @router.get(HOME)
    def datasets(request: Request, visitor: CurrentUser) -> Response:
        listed = serializers.list_datasets(jobs.server_state, visitor)
        return page(request, "datasets.html", "Datasets", datasets=listed)

    @router.get(f"{HOME}/datasets/{{name}}")
    def dataset(name: str, request: Request, visitor: CurrentUser) -> Response:
        found = jobs.dataset(name, None if visitor.role == "curator" else visitor.name)
        queries = queries_about(found.description, jobs.server_state.queries)
        facts: dict[str, Any] = {
            "dataset": serializers.details(found, visitor, jobs.server_state.standings.of(name)),
            "queries": [(kind, query.title, query.about()) for kind, query in queries.items()],
            "columns": public.columns(found.description),
            "nodes": public.nodes(found.description),
        }
        return page(request, "dataset.html", name, **facts)

    return router

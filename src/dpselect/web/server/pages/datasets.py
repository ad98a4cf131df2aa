"""The datasets that a visitor may ask about, and the public facts of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from dpselect.web.server import shown
from dpselect.web.server.desk import Desk
from dpselect.web.server.facts import Numbers
from dpselect.web.server.pages.fields import MODELS, about, asked_of, title
from dpselect.web.server.pages.shell import page
from dpselect.web.server.refused import HOME
from dpselect.web.server.visitors import AnyVisitor

# Public values that are listed.
_MOST = 60


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
        facts: dict[str, Any] = {
            "dataset": shown.details(found, visitor, desk.house.standings.of(name)),
            "questions": [(kind, title(kind), about(MODELS[kind])) for kind in asked_of(found.facts)],
            "columns": [(column, *_domain(domain)) for column, domain in found.facts.columns.items()],
            "nodes": _nodes(found.facts.nodes),
        }
        return page(request, "dataset.html", name, **facts)

    return router


def _domain(domain: Any) -> tuple[str, str]:
    """Return what a column holds, in words."""
    if isinstance(domain, Numbers):
        return "numbers", "{lower} to {upper} in steps of {step}".format(**domain.bounds)
    return "values", _some(domain)


def _nodes(nodes: Any) -> str:
    return "" if nodes is None else str(nodes) if isinstance(nodes, int) else f"{len(nodes)}: {_some(nodes)}"


def _some(values: Sequence[Any]) -> str:
    listed = ", ".join(map(str, values[:_MOST]))
    return listed if len(values) <= _MOST else f"{listed}, and {len(values) - _MOST} more"

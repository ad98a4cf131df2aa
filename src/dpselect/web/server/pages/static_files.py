"""Static files of pages, which everybody may have."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import Response

from dpselect.web.server.error_pages import STATIC

_KINDS = {
    # The explorer and the server look alike.
    "explorer.css": ("dpselect.web.explorer", "text/css; charset=utf-8"),
    "icon.svg": ("dpselect.web.explorer", "image/svg+xml"),
    "pages.css": ("dpselect.web.server.pages", "text/css; charset=utf-8"),
    "waiting.js": ("dpselect.web.server.pages", "text/javascript; charset=utf-8"),
}


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

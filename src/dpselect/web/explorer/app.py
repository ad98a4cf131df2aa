"""The explorer's pages over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response
from markupsafe import Markup

from dpselect.analysis.charts.look import WIDTH
from dpselect.kernel.errors import PrivacyError
from dpselect.kernel.markup import filled
from dpselect.web.explorer.field import Field, Number, Pairs
from dpselect.web.explorer.guard import Guard
from dpselect.web.explorer.material import EXAMPLES, Material
from dpselect.web.explorer.notebook import notebook
from dpselect.web.explorer.page import Chart, Page, State, View
from dpselect.web.explorer.pages import PAGES
from dpselect.web.headers import Application, strict

_STATIC = {
    "icon.svg": "image/svg+xml",
    "explorer.css": "text/css; charset=utf-8",
    "explorer.js": "text/javascript; charset=utf-8",
}
# How wide a page may ask a chart to be, in pixels.
_WIDE = Number("w", "The width", WIDTH, 240, 1200)
_READ = ["GET", "HEAD"]
# Of errors of the language itself, whose words are for programmers.
_FAILED = "The page cannot work with these values: numbers are too large or too far apart, or a name cannot be written."


@dataclass(frozen=True)
class _Shown:
    """What one request shows: the state that it gave, and the view or why there is none."""

    state: State
    written: Pairs
    width: float
    view: View | None
    problem: str = ""


def explorer(port: int, material: Material = EXAMPLES, pages: Sequence[Page] = PAGES) -> tuple[Application, Guard]:
    """Return the application with all its walls, and the guard, which knows the first address.

    Args:
        port: where it will listen on 127.0.0.1.
        material: the public data that the pages are about.
        pages: in the order of the list.
    """
    guard = Guard(_site(material, pages), port)
    return strict(guard), guard


def _site(material: Material, pages: Sequence[Page]) -> FastAPI:
    site = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    named = {page.path: page for page in pages}

    @site.exception_handler(404)
    def nowhere(_: Request, __: Exception) -> Response:
        return _missing(material, pages)

    @site.api_route("/", methods=_READ)
    def index() -> Response:
        return _html("index.html", _common(material, pages))

    @site.api_route("/static/{name}", methods=_READ)
    def static(name: str) -> Response:
        if name not in _STATIC:
            return _missing(material, pages)
        return Response(_file(name), media_type=_STATIC[name])

    @site.api_route("/{path}", methods=_READ)
    def page(path: str, request: Request) -> Response:
        if path not in named:
            return _missing(material, pages)
        fields = named[path].fields(material)
        common = _common(material, pages) | {"page": named[path], "fields": fields}

        def answer(shown: _Shown) -> Response:
            facts = common | {"values": shown.state} | _facts(named[path], shown)
            return _html("page.html", facts, 400 if shown.problem else 200)

        return _answered(_shown(named[path], material, request), answer)

    @site.api_route("/{path}/view", methods=_READ)
    def view(path: str, request: Request) -> Response:
        if path not in named:
            return _missing(material, pages)

        def answer(shown: _Shown) -> Response:
            return _html("view.html", _facts(named[path], shown), 400 if shown.problem else 200)

        return _answered(_shown(named[path], material, request), answer)

    @site.api_route("/{path}/notebook.ipynb", methods=_READ)
    def exported(path: str, request: Request) -> Response:
        if path not in named:
            return _missing(material, pages)

        def answer(shown: _Shown) -> Response:
            if shown.view is None:
                return _html("view.html", _facts(named[path], shown), 400)
            here = f"{path}?{urlencode(shown.written)}"
            headers = {"content-disposition": f'attachment; filename="dpselect-{path}.ipynb"'}
            cells = notebook(named[path], shown.view, here)
            return Response(cells, media_type="application/x-ipynb+json", headers=headers)

        return _answered(_shown(named[path], material, request), answer)

    return site


def _answered(shown: _Shown, answer: Callable[[_Shown], Response]) -> Response:
    """Return the answer, which draws charts and writes text, or the sentence that says that this failed."""
    try:
        return answer(shown)
    except (ArithmeticError, UnicodeError):
        return answer(replace(shown, view=None, problem=_FAILED))


def _shown(page: Page, material: Material, request: Request) -> _Shown:
    """Return what the query of a request asks for; what is wrong with it is a sentence, and what was right is kept."""
    query: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items():
        query.setdefault(name, []).append(value)
    state: dict[str, Any] = {}
    problem = ""
    fields: list[Field] = [*page.fields(material)]
    for field in [*fields, _WIDE]:
        try:
            state[field.name] = field.read(query)
        except ValueError as error:
            state[field.name], problem = field.read({}), problem or str(error)
    width = state.pop(_WIDE.name)
    written = [pair for field in fields for pair in field.write(state[field.name])]
    if problem:
        return _Shown(state, written, width, None, problem)
    try:
        return _Shown(state, written, width, page.view(state, material))
    except (ArithmeticError, UnicodeError):
        return _Shown(state, written, width, None, _FAILED)
    except (PrivacyError, ValueError, ImportError) as error:
        return _Shown(state, written, width, None, str(error))


def _facts(page: Page, shown: _Shown) -> dict[str, Any]:
    """Return the values of the template ``view.html``: charts are drawn here."""
    parts = []
    for part in shown.view.parts if shown.view else ():
        parts.append((part, Markup(part.draw(shown.width).svg()) if isinstance(part, Chart) else ""))
    link = f"/{page.path}?{urlencode(shown.written)}"
    export = f"/{page.path}/notebook.ipynb?{urlencode(shown.written)}"
    return {"view": shown.view, "parts": parts, "problem": shown.problem, "link": link, "export": export}


def _common(material: Material, pages: Sequence[Page]) -> dict[str, Any]:
    return {"pages": pages, "material": material, "page": None}


def _missing(material: Material, pages: Sequence[Page]) -> Response:
    return _html("missing.html", _common(material, pages), 404)


def _html(template: str, facts: dict[str, Any], status: int = 200) -> HTMLResponse:
    return HTMLResponse(str(filled("dpselect.web.explorer", template, **facts)), status)


@cache
def _file(name: str) -> bytes:
    return files("dpselect.web.explorer").joinpath("static", name).read_bytes()

"""The explorer's pages over HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from dpselect._display.markup import render
from dpselect.analysis.charts.look import WIDTH
from dpselect.kernel.errors import PrivacyError
from dpselect.web.explorer.explorer_page import Chart, Page, State, View
from dpselect.web.explorer.form_fields import Field, NumberField, Pairs
from dpselect.web.explorer.material import EXAMPLES, Material
from dpselect.web.explorer.pages import PAGES
from dpselect.web.explorer.token_middleware import TokenMiddleware
from dpselect.web.headers import Application, strict

# Between two parts of an example, which are a cell each: a notebook shows what a cell ends with.
NEXT = "\n# %%\n"
_STATIC = {
    "icon.svg": "image/svg+xml",
    "explorer.css": "text/css; charset=utf-8",
    "copy.js": "text/javascript; charset=utf-8",
    "explorer.js": "text/javascript; charset=utf-8",
}
# How wide a page may ask a chart to be, in pixels.
_WIDE = NumberField("w", "The width", WIDTH, 240, 1200)
# Of errors of the language itself, whose words are for programmers.
_PAGE_FAILED = (
    "The page cannot work with these values: numbers are too large or too far apart, or a name cannot be written."
)


@dataclass(frozen=True)
class _PageState:
    """The result of one request: the state that it gave, and the view or why there is none."""

    state: State
    written: Pairs
    width: float
    view: View | None
    problem: str = ""


# A page and what it shows to an answer.
_Show = Callable[[Page, _PageState], Response]


def explorer(
    port: int, material: Material = EXAMPLES, pages: Sequence[Page] = PAGES
) -> tuple[Application, TokenMiddleware]:
    """Return the application with all its walls, and the guard, which knows the first address.

    Args:
        port: where it will listen on 127.0.0.1.
        material: the public data that the pages are about.
        pages: in the order of the list.
    """
    guard = TokenMiddleware(_site(material, pages), port)
    return strict(guard), guard


def _site(material: Material, pages: Sequence[Page]) -> Starlette:
    by_path = {page.path: page for page in pages}

    def nowhere(_: Request, __: Exception | None = None) -> Response:
        return _missing(material, pages)

    def index(request: Request) -> Response:
        return _response_or_error(_page_state(pages[0], material, request), home)

    def static(request: Request) -> Response:
        name = request.path_params["name"]
        return Response(_file(name), media_type=_STATIC[name]) if name in _STATIC else nowhere(request)

    def of_page(show: _Show) -> Callable[[Request], Response]:
        """Return what answers for every page of the list, in one of three ways."""

        def answered(request: Request) -> Response:
            page = by_path.get(request.path_params["path"])
            if page is None:
                return nowhere(request)
            return _response_or_error(_page_state(page, material, request), lambda shown: show(page, shown))

        return answered

    def home(shown: _PageState) -> Response:
        """Return the list, with the first page's chart and slider above it."""
        first = pages[0]
        fields = [each for each in first.content.fields(material) if getattr(each, "slider", False)]
        facts = _common(material, pages) | {"first": first, "fields": fields, "values": shown.state, "home": True}
        return _html("index.html", facts | _facts(first, shown), 400 if shown.problem else 200)

    def whole(page: Page, shown: _PageState) -> Response:
        facts = _common(material, pages) | {"page": page, "content": page.content, "values": shown.state}
        facts |= {"fields": page.content.fields(material)} | _facts(page, shown)
        return _html("page.html", facts, 400 if shown.problem else 200)

    routes = [
        Route("/", index),
        Route("/static/{name}", static),
        Route("/{path}", of_page(whole)),
        Route("/{path}/view", of_page(_redrawn)),
        Route("/{path}/notebook.ipynb", of_page(_notebook_response)),
    ]
    site = Starlette(routes=routes, exception_handlers={404: nowhere})
    site.router.redirect_slashes = False
    return site


def _redrawn(page: Page, shown: _PageState) -> Response:
    return _html("view.html", _facts(page, shown), 400 if shown.problem else 200)


def _notebook_response(page: Page, shown: _PageState) -> Response:
    if shown.view is None:
        return _html("view.html", _facts(page, shown), 400)
    headers = {"content-disposition": f'attachment; filename="dpselect-{page.path}.ipynb"'}
    cells = notebook(page, shown.view, f"{page.path}?{urlencode(shown.written)}")
    return Response(cells, media_type="application/x-ipynb+json", headers=headers)


def _response_or_error(shown: _PageState, answer: Callable[[_PageState], Response]) -> Response:
    """Return the answer, which draws charts and writes text, or the sentence that says that this failed."""
    try:
        return answer(shown)
    except (ArithmeticError, UnicodeError):
        return answer(replace(shown, view=None, problem=_PAGE_FAILED))


def _page_state(page: Page, material: Material, request: Request) -> _PageState:
    """Return what the query of a request asks for; what is wrong with it is a sentence, and what was right is kept."""
    query: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items():
        query.setdefault(name, []).append(value)
    state: dict[str, Any] = {}
    problem = ""
    fields: list[Field] = [*page.content.fields(material)]
    for field in [*fields, _WIDE]:
        try:
            state[field.name] = field.read(query)
        except ValueError as error:
            state[field.name], problem = field.read({}), problem or str(error)
    width = state.pop(_WIDE.name)
    written = [pair for field in fields for pair in field.write(state[field.name])]
    if problem:
        return _PageState(state, written, width, None, problem)
    try:
        return _PageState(state, written, width, page.content.view(state, material))
    except (ArithmeticError, UnicodeError):
        return _PageState(state, written, width, None, _PAGE_FAILED)
    except (PrivacyError, ValueError, ImportError) as error:
        return _PageState(state, written, width, None, str(error))


def _facts(page: Page, shown: _PageState) -> dict[str, Any]:
    """Return the values of the template ``view.html``: charts are drawn here."""
    parts = []
    for part in shown.view.parts if shown.view else ():
        parts.append((part, Markup(part.draw(shown.width).svg()) if isinstance(part, Chart) else ""))
    link = f"/{page.path}?{urlencode(shown.written)}"
    export = f"/{page.path}/notebook.ipynb?{urlencode(shown.written)}"
    return {"view": shown.view, "parts": parts, "problem": shown.problem, "link": link, "export": export}


def _common(material: Material, pages: Sequence[Page]) -> dict[str, Any]:
    return {"pages": pages, "material": material, "page": None, "home": False}


def _missing(material: Material, pages: Sequence[Page]) -> Response:
    return _html("missing.html", _common(material, pages), 404)


def _html(template: str, facts: dict[str, Any], status: int = 200) -> HTMLResponse:
    return HTMLResponse(str(render("dpselect.web.explorer", template, **facts)), status)


@cache
def _file(name: str) -> bytes:
    return files("dpselect.web.explorer").joinpath("static", name).read_bytes()


def notebook(page: Page, view: View, address: str) -> str:
    """Return the text of a notebook (nbformat 4.5) that runs where dpselect is installed with the extra ``web``.

    The last cell holds the command and the Python for private data as text, which nothing runs.
    """
    commands = view.commands
    private = f"{commands.note}\n\n{_code_block('sh', commands.shell)}\n\n{_code_block('python', commands.python)}"
    cells = [
        _cell(
            "markdown", f"# {page.title}\n\n{page.question}\n\nPublic or made-up data only. Exact; nothing is spent."
        ),
        *(_cell("code", part) for part in view.example.split(NEXT)),
        _cell("markdown", f"## On private data\n\n{private}\n\nMade by `dpselect explore`, page `/{address}`."),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _code_block(language: str, text: str) -> str:
    """Return text that Markdown shows as it is, whatever names of files or candidates are in it."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _cell(kind: str, text: str) -> dict[str, Any]:
    lines = text.splitlines(keepends=True)
    common: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": lines}
    return common | ({"execution_count": None, "outputs": []} if kind == "code" else {})

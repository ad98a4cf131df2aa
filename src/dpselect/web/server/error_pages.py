"""Addresses of pages, and how a request is refused there and elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlencode

from starlette.responses import HTMLResponse, RedirectResponse, Response

from dpselect._display.markup import render
from dpselect.web.headers import Scope
from dpselect.web.server.problems import problem_response

HOME = "/pages"
LOGIN = "/login"
OPENID = "/login/openid"
STATIC = "/pages/static"
# What a page says above its sentence, by the status of the reply.
_TITLES = {
    401: "You are not logged in",
    403: "This is not allowed",
    404: "There is nothing here",
    409: "This was asked before",
    413: "This is too long",
    422: "This cannot be asked",
    429: "Too much at once",
    500: "The server cannot do this now",
    503: "The provider does not answer",
}
# Instead of a key, which pages keep to themselves.
_INSIDE = "Load the page again: what was paid for is not paid for twice."
# Addresses that a browser may be led to after it has logged in: of this server, and written in one way alone.
_BACK = re.compile(r"/pages(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*(?:\?[A-Za-z0-9._~%&=+-]*)?")


def is_page(path: str) -> bool:
    """Return whether an address is one of a page."""
    return path in ("/", LOGIN, "/logout", HOME) or path.startswith((f"{HOME}/", f"{LOGIN}/"))


def is_open(path: str) -> bool:
    """Return whether everybody may see a page: to log in, and the style sheets."""
    return path == LOGIN or path.startswith((f"{LOGIN}/", f"{STATIC}/"))


def back(address: str) -> str:
    """Return where a browser is led after it has logged in: an address of a page, or the first page.

    >>> back("/pages/history"), back("//elsewhere.example"), back("/pages/../logout")
    ('/pages/history', '/pages', '/pages')
    """
    return address if _BACK.fullmatch(address) else HOME


def refuse_request(scope: Scope, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return why a request is refused: as a page, as the way to log in, or as a problem for programs."""
    if not is_page(scope["path"]):
        return problem_response(status, sentence, headers)
    if status == 401:
        asked = scope["path"] + (f"?{query}" if (query := scope["query_string"].decode("latin-1")) else "")
        known = scope["method"] == "GET" and back(asked) == asked != HOME
        return RedirectResponse(f"{LOGIN}?{urlencode({'next': asked})}" if known else LOGIN, 303)
    kept = {name: value for name, value in (headers or {}).items() if name != "www-authenticate"}
    facts = {"title": title_of(status), "sentence": said_on_pages(status, sentence)}
    empty = {"current_user": None, "here": "", "places": (), "form_token": ""}
    return HTMLResponse(render("dpselect.web.server.pages", "refused.html", **facts, **empty), status, kept)


def title_of(status: int) -> str:
    """Return the heading of a page that says why something is not done."""
    return _TITLES.get(status, "This cannot be read")


def said_on_pages(status: int, sentence: str) -> str:
    """Return what a page says instead of a sentence for programs."""
    return _INSIDE if status == 500 else sentence

"""What the pages cannot compute or write is a sentence, never an error of the server."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra web")
from starlette.testclient import TestClient

from dpselect.web.explorer.app import explorer
from dpselect.web.explorer.explorer_page import Chart, Commands, Content, Note, Page, View
from dpselect.web.explorer.material import EXAMPLES, Material
from dpselect.web.explorer.pages import PAGES
from dpselect.web.explorer.text_column import TextColumn
from tests.web.explorer.conftest import PORT


def visited(material: Material = EXAMPLES, pages: Any = PAGES) -> TestClient:
    """Return a browser that was let in."""
    application, guard = explorer(PORT, material, pages)
    client = TestClient(application, base_url=f"http://127.0.0.1:{PORT}")
    client.get(guard.address())
    return client


def fails(error: Exception) -> Any:
    """Return a function that raises it, whatever it is asked."""

    def raised(*_: Any) -> Any:
        raise error

    return raised


SURROGATE = View("A name.", [Note("x\udcff", ["y\udcff"])], Commands("dpselect", ""), "")
DRAWN = View(
    "A chart.", [Chart("A chart", fails(OverflowError("endless")), "It is drawn.")], Commands("dpselect", ""), ""
)
ENDINGS = ("", "/view", "/notebook.ipynb")


@pytest.mark.parametrize(
    "view, endings",
    [
        (fails(OverflowError("too large")), ENDINGS),
        (fails(ZeroDivisionError("by zero")), ENDINGS),
        (fails(UnicodeEncodeError("utf-8", "\udcff", 0, 1, "surrogates")), ENDINGS),
        (lambda *_: SURROGATE, ENDINGS[:2]),
        (lambda *_: DRAWN, ENDINGS[:2]),
    ],
)
def test_what_cannot_be_computed_or_written_is_a_sentence(view, endings) -> None:
    """Errors of arithmetic and of text, in a view, a chart or the writing of a page, in fixed words."""
    client = visited(pages=(Page("broken", "Broken", "What is it?", known=Content(lambda _: (), view)),))

    for ending in endings:
        answer = client.get(f"/broken{ending}")
        assert 400 == answer.status_code
        assert "The page cannot work with these values" in answer.text
        assert not any(word in answer.text for word in ("too large:", "by zero", "surrogates", "endless"))


def test_the_largest_numbers_are_shown_or_refused() -> None:
    """A column whose ends are further apart than any float is no error of the server, on any page."""
    columns = {"far": TextColumn.of(["-1e308", "1e308", "0"] * 5)}
    client = visited(replace(EXAMPLES, columns=columns, visits=columns, given="table"))

    for page in PAGES:
        assert client.get(f"/{page.path}?column=far").status_code in (200, 400)

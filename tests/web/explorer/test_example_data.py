"""A page that cannot show what was named says so, where the name stands."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from dpselect.web.explorer.app import explorer
from dpselect.web.explorer.material import Material
from dpselect.web.explorer.text_column import TextColumn
from tests.web.explorer.conftest import PORT


def page(material: Material, path: str) -> str:
    """Return a page about some data."""
    application, guard = explorer(PORT, material)
    client = TestClient(application, base_url=f"http://127.0.0.1:{PORT}")
    client.get(guard.address())
    return client.get(path).text


def text_alone() -> Material:
    """A table without a number."""
    return Material(
        "towns.csv", {"name": TextColumn.of(["Ann", "Bob"]), "city": TextColumn.of(["X", "Y"])}, given="table"
    )


@pytest.mark.parametrize(("path", "why"), [("/percentile", "has no column of numbers"), ("/top-k", "needs --graph")])
def test_made_up_data_is_called_so(path: str, why: str) -> None:
    """Not under the name of the file alone."""
    shown = page(text_alone(), path)

    assert "This page shows made-up data:" in shown
    assert f"towns.csv {'was read as a table' if path == '/top-k' else ''}".strip() in shown
    assert why in shown


@pytest.mark.parametrize("path", ["/most-common", "/candidates"])
def test_what_was_named_is_shown_without_a_word(path: str) -> None:
    """Where the page has what it needs."""
    assert "This page shows made-up data:" not in page(text_alone(), path)


def test_examples_are_examples() -> None:
    """Where nothing was named the banner says already that data is made up."""
    assert "This page shows made-up data:" not in page(Material(), "/percentile")


def test_a_comma_is_a_decimal_mark(user) -> None:
    """As people type it; what is not a number is refused in a sentence."""
    assert user.get("/candidates/view?epsilon=0.7").text == user.get("/candidates/view?epsilon=0,7").text
    assert 400 == user.get("/candidates?epsilon=1,234.5").status_code

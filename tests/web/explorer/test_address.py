"""Where to begin: only a page that there is, and of a colleague's address only the page and its values."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dpselect.web.explorer.address import within
from dpselect.web.explorer.pages import PAGES


@pytest.mark.parametrize(
    "text, there",
    [
        ("/", "/"),
        ("", "/"),
        ("/top-k", "/top-k"),
        ("top-k?epsilon=2&k=3", "/top-k?epsilon=2&k=3"),
        ("/top-k/?epsilon=2", "/top-k?epsilon=2"),
        ("http://127.0.0.1:43211/top-k?epsilon=2", "/top-k?epsilon=2"),
        ("HTTP://localhost:1/most-common#shell", "/most-common"),
        ("http://127.0.0.1:43211", "/"),
        ("http://127.0.0.1:43211/?token=abc", "/?token=abc"),
        ("127.0.0.1:43211/planner?budget=1", "/planner?budget=1"),
        ("localhost/audit", "/audit"),
        ("//elsewhere.example/tree?class=rich", "/tree?class=rich"),
        ("/candidates?candidate=a%2Fb&candidate-count=1", "/candidates?candidate=a%2Fb&candidate-count=1"),
    ],
)
def test_of_an_address_the_page_and_its_values_count(text: str, there: str) -> None:
    """Neither the machine nor the port of whoever sent it."""
    assert there == within(text, PAGES)


@pytest.mark.parametrize(
    "text", ["/no", "http://127.0.0.1:1/no?x=1", "/top-k/view", "ftp://x/top-k", "/static/a", "..", "top_k"]
)
def test_an_unknown_page_is_refused_with_the_list(text: str) -> None:
    """Of all pages, as they are written."""
    with pytest.raises(ValueError, match="no such page") as error:
        within(text, PAGES)
    assert all(f"/{page.path}," in str(error.value) for page in PAGES)


def test_the_command_refuses_before_it_serves() -> None:
    """With status 2, one sentence, and no address."""
    pytest.importorskip("starlette", reason="the explorer needs the extra web")
    ended = subprocess.run(
        [sys.executable, "-m", "dpselect", "explore", "--at", "/no"], capture_output=True, text=True, timeout=60
    )

    assert (2, "") == (ended.returncode, ended.stdout)
    assert "has no such page" in " ".join(ended.stderr.split())

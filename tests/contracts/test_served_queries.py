"""The pages about the server list every query that there is."""

from pathlib import Path

import pytest

from dpselect.queries.registry import QUERIES

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["how-to/serve.md", "details/server.md"])
def test_a_page_lists_every_query(page: str) -> None:
    """One row for each, by its name in JSON."""
    text = (DOCS / page).read_text(encoding="utf-8")
    assert [name for name in QUERIES if f"\n| `{name}` |" not in text] == []

"""The notebooks of the site: stored without outputs, short, with links that lead somewhere, and they run."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


def cells(path: Path) -> list[dict]:
    """The cells of a notebook."""
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def test_every_notebook_is_in_the_navigation() -> None:
    """Under its own caption, and on the first page of one kind of reader."""
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r":caption: Notebooks\n\n(.*?)```", index, re.DOTALL)

    assert 4 == len(NOTEBOOKS)
    assert sorted(f"notebooks/{path.stem}" for path in NOTEBOOKS) == sorted(listed.split())
    first_pages = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "start").glob("*.md"))
    assert all(f"(../notebooks/{path.name})" in first_pages for path in NOTEBOOKS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_short_and_stored_without_outputs(path: Path) -> None:
    """Ten to fifteen cells; releases are random, so what somebody once saw is not kept."""
    book = cells(path)

    assert 10 <= len(book) <= 15
    assert book[0]["cell_type"] == "markdown"
    assert book[0]["source"].startswith("# ")
    for cell in book:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_links_of_a_notebook_lead_somewhere(path: Path) -> None:
    """Relative ones are pages of the site."""
    text = "\n".join(cell["source"] for cell in cells(path) if cell["cell_type"] == "markdown")
    links = re.findall(r"\]\((?!http)([^)#]+)\)", text)

    assert links
    assert all((path.parent / link).exists() for link in links)


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    """From top to bottom, without an error; the site is built from such a run too."""
    client = pytest.importorskip("nbclient")
    formats = pytest.importorskip("nbformat")
    book = formats.read(path, as_version=4)
    client.NotebookClient(book, timeout=120, resources={"metadata": {"path": tmp_path}}).execute()
    counts = [cell["execution_count"] for cell in book.cells if cell["cell_type"] == "code"]

    assert all(later == earlier + 1 for earlier, later in pairwise(counts))
    assert all(cell["outputs"] for cell in book.cells if cell["cell_type"] == "code" and _shows(cell["source"]))


def _shows(source: str) -> bool:
    """Return whether the last line of a cell is an expression."""
    return not re.search(r"^\w+ = .*\Z", source.splitlines()[-1])

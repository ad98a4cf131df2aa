"""What holds for every page of the explorer."""

from __future__ import annotations

import html
import json
import re

import pytest

from dpselect.web.explorer.material import EXAMPLES
from dpselect.web.explorer.pages import PAGES

PATHS = [page.path for page in PAGES]
INLINE = re.compile(r"<script(?! src=\"/static)|<style|\sstyle=|\son\w+=|javascript:", re.IGNORECASE)


@pytest.mark.parametrize("path", PATHS)
def test_a_page_shows_an_answer(user, path) -> None:
    """With its question, the command for private data, and the warning that the data is public."""
    answer = user.get(f"/{path}")

    assert 200 == answer.status_code
    for words in ("Public or made-up data only", 'class="headline"', "<pre", "dpselect "):
        assert words in answer.text


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_inline(user, path) -> None:
    """No script, style or handler stands in a page: the policy would refuse it."""
    assert None is INLINE.search(user.get(f"/{path}").text)


@pytest.mark.parametrize("path", PATHS)
def test_the_state_stands_in_the_address(user, path) -> None:
    """The address that a view gives shows the same view."""
    first = user.get(f"/{path}/view")
    link = re.search(r'<a href="(/[^"]*)">Address of this view', first.text)
    assert link is not None
    address = link[1].replace("&amp;", "&")

    assert first.text == user.get(address.replace(f"/{path}?", f"/{path}/view?")).text


@pytest.mark.parametrize("path", PATHS)
def test_a_wrong_value_is_a_sentence(user, path) -> None:
    """The page stands, and says what to do."""
    (page,) = [page for page in PAGES if page.path == path]
    numbers = [field for field in page.content.fields(EXAMPLES) if field.macro == "number"]
    for field in numbers:
        for wrong in ("nan", "-1e9", "1e400", "x"):
            answer = user.get(f"/{path}?{field.name}={wrong}")

            assert 400 == answer.status_code
            assert 'role="alert"' in answer.text
            assert "Traceback" not in answer.text


@pytest.mark.parametrize("path", PATHS)
def test_the_notebook_runs(user, path) -> None:
    """Its code cells run one after the other, and the last value is shown."""
    content = json.loads(user.get(f"/{path}/notebook.ipynb").text)
    code = ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code"]
    names: dict[str, object] = {}
    for cell in code:
        exec(compile(cell, "notebook", "exec"), names)

    assert (4, 5) == (content["nbformat"], content["nbformat_minor"])
    assert code
    assert len(content["cells"]) == len({cell["id"] for cell in content["cells"]})


@pytest.mark.parametrize("path", PATHS)
def test_the_last_cell_names_the_private_command(user, path) -> None:
    """As text that nothing runs: what the page shows under it."""
    last = json.loads(user.get(f"/{path}/notebook.ipynb").text)["cells"][-1]
    text, shown = "".join(last["source"]), html.unescape(user.get(f"/{path}").text)
    commands = re.findall(r"<code>(.*?)</code></pre>", shown, re.DOTALL)

    assert "markdown" == last["cell_type"]
    assert 2 == len(commands)
    assert all(f"\n{command}\n" in text for command in commands)


@pytest.mark.parametrize("path", PATHS)
def test_the_notebook_is_valid(user, path) -> None:
    """By the schema of nbformat 4.5."""
    formats = pytest.importorskip("nbformat")

    formats.validate(formats.reads(user.get(f"/{path}/notebook.ipynb").text, as_version=formats.NO_CONVERT))


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_the_notebook_runs_in_a_fresh_kernel(user, path, tmp_path) -> None:
    """In a process of its own and an empty folder; its last code cell shows a picture or a table."""
    client = pytest.importorskip("nbclient")
    formats = pytest.importorskip("nbformat")
    book = formats.reads(user.get(f"/{path}/notebook.ipynb").text, as_version=4)
    client.NotebookClient(book, timeout=120, resources={"metadata": {"path": tmp_path}}).execute()

    assert [cell for cell in book.cells if cell["cell_type"] == "code"][-1]["outputs"]


def test_hostile_names_stay_inside_their_fence(user) -> None:
    """Backticks in a name end no block of the notebook: its fence is longer than any run of them."""
    hostile = "a````<img src=x>"
    answer = user.get("/audit/notebook.ipynb", params={"candidates": f"{hostile}, b", "rows": "1"})
    last = "".join(json.loads(answer.text)["cells"][-1]["source"])
    lines = last.splitlines()
    fences = [line for line in lines if line.startswith("```")]

    assert ["```sh", "```", "`````python", "`````"] == fences
    assert any(hostile in line for line in lines[lines.index("`````python") :])


def test_an_unknown_page_is_missing(user) -> None:
    """With the list of pages, and no view or notebook."""
    for path in ("/no", "/no/view", "/no/notebook.ipynb", "/static/app.py"):
        assert 404 == user.get(path).status_code


def test_hostile_names_are_text(user) -> None:
    """In the page, in the picture, in the commands."""
    hostile = "<img src=x onerror=alert(1)>\"'&{{7*7}}"
    answer = user.get("/candidates", params={"candidate": [hostile, "b"], "candidate-count": ["3", "2"]})

    assert 200 == answer.status_code
    assert "<img" not in answer.text
    assert "&lt;img src=x" in answer.text
    assert "{{7*7}}" in answer.text


@pytest.mark.parametrize("page", PAGES, ids=PATHS)
def test_fields_are_put_away_for_values_that_their_choice_has(page) -> None:
    """Field and choice exist; some value of the choice shows the field, and another puts it away."""
    fields = {field.name: field for field in page.content.fields(EXAMPLES)}
    for name, (choice, values) in page.content.needs.items():
        options = {value for value, _ in fields[choice].options}

        assert name in fields
        assert set(values) < options

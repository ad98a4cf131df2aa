"""What the pages of a description copy asks the description: its rows, its persons and its ledger."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpselect.web.explorer import example_dataset
from dpselect.web.explorer.pages import PAGES

DESCRIBED = """
source = "people.csv"
where = "year = 2026"
person = "person"
[columns]
income = {lower = 0, upper = 100000, step = 2000}
status = ["employed", "student", "retired"]
[budget]
epsilon = 5
ledger = "own.ledger"
"""


@pytest.mark.parametrize("path", ["candidates", "most-common", "percentile", "best-groups"])
def test_no_page_asks_the_file_behind_a_description(path: str, tmp_path: Path, monkeypatch) -> None:
    """Else a row would be protected instead of a person, other rows be read, and another ledger pay."""
    monkeypatch.chdir(tmp_path)
    Path("survey.toml").write_text(DESCRIBED, encoding="utf-8")
    material = example_dataset.material_of("survey.toml")
    (page,) = [each for each in PAGES if each.path == path]
    state = {field.name: field.read({}) for field in page.content.fields(material)}
    commands = page.content.view(state, material).commands

    assert " survey.toml " in commands.shell
    assert "dps.open('survey.toml')" in commands.python
    for text in (commands.shell, commands.python):
        assert "people.csv" not in text
        assert ".ledger" not in text

"""dpselect demo --csv: a survey of nobody."""

from __future__ import annotations

import csv
import json
import shlex
from collections import Counter
from pathlib import Path

import pytest

from dpselect.cli import main
from dpselect.cli.commands.demo import COLUMNS, REGIONS, STATUS, YEARS, survey


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_survey_is_the_same_every_time_and_has_what_a_survey_has() -> None:
    """Several rows per person but one a year, public lists, and some empty cells."""
    first, *rows = csv.reader(survey().splitlines())
    persons, cells = Counter(row[0] for row in rows), [dict(zip(COLUMNS, row, strict=True)) for row in rows]

    assert survey() == survey()
    assert [*COLUMNS] == first
    assert 300 <= len(rows) <= 600
    assert {1, 4} <= {*persons.values()}
    assert len(rows) == len({(row["person"], row["year"]) for row in cells})
    assert {"", *REGIONS} == {row["region"] for row in cells}
    assert {"", *STATUS} == {row["status"] for row in cells}
    assert {*map(str, YEARS)} == {row["year"] for row in cells}


def test_the_survey_is_written_once_and_every_command_it_names_works(capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is there is never replaced."""
    pytest.importorskip("pyarrow")
    assert 0 == main(["demo", "--csv", "a survey.csv", "--json"])
    facts = json.loads(capsys.readouterr().out)
    written = Path("a survey.csv").read_text(encoding="utf-8")

    assert survey() == written
    assert facts["rows"] == len(written.splitlines()) - 1
    for command in facts["try"]:
        name, *words = shlex.split(command)
        assert "dpselect" == name
        assert 0 == main(words), capsys.readouterr().err
    Path("mine.csv").write_text("mine", encoding="utf-8")
    assert 2 == main(["demo", "--csv", "mine.csv"])
    assert "exists already" in capsys.readouterr().err
    assert "mine" == Path("mine.csv").read_text(encoding="utf-8")
    assert 2 == main(["demo", "--csv", "survey.txt"])

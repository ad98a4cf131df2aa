"""The report of the manual is that of the run that the repository keeps: every headline is computed again."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from dpselect.kernel.errors import MissingFileError
from research.engine import pages, report, stored
from research.engine.authors import PAPERS
from research.engine.experiment import EFFORTS
from research.engine.report import Report
from research.engine.verdicts import VERDICTS
from research.papers import EVERY_EXPERIMENT, NOT_REPRODUCED

pytest.importorskip("pyarrow")
FOLDER = Path(__file__).parents[2] / "docs" / "reproduction"


@pytest.fixture(scope="module")
def run() -> Report:
    """The stored run, judged by the rules of today."""
    return Report(stored.outcomes(EVERY_EXPERIMENT), NOT_REPRODUCED, EFFORTS["full"], 0.0)


@pytest.fixture(scope="module")
def claims() -> list[dict[str, str]]:
    """The claims as the manual has them."""
    with (FOLDER / "claims.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_claim_is_that_of_the_stored_run(run: Report, claims: list[dict[str, str]]) -> None:
    """Its verdict, what is ours, and why."""
    assert report._claims(run.rows()) == (FOLDER / "claims.csv").read_text(encoding="utf-8")
    assert {row["verdict"] for row in claims} <= {*VERDICTS}


def test_every_page_is_that_of_the_stored_run(run: Report) -> None:
    """The first page and the pages of the papers, word by word: pictures stand beside them."""
    drawn = {
        each.experiment.name: "drawn" if (FOLDER / "pictures" / f"{each.experiment.name}.svg").exists() else ""
        for each in run.outcomes
    }
    made = pages.every_page(run.rows(), run.outcomes, drawn, {"how": run.how(), "missing": []})

    for name, text in made.items():
        if name.endswith(".md"):
            assert text == (FOLDER / name).read_text(encoding="utf-8"), name


def test_the_counts_of_all_pages_agree(claims: list[dict[str, str]]) -> None:
    """Read from the pages as people read them, against the lines of the file."""
    first = (FOLDER / "report.md").read_text(encoding="utf-8")
    for code, paper in PAPERS.items():
        rows = [row for row in claims if row["paper"] == paper.authors]
        counted = Counter(row["verdict"] for row in rows)
        line = next(each for each in first.splitlines() if f"({paper.slug}.md)" in each)
        assert [len(rows), *(counted[verdict] for verdict in VERDICTS)] == [*map(int, re.findall(r"\| (\d+)", line))], (
            code
        )
        page = (FOLDER / f"{paper.slug}.md").read_text(encoding="utf-8")
        for item in {row["item"] for row in rows}:
            counted = Counter(row["verdict"] for row in rows if row["item"] == item)
            numbers = " | ".join(str(each) for each in [counted.total(), *(counted[each] for each in VERDICTS)])
            assert f"| {item} | {numbers} |" in page
    total = Counter(row["verdict"] for row in claims)
    reproduced = total["reproduced"] + total["reproduced, without privacy"]
    assert f"{reproduced} of {len(claims)} printed claims are reproduced: {total['reproduced']} at the stated" in first
    assert f"{total['same direction, other size']} more have the printed direction and another size" in first


def test_an_experiment_that_is_not_stored_is_told(tmp_path: Path) -> None:
    """With the command that measures it."""
    with pytest.raises(MissingFileError, match="run python -m research reproduce smooth_noisy_max_table_2, and copy"):
        stored.outcomes(EVERY_EXPERIMENT[:1], tmp_path)

"""What the page "which learner when" shows is what is stored, and what is stored comes out of the cells' measures."""

import re
from pathlib import Path

import pytest

from research.comparisons import learners, learners_page
from research.comparisons.learners_tables import EPSILONS, REPORTED
from research.comparisons.trees import SETS

RESULTS = learners.STORED.parent
PAGE = (Path(__file__).parents[2] / "docs" / "measured" / "learners.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rows() -> dict[str, list[object]]:
    """All stored figures."""
    return learners.stored()


def test_the_printed_figures_are_the_stored_ones() -> None:
    """Verdict and tables are computed, never written by hand."""
    printed = (RESULTS / "learners.txt").read_text(encoding="utf-8").splitlines()

    assert printed == "\n".join(learners.report()).splitlines()


def test_the_page_shows_the_stored_tables() -> None:
    """Line by line, those that other commands print too."""
    tables = learners_page.tables()

    assert len(tables) == 8
    for name, lines in tables.items():
        assert len(lines) > 3
        assert "\n".join(lines) in PAGE, f"compose {name} afresh: python -m research.comparisons.learners_page"


def test_ours_were_measured_on_every_split(rows: dict[str, list[object]]) -> None:
    """None of them is compared on fewer splits than the issue asks."""
    for name in SETS:
        for learner in ("tree", "boosted", learners.RULE):
            for epsilon in EPSILONS:
                assert sorted(learners.figures(rows, "auc").of(name, learner, epsilon)) == [*REPORTED]


def test_numbers_in_sentences_were_printed() -> None:
    """Each with three digits after the point."""
    printed = "\n".join((RESULTS / name).read_text(encoding="utf-8") for name in ("learners.txt", "learners_rule.txt"))
    said = re.findall(r"(?<![\d/])\.\d{3}\b", "\n".join(line for line in PAGE.splitlines() if line[:1] != "|"))

    assert len(said) >= 6
    assert not [number for number in said if f"0{number}" not in printed]

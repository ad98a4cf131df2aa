"""What five people come for: each finds it in at most six steps, which the script counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

import dpselect as dps

pytest.importorskip("fastapi", reason="the explorer needs the extra web")
from dpselect.mechanisms.registry import require_mechanism
from tests.web.browser.conftest import pictured, settled, visit

MOST = 6


class Person:
    """Somebody at a browser: whatever the hands do is a step, and reading is none."""

    def __init__(self, page: Any) -> None:
        self.page, self.steps = page, 0

    def open(self, path: str) -> None:
        """Choose a page."""
        self.steps += 1
        visit(self.page, path)

    def enter(self, label: str, value: str) -> None:
        """Change a number or a name."""
        self.steps += 1
        self.page.get_by_label(label, exact=True).fill(value)
        settled(self.page)

    def choose(self, label: str, option: str) -> None:
        """Choose one of several."""
        self.steps += 1
        self.page.get_by_label(label, exact=True).select_option(option)
        settled(self.page)

    def copy(self) -> str:
        """Copy the command, and return what is pasted."""
        self.steps += 1
        self.page.get_by_role("button", name="Copy the command").click()
        self.page.get_by_role("button", name="Copied").wait_for()
        return str(self.page.evaluate("navigator.clipboard.readText()"))

    def reads(self) -> str:
        """Return the answer of the page."""
        return str(self.page.locator(".headline").inner_text())

    def table(self, title: str | re.Pattern[str]) -> list[dict[str, str]]:
        """Return the rows of a table by the names of its columns."""
        part = self.page.locator("#view details", has=self.page.get_by_role("heading", name=title))
        names = part.locator("thead th").all_inner_texts()
        rows = [row.locator("th, td").all_inner_texts() for row in part.locator("tbody tr").all()]
        assert rows
        return [dict(zip(names, row, strict=True)) for row in rows]


@pytest.fixture
def person(window, request) -> Iterator[Person]:
    """Somebody at a desk, who has done what they came for in six steps."""
    somebody = Person(window(permissions=["clipboard-read", "clipboard-write"]))
    yield somebody
    pictured(somebody.page, request.node.name)
    assert 1 <= somebody.steps <= MOST


def test_a_curator_picks_epsilon(person) -> None:
    """How much must be spent to name the best with probability 0.99, whatever the votes? The command says it."""
    person.open("/candidates")
    person.enter("Right with probability", "0.99")
    here, always = (
        float(row["epsilon of permute-and-flip"])
        for row in person.table("Epsilon that names the best with probability 0.99")
    )
    assert here < always
    person.enter("Epsilon", f"{here:g}")
    votes = {"tea": 60, "coffee": 57, "water": 31, "juice": 12, "milk": 7}
    scores = dps.Scores(votes, sensitivity=1, range_bound=1, kind="integer")
    chance = float(re.findall(r"probability (\d\.\d+)", person.reads())[0])
    assert abs(chance - 0.99) < 0.001
    assert abs(require_mechanism("permute-and-flip").pmf(scores, here)[0] - 0.99) < 0.001
    person.enter("Epsilon", f"{always:g}")
    command = person.copy()

    assert float(re.findall(r"--epsilon (\S+)", command)[0]) == always


def test_an_analyst_compares_a_tree(person) -> None:
    """Which learner finds its best first split more often? The page says it of all, and shows the one chosen."""
    person.open("/tree")
    person.enter("Epsilon", "2")
    rows = person.table("The first question of other learners")
    chances = {row["learner"]: row["probability"] for row in rows}
    assert "readable tree" in chances
    assert len(chances) > 2
    assert f"probability {chances['readable tree']}:" in person.reads()
    other = person.page.locator("#learner option").nth(1)
    person.choose("Learner", other.get_attribute("value"))
    assert any(f"probability {chance}:" in person.reads() for name, chance in chances.items() if "ID3" in name)
    person.choose("Learner", "tree")

    assert "--epsilon 2" in person.copy()


def test_a_network_scientist_finds_that_degree_does_as_well(person) -> None:
    """Who connects others? Degree names them better than any score of brokerage at epsilon 1."""
    person.open("/top-k")
    rows = {row["metric"]: (float(row["recall"]), float(row["share"])) for row in person.table("Metrics side by side")}
    assert len(rows) > 2
    assert rows["degree"] == max(rows.values())
    assert "Use degree" in person.page.locator("#view").inner_text()
    person.choose("Metric", "open-pairs")
    assert " open-pairs " in person.page.locator("#shell").inner_text()
    person.choose("Metric", "degree")
    command = person.copy()

    assert " degree " in command


def test_a_teacher_shows_why_dampening_inverts(person) -> None:
    """Unshifted dampening puts a better candidate behind a worse one; the page says which, why, and what helps."""
    person.open("/distance")
    better, worse = re.findall(r"inverts (\S+) and (\S+?)[: ]", person.reads())[0]
    assert better != worse
    why = person.page.locator("#view details", has=person.page.get_by_role("heading", name="Why")).inner_text()
    assert "wider" in why
    assert "restores the order" in why
    assert person.page.get_by_role("region", name="What dampening makes of the order").locator("svg").is_visible()
    person.choose("Score", "votes")
    assert "dampening changes no order" in person.reads()


def test_a_reviewer_checks_a_claim(person) -> None:
    """A sensitivity that is half of the true one is refuted by a pair of neighbours; the true one holds on all."""
    person.open("/audit")
    assert person.reads().startswith("The claim holds on all")
    person.choose("Claimed sensitivity", "1/2")
    assert person.reads().startswith("BROKEN")
    promised, lost = re.findall(r"promises epsilon (\S+) and loses (\d+(?:\.\d+)?)", person.reads())[0]
    assert float(lost) > float(promised)
    person.choose("Claimed sensitivity", "1")
    person.choose("Mechanism", "exponential")

    assert person.reads().startswith("The claim holds on all")
    assert "dpselect audit" in person.copy()

"""What an analyst does on the pages of trees and of several objectives, in at most six steps, in a real browser."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("fastapi", reason="the explorer needs the extra web")
from tests.web.browser.conftest import pictured, settled, visit


def cells(page, title: str) -> list[list[str]]:
    """Return the rows of the table below a heading."""
    settled(page)
    section = page.locator("#view details", has=page.get_by_role("heading", name=title, exact=True))
    return [row.locator("th, td").all_inner_texts() for row in section.locator("tbody tr").all()]


def test_an_analyst_compares_a_tree(either) -> None:
    """Open the page, choose class, depth and epsilon, compare first questions, take ID3 and its command: six steps."""
    visit(either, "/tree")
    either.get_by_label("Class", exact=True).select_option("region")
    either.get_by_label("Depth", exact=True).select_option("2")
    either.get_by_label("Epsilon", exact=True).fill("2")
    either.wait_for_url("**epsilon=2&**")
    compared = cells(either, "The first question of other learners")
    either.get_by_label("Learner", exact=True).select_option("id3")
    either.wait_for_url("**learner=id3**")
    settled(either)
    said = re.search(r"splits first by (\w+), with probability ([\d.]+)", either.locator(".headline").inner_text())

    assert said is not None
    assert ["ID3, max-operator", said[1]] == compared[1][:2]
    assert said[2] == compared[1][4]
    assert "train people.toml region " in either.locator("#shell").inner_text()
    assert "--model id3 --max-depth 2" in either.locator("#shell").inner_text()
    pictured(either, "an analyst compares a tree")


def test_weights_and_the_front_disagree(either) -> None:
    """An analyst asks by weights, makes the second number worth more, and another candidate is named."""
    visit(either, "/objectives")
    either.get_by_label("Combine by", exact=True).select_option("weights")
    either.wait_for_url("**rule=weights**")
    settled(either)
    before = either.locator(".headline").inner_text()
    either.get_by_label("Second weight", exact=True).fill("30")
    either.wait_for_url("**weight-2=30**")
    settled(either)
    after = either.locator(".headline").inner_text()

    assert "By weights, both is named most often" in before
    assert "By weights, two tests is named most often" in after
    assert "--weights 5 30" in either.locator("#shell").inner_text()
    pictured(either, "weights and the front")

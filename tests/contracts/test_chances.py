"""How often the quick tests fail though nothing is wrong: at most once in ten thousand runs, all of them together."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest

from dpselect import audit
from tests import chance

TESTS = Path(__file__).parents[1]
# What a test of a law calls, and what makes its bytes the same in every run.
ASKS, FIXED = {"sampler", "sampler_of", "chisquare", "binomtest"}, ("entropy", "default_rng(", "randbytes", "Random(")


def marked(items: list[pytest.Item]) -> list[float]:
    """Return the chances of quick tests."""
    quick = [item for item in items if item.get_closest_marker("slow") is None]
    return [mark.args[0] for item in quick if (mark := item.get_closest_marker("chance"))]


def undeclared(source: str) -> list[str]:
    """Return the tests that ask whether fresh draws follow a law and do not say how often they fail."""
    found = []
    for node in ast.parse(source).body:
        if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
            continue
        text = ast.get_source_segment(source, node) or ""
        called = {
            getattr(each.func, "attr", getattr(each.func, "id", ""))
            for each in ast.walk(node)
            if isinstance(each, ast.Call)
        }
        marks = [ast.unparse(each) for each in node.decorator_list]
        if (
            called & ASKS
            and not any(word in text for word in FIXED)
            and not any("mark.chance" in each for each in marks)
        ):
            found.append(node.name)
    return found


def test_the_chances_of_the_quick_tests_add_up_to_little(request) -> None:
    """Of all that were collected for this run: the whole run is the one that counts."""
    assert sum(marked(request.session.items)) <= chance.MOST


def test_who_asks_for_fresh_draws_says_how_often_that_fails() -> None:
    """Every test that calls a statistical test, unless its bytes are fixed."""
    lacking = {
        str(path.relative_to(TESTS)): names
        for path in sorted(TESTS.rglob("test_*.py"))
        if (names := undeclared(path.read_text(encoding="utf-8")))
    }
    # These test the tests, with numbers of their own.
    assert {"audit/test_sampler.py"} >= lacking.keys(), lacking


def test_a_test_without_a_mark_is_found() -> None:
    """And one with fixed bytes is not."""
    bare = "def test_a():\n    assert audit.sampler(draw, law).accepted\n"
    assert ["test_a"] == undeclared(bare)
    assert [] == undeclared(f"@pytest.mark.chance(1e-6)\n{bare}")
    assert [] == undeclared(bare.replace("test_a()", "test_a(entropy)"))


@pytest.mark.chance(3e-6)
def test_more_than_was_declared_is_refused() -> None:
    """Three thousand-thousandths are spent, and no more."""
    chance.believe(0.5, 1e-6)
    chance.reject(1e-9, 1e-6, power=1 - 2e-6)
    with pytest.raises(RuntimeError, match="more often than its mark says"):
        chance.believe(0.5, 1e-6)


def test_without_a_mark_nothing_is_believed() -> None:
    """The sentence says what to write."""
    with pytest.raises(RuntimeError, match=r"pytest\.mark\.chance"):
        chance.believe(0.5, 1e-6)


@pytest.mark.chance(1e-5)
def test_a_wrong_sampler_is_not_accepted() -> None:
    """A coin of 0.5 for one of 0.55; with fixed bytes."""
    coin = random.Random(1)
    verdict = audit.sampler(
        lambda: coin.random() < 0.5, {True: 0.55, False: 0.45}, against={"fairer": {True: 0.52, False: 0.48}}
    )
    with pytest.raises(AssertionError, match="does NOT follow"):
        chance.accept(verdict)

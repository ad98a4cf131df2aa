"""How often the quick tests fail though nothing is wrong: at most once in ten thousand runs, all of them together."""

from __future__ import annotations

import ast
import random
import re
from functools import cache
from pathlib import Path

import pytest

from dpselect import audit
from tests import chance

TESTS = Path(__file__).parents[1]
# What asks whether draws follow a law, and what makes their bytes the same in every run.
ASKS, FIXED = {"sampler", "sampler_of", "chisquare", "binomtest"}, {"default_rng", "Philox", "Random"}


def marked(items: list[pytest.Item]) -> list[float]:
    """Return the chances of quick tests."""
    quick = [item for item in items if item.get_closest_marker("slow") is None]
    return [mark.args[0] for item in quick if (mark := item.get_closest_marker("chance"))]


def calls(node: ast.AST, names: set[str], least: int = 0) -> bool:
    """Return whether something calls one of these, with so many arguments or more."""
    called = (each.func for each in ast.walk(node) if isinstance(each, ast.Call) and len(each.args) >= least)
    return any(getattr(each, "attr", getattr(each, "id", "")) in names for each in called)


@cache
def text_of(module: str) -> str:
    """Return the text of a file of tests, by its dotted name; a folder has none."""
    path = TESTS.parent.joinpath(*module.split(".")).with_suffix(".py")
    return path.read_text(encoding="utf-8") if path.is_file() else ""


@cache
def may_ask(source: str) -> bool:
    """Return whether a text, or that of a test that it imports from, has one of the words: else it need not be read."""
    theirs = re.findall(r"from (tests\.[\w.]+) import", source)
    return any(word in source for word in ASKS) or any(may_ask(text_of(module)) for module in theirs)


@cache
def asking(source: str) -> set[str]:
    """Return the names of what asks whether draws follow a law: here, and in what is imported from other tests."""
    names = {*ASKS}
    if not may_ask(source):
        return names
    tree = ast.parse(source)
    for each in ast.walk(tree):
        if isinstance(each, ast.ImportFrom) and (each.module or "").startswith("tests."):
            theirs = asking(text_of(each.module))
            names |= {name.asname or name.name for name in each.names if name.name in theirs}
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    while more := {each.name for each in functions if calls(each, names)} - names:
        names |= more
    return names


def undeclared(source: str) -> list[str]:
    """Return the tests that ask whether fresh draws follow a law and do not say how often they fail."""
    if not may_ask(source):
        return []
    tree, names, found = ast.parse(source), asking(source), []
    for holder in [tree, *(each for each in tree.body if isinstance(each, ast.ClassDef))]:
        for node in holder.body:
            if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
                continue
            marks = [ast.unparse(each) for each in [*getattr(holder, "decorator_list", []), *node.decorator_list]]
            fixed = "entropy" in {each.arg for each in node.args.args} or calls(node, FIXED, 1)
            if calls(node, names) and not fixed and not any("mark.chance" in each for each in marks):
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


BARE = "def test_a():\n    assert audit.sampler(draw, law).accepted\n"


@pytest.mark.parametrize(
    "source",
    [
        BARE,
        # By a helper, of this file or of another one, and by a helper of a helper.
        "def p_value(seen):\n    return stats.chisquare(seen).pvalue\ndef test_a():\n    assert p_value(seen) > 1e-6\n",
        "def p_value(seen):\n    return stats.binomtest(seen, 9).pvalue\n"
        "def require(seen):\n    assert p_value(seen) > 1e-6\n"
        "def test_a():\n    require(seen)\n",
        "from tests.verification.test_sampling import p_value as of\ndef test_a():\n    assert of(seen, law) > 1e-6\n",
        "def test_a():\n    def p_value():\n        return chisquare(seen).pvalue\n    assert p_value() > 1e-6\n",
        # In a class.
        "class TestDraws:\n    def test_a(self):\n        assert audit.sampler(draw, law).accepted\n",
        # Words that are no fixed bytes, and a generator without a seed.
        BARE.replace("draw,", "lambda: drawn(new_entropy()),"),
        BARE.replace("draw,", "np.random.default_rng().random,"),
        BARE.replace("def test_a():\n", 'def test_a():\n    """Fixed entropy, as by Random(1) or default_rng(1)."""\n'),
    ],
)
def test_a_test_without_a_mark_is_found(source: str) -> None:
    """However it asks; and where it has a mark, it is not."""
    assert ["test_a"] == undeclared(source)
    mark = "@pytest.mark.chance(1e-6)\n"
    at = source.index("class" if "class" in source else "def test_a")
    assert [] == undeclared(source[:at] + mark + source[at:])


@pytest.mark.parametrize(
    "source",
    [
        BARE.replace("test_a()", "test_a(entropy)"),
        BARE.replace("draw,", "np.random.default_rng(1).random,"),
        BARE.replace("draw,", "random.Random(1).random,"),
        "def test_a():\n    assert 1 == p_value\n",
    ],
)
def test_fixed_bytes_need_no_mark(source: str) -> None:
    """Those of the fixture and of a generator with a seed, and what asks for nothing."""
    assert [] == undeclared(source)


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

"""Pages for users are short and in plain English: sizes, headings, long sentences, retired turns, words people seek."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
USER_PAGES = [
    ROOT / "README.md",
    *sorted(path for path in DOCS.glob("*.md") if path.stem not in ("errata", "papers", "proofs", "trusted")),
    *(path for folder in ("start", "how-to", "explanation") for path in sorted((DOCS / folder).glob("*.md"))),
]
MODULES = sorted((ROOT / "src" / "dpselect").rglob("*.py"))

QUESTION = re.compile(r"(?:What|How|Which|Where|Who|Whoever|Whatever|Whose|Nobody|Why)\b")
FENCE = re.compile(r"^(```+).*?^\1\s*$", re.MULTILINE | re.DOTALL)
MOST_WORDS = 40
# Turns that were in every page once, and a plain form of each.
RETIRED = {
    r"\bwhoever\b": "people who, or the role",
    r"\bwhat is (?:said|told|asked|left|drawn|released|published|known|protected|measured)\b": "a noun",
    r"\b(?:say|says|said) (?:what|which|how|who|whether|where)\b": "lists, names, states, explains",
    r"\bin the place of\b": "in place of, or instead of",
    r"\bhardly\b": "barely, or a number",
    r"\bthere is none\b": "say what is missing",
    r"\bwhatever (?!the data\b)": "any",
}


def user_text(path: Path) -> str:
    """Return the text of a page without blocks of code."""
    return FENCE.sub("", path.read_text(encoding="utf-8"))


def sentences(text: str) -> Iterator[str]:
    """Return the sentences of paragraphs, items and cells, without pictures, comments and the targets of links."""
    text = re.sub(r"<!--.*?-->|!\[[^\]]*\]\([^)]*\)", "", text, flags=re.DOTALL)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*#|]|\d+\.) ?)|(?<!\\)\|", text):
        yield from re.split(r"(?<=[.?!])[\"')*]*\s+", " ".join(block.split()))


def long_sentences(text: str) -> list[str]:
    """Return the sentences of more words than are admitted."""
    return [sentence for sentence in sentences(text) if len(re.findall(r"[\w`'-]*\w[\w`'-]*", sentence)) > MOST_WORDS]


def question_headings(text: str) -> list[str]:
    """Return the headings that open with a question word."""
    return [heading for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE) if QUESTION.match(heading)]


def retired_turns(text: str) -> list[str]:
    """Return the retired turns of a text, each with a plain form."""
    found = [(match[0], plain) for turn, plain in RETIRED.items() for match in re.finditer(turn, text, re.IGNORECASE)]
    return [f"{turn}: write {plain}" for turn, plain in found]


@cache
def first_lines() -> dict[str, str]:
    """Return the first line of the docstring of each module of the library."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in MODULES}
    return {
        path.relative_to(ROOT).as_posix(): (ast.get_docstring(tree) or "").partition("\n")[0]
        for path, tree in trees.items()
    }


@pytest.mark.parametrize("page", USER_PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_is_short_and_plain(page: Path) -> None:
    """At most 12 kB, no long sentence, no question as a heading, no retired turn."""
    text = user_text(page)

    assert page.stat().st_size <= 12_000, "split the page, or move what most readers do not need to docs/details"
    assert [] == long_sentences(text), f"say it in sentences of at most {MOST_WORDS} words"
    assert [] == question_headings(text), "name the task or the thing"
    assert [] == retired_turns(text)


def test_pages_for_users_fit_their_limits() -> None:
    """README 5 kB, limits 6 kB, all of them 300 kB, eighteen pages of tasks."""
    assert (ROOT / "README.md").stat().st_size <= 5_000
    assert (DOCS / "limits.md").stat().st_size <= 6_000
    assert sum(path.stat().st_size for path in USER_PAGES) <= 300_000
    assert len([*(DOCS / "how-to").glob("*.md")]) <= 18


def test_no_module_opens_with_a_question() -> None:
    """The first line of a docstring is a noun phrase, or a verb in the imperative."""
    assert {} == {path: line for path, line in first_lines().items() if QUESTION.match(line)}


@pytest.mark.parametrize(
    "term, page",
    [
        ("histogram", "how-to/histograms.md"),
        ("partition selection", "how-to/most-common.md"),
        ("DP-SGD", "glossary.md"),
        ("DP-SGD", "start/train-a-model.md"),
        ("zCDP", "how-to/budget.md"),
        ("PLD", "explanation/composition.md"),
        ("sparse vector", "how-to/release-a-number.md"),
        ("edge privacy", "glossary.md"),
        ("synthetic data", "how-to/synthesize.md"),
    ],
)
def test_words_of_the_field_are_found(term: str, page: str) -> None:
    """The page about a thing has the word by which people search for it."""
    assert term.lower() in user_text(DOCS / page).lower()


@pytest.mark.parametrize(
    "text",
    [
        "What is published hardly depends on any one record (in a graph, on any one edge): one more or less changes "
        "the probability of each possible answer by a factor of at most e^epsilon, and the smaller epsilon is, the "
        "less an answer says about any one of them.",
        "- **Refused.** Deltas and profiles, which are shown here as of one candidate with all of its rows among those "
        "of an engine that has no order of its own, are read one after the other, and what is left of them is told to "
        "the curator alone, who may mend them.",
    ],
)
def test_a_long_sentence_is_found(text: str) -> None:
    """In a paragraph and in an item; the same words in two sentences are admitted."""
    assert long_sentences(text)
    assert not long_sentences(re.sub(r"[,:(] ?", ". ", text))


def test_planted_headings_and_turns_are_found() -> None:
    """As pages had them."""
    old = "# Which epsilon do I need?\n\n## What it promises\n\nIt says which one drew, and whoever asks is told.\n"

    assert ["Which epsilon do I need?", "What it promises"] == question_headings(old)
    assert ["whoever", "says which"] == [turn.partition(":")[0] for turn in retired_turns(old)]
    assert not question_headings("## Whole numbers\n")


def test_every_task_is_listed_where_readers_begin() -> None:
    """In the text of the index, not only in a menu that a repository does not show; the README begins the list."""
    shown = re.sub(r"```\{toctree\}.*?```", "", (DOCS / "index.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [] == [page.name for page in (DOCS / "how-to").glob("*.md") if f"(how-to/{page.name}" not in shown]
    assert readme.count("(docs/how-to/") >= 8
    assert "(docs/glossary.md)" in readme
    assert "(glossary.md)" in shown

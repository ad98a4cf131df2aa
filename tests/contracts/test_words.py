"""Pages, docstrings and messages are in plain English: words and turns that are kept out, and what to write instead."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(
    [
        *ROOT.glob("[A-Z]*.md"),
        *(path for path in (ROOT / "docs").rglob("*.md") if not {"_build", "made"} & set(path.parts)),
        *(path for folder in ("src", "data") for path in (ROOT / folder).rglob("*.md")),
        *(ROOT / "docs" / "notebooks").glob("*.ipynb"),
        *(ROOT / "src").rglob("*.py"),
    ]
)
# Assembled from fragments that are never rewritten.
FILES.remove(ROOT / "CHANGELOG.md")

NUMBERS = "an?|one|two|three|four|\\d+"
UNITS = "row|line|cell|table|column|byte|bytes|count|number|run|runs|query|value|page|picture|panel|scan|test|proof"
# A pattern, an example that must be found, and what to write instead. Patterns begin with plain letters where they
# can: then they are found ten times as fast.
INSTEAD = [
    (rf"\b(?:{NUMBERS}) (?:{UNITS}) an? (?!time\b|day\b)\w+", "two bytes a value", "two bytes per value"),
    (
        r" no (?:(?<= is no )|(?<= are no )|(?<= was no )|(?<= were no )|(?<= be no ))(?<!here is no )(?<!here are no )"
        r"(?<!here was no )(?<!here were no )(?<!here be no )(?!longer\b|more\b|less\b|\w+er\b|different\b)\w+",
        "it is no list",
        "it is not a list",
    ),
    (r'"[Tt]here (?:is|are) no\b', 'InputError("There is no file x")', "The file x does not exist: check its path"),
    (r"betray", "betrays a person", "reveals"),
    (r"for ever\b", "zero for ever", "always, or without end"),
    (r"for want of\b", "fails for want of memory", "for lack of, or: where memory is missing"),
    (r"whoever answers for\b", "whoever answers for the data", "the person responsible for"),
    (
        r" home\b(?<=c[oa]me home)|comes home|coming home|brings? home|rows home",
        "a thousand counts come home",
        "are fetched",
    ),
    (r"broken numbers?\b", "broken numbers", "fractional numbers"),
    (r"has the face of\b", "it has the face of theirs", "mirrors the API of"),
    (r"stands before a\b", "it stands before a ledger", "wraps"),
    (r"t(?:old in all|ells a little)\b", "the most that may be told in all", "spent in total; reveals a little"),
    (r"traces say\b", "the traces say the constants", "are fitted from the traces"),
    (r"grain of floats|have a grain", "floats have a grain", "the rounding of floats"),
    (r"quicker\b", "a quicker way", "faster"),
    (r"the vocabulary\b", "the vocabulary", "API reference"),
    (r"are others\b", "the data are others", "differ"),
    (r"on all of them are there\b", "from the reach on all of them are there", "all of them are reached"),
    (r"as book\b", "with dps.budget(epsilon=1) as book", "as session"),
    (r" mend(?:s|ed|ing)?\b", "what you should mend", "fix"),
    (r"whoever knows\b", "whoever knows how the loss behaves", "if you know"),
    (r"held against\b", "each is held against the others", "compared with"),
    (r"spells? no number\b", "a cell that spells no number", "is not a number"),
    (r"by fresh coins\b", "chosen by fresh coins", "at random"),
    (r"whatever stands in\b", "whatever stands in it", "whatever it contains"),
    (r"for free\b", "tells it for free", "at no cost, or: without being paid for"),
    (r"stands? between others\b", "who stands between others", "who connects others: a broker"),
    (r"00[0-4] (?:figure|table|theorem|lemma|section)", "000 Figure 10", "the authors and the year"),
    (r"simply\b|obviously\b", "simply pass", "(leave it out)"),
    (r"^# how to ", "# How to name the top k", "a heading that names the task: Name the top k"),
]


TASKS = [page for folder in ("how-to", "explanation") for page in sorted((ROOT / "docs" / folder).glob("*.md"))]


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "docs" / "index.md", *TASKS], ids=lambda page: page.stem)
def test_a_page_begins_with_what_protects(page: Path) -> None:
    """Its first two sentences say differential privacy, so that a reader who lands there knows what it is about."""
    words = " ".join(page.read_text(encoding="utf-8").partition("\n")[2].split())
    first_two = " ".join(re.split(r"(?<=[.?!])(?:\*\*)? ", words)[:2])

    assert re.search("differential(ly)? priva(cy|te)", first_two.lower()), f"{first_two}"


@pytest.fixture(scope="module")
def texts() -> dict[Path, str]:
    """Every file that somebody reads, in small letters: to ignore case in every pattern takes six times as long."""
    return {path: path.read_text(encoding="utf-8").lower() for path in FILES}


@pytest.mark.parametrize("pattern, example, instead", INSTEAD, ids=[example for _, example, _ in INSTEAD])
def test_these_words_stay_out(pattern: str, example: str, instead: str, texts: dict[Path, str]) -> None:
    """In pages, docstrings, messages and help."""
    turn = re.compile(pattern, re.MULTILINE)
    lines = [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]!r}"
        for path, text in texts.items()
        for match in turn.finditer(text)
    ]

    assert turn.search(example.lower()), "the example of a pattern must be found by it"
    assert [] == lines, f"write instead: {instead}"

"""The installed releases, and the page that shows what was found of them."""

import re
from pathlib import Path

import pytest

from research import other_libraries

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "research" / "comparisons" / "results" / "audit_of.txt"
PAGE = ROOT / "docs" / "measured" / "other-libraries.md"
LINE = re.compile(r"^(?P<verdict>kept|BROKEN) +(?P<function>\S+): (?P<setting>.+)$", re.MULTILINE)


def test_the_page_shows_every_printed_claim_and_no_other():
    """Function, setting and verdict, as the command printed them, with the releases' versions."""
    printed, page = RESULTS.read_text(), PAGE.read_text()
    rows = re.findall(r"^\| `(\S+)` \| (.+?) \| .+ \| (kept|BROKEN) \|$", page, re.MULTILINE)

    assert rows == [match.group("function", "setting", "verdict") for match in LINE.finditer(printed)]
    for release in re.findall(r"^(\S+ [\d.]+): \d+ claims kept", printed, re.MULTILINE):
        assert release in page


def findings(library):
    pytest.importorskip(library.replace("-", "_"))
    try:
        installed = other_libraries.installed(library)
    except ImportError as error:
        pytest.skip(str(error))
    known = re.search(rf"^{library} ([\d.]+):", RESULTS.read_text(), re.MULTILINE)
    assert known is not None
    if installed.version != known[1]:
        pytest.skip(f"the page is about {library} {known[1]}")
    return list(other_libraries.of(library))


@pytest.mark.slow
@pytest.mark.parametrize("library", other_libraries.LIBRARIES)
def test_the_installed_release_is_as_the_page_says(library):
    """Every verdict is found again."""
    printed = {(m["function"], m["setting"]): m["verdict"] for m in LINE.finditer(RESULTS.read_text())}

    for found in findings(library):
        assert printed[found.function, found.setting] == found.verdict, found.computed


@pytest.mark.slow
def test_the_smallest_table_of_words_that_loses_more_has_five():
    """Where the sums of at most four words are exactly equal, so are their rows, and no loss is above epsilon."""
    (broken,) = [f for f in findings("diffprivlib") if f.setting.startswith("two close words")]

    assert "5 words" in broken.computed
    assert "worst loss 1.01994" in broken.computed

"""The report: verdicts computed from numbers, one page without external parts, and the same in Markdown."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from tiny_experiment import EXPERIMENT

from dpselect.experiments import engine, pictures, report, tables, verdicts
from dpselect.experiments.experiment import QUICK, Absent, Point, Results


@pytest.fixture
def outcome(tmp_path):
    (found,) = engine.run([EXPERIMENT], QUICK, tmp_path / "results", jobs=1, show=False)
    return found


@pytest.fixture
def written(tmp_path, outcome):
    missing = Absent("001", "Table 9", "a number", "7", "nobody knows")
    return report.write(report.Report([outcome], [missing], QUICK, 3.0), tmp_path / "out")


class _Page(HTMLParser):
    """Collects what a page opens, closes and refers to."""

    VOID = frozenset({"meta", "br", "img", "path", "use", "rect", "line", "circle"})

    def __init__(self):
        super().__init__()
        self.open, self.refers, self.seen = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.refers += [value for name, value in attrs if name in ("src", "href", "xlink:href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, _, attrs):
        self.refers += [value for name, value in attrs if name in ("src", "href", "xlink:href")]

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert tag == self.open.pop()


def test_the_page_is_whole_and_needs_no_other_file(written):
    """Every tag is closed, and all references stay within the page."""
    page = _Page()
    page.feed(written[0].read_text())

    assert [] == page.open
    assert all(each.startswith("#") for each in page.refers)
    assert "svg" in page.seen
    assert page.seen.count("table") >= 3
    assert "script" not in page.seen


def test_words_are_escaped(written):
    """Panels and claims are text, whatever characters they hold."""
    html, markdown = (path.read_text() for path in written)

    assert "doubles <&>" not in html
    assert "doubles &lt;&amp;&gt;" in html
    assert "Twice a number \\| and more." in markdown


def test_every_claim_has_a_verdict(outcome):
    """Sentences first, then printed numbers; what was not measured cannot be compared."""
    rows = verdicts.rows(outcome)

    assert ["held", "not comparable", "held", "refuted", "not comparable", "held"] == [row.verdict for row in rows]
    assert "another unit" == rows[4].why
    assert "apart by 1, allowed 0.1" == rows[3].why
    assert "allowed 1.02" in rows[5].why


def test_the_sentence_counts_and_names_the_error(outcome):
    """The verdict in one sentence is computed from the numbers."""
    assert (
        "Of 6 printed claims 3 held, 1 refuted, 2 not comparable (standard error at most 0.01; 3 points exact; "
        "tolerance 0.1)."
    ) == verdicts.sentence(outcome)


def test_the_summary_lists_what_is_met_refuted_and_missing(written):
    """One page at the top: claims met, claims refuted, skipped datasets; and every claim in the table."""
    markdown = written[1].read_text()

    assert "## 7 printed claims: 3 held, 2 not comparable, 1 refuted, 1 not reproduced" in markdown
    assert "- 000 Figure 0: three doubled (printed 6; ours 6)" in markdown
    assert "- no such dataset: 000 Figure 0" in markdown
    assert "because nobody knows" in markdown
    assert 7 == len(re.findall(r"^\| 00\d ", markdown, re.MULTILINE))


def test_pictures_are_files_beside_the_markdown(written):
    """Every picture that the Markdown shows is there."""
    shown = re.findall(r"\]\((pictures/[^)]*)\)", written[1].read_text())

    assert ["pictures/tiny.svg"] == shown
    assert all((written[1].parent / each).read_text().startswith("<svg") for each in shown)


def test_the_markdown_refers_to_no_page_that_is_not_there(written):
    """It stands in a user's folder, and is copied into the manual: it says in words how it was made."""
    markdown = written[1].read_text()

    assert "`dpselect reproduce --help` says how to run it." in markdown
    assert [] == [each for each in re.findall(r"\]\(([^)]*)\)", markdown) if not (written[1].parent / each).exists()]


def test_the_same_results_give_the_same_picture(outcome):
    """Pictures hold no dates or random names."""
    assert pictures.svg(EXPERIMENT, outcome.results) == pictures.svg(EXPERIMENT, outcome.results)


def test_one_x_alone_is_no_picture():
    """A panel of single numbers is a table only."""
    assert "" == pictures.svg(EXPERIMENT, Results([Point("p", "s", 1.0, 2.0)]))


def test_tables_hold_ours_printed_and_the_difference(outcome):
    """Below every line with printed values stand those and the differences."""
    (sheet,) = tables.sheets(EXPERIMENT, outcome.results)

    assert ("x", "1", "2", "3") == sheet.head
    assert ("twice", "2", "4", "6") == sheet.rows[0]
    assert ("  printed", "2.05", "5", "6") == sheet.rows[1]
    assert ("  difference", "-0.05", "-1", "+0") == sheet.rows[2]
    assert "random (not private)" == sheet.rows[3][0]


def test_the_best_is_ranked_among_private_series_only():
    """Mean ranks over all places; what is not private is never best, and ties share."""
    points = [Point("p", name, x, value) for name, values in {"a": (1, 2), "b": (1, 3), "random": (9, 9)}.items()
              for x, value in enumerate(values)]  # fmt: skip

    assert [("b", 1.25), ("a", 1.75)] == verdicts.best(EXPERIMENT, Results(points))


@pytest.mark.parametrize(
    "value, shown",
    [
        (0.0, "0"),
        (0.8126, "0.8126"),
        (20787122.0, "20,787,122"),
        (123456.7, "1.23e+05"),
        (1.5e-4, "0.00015"),
        (108.0, "108"),
    ],
)
def test_numbers_are_short(value, shown):
    """Four digits at most."""
    assert shown == verdicts.figure(value)

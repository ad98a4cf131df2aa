"""The report: verdicts computed from numbers, one page without external parts, and the same in Markdown."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from dpselect._display.families import FAMILIES
from research.engine import pictures, report, tables, verdicts
from research.engine import runs as engine
from research.engine.experiment import QUICK, NotReproduced, Point, Printed, Results
from research.engine.series import PRIVACY, Series
from tests.research.tiny_experiment import EXPERIMENT


@pytest.fixture
def outcome(tmp_path):
    (found,) = engine.run([EXPERIMENT], QUICK, tmp_path / "results", jobs=1, show=False)
    return found


@pytest.fixture
def written(tmp_path, outcome):
    missing = NotReproduced("001", "Table 9", "a number", "7", "nobody knows")
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


@pytest.mark.parametrize("name", ["report.html", "chaves-2024.html", "farias-2021.html"])
def test_a_page_is_whole_and_refers_to_pages_that_are_there(written, name):
    """Every tag is closed, no script runs, and every link leads to a page or file of the same folder."""
    page = _Page()
    page.feed((written[0].parent / name).read_text())

    assert [] == page.open
    assert all(each.startswith("#") or (written[0].parent / each).is_file() for each in page.refers)
    assert "table" in page.seen
    assert "script" not in page.seen


def test_a_paper_has_a_page_with_its_pictures(written):
    """Named by authors and year; the first page has none."""
    first, paper = (_Page(), _Page())
    first.feed(written[0].read_text())
    paper.feed((written[0].parent / "chaves-2024.html").read_text())

    assert "chaves-2024.html" in first.refers
    assert "svg" not in first.seen
    assert "svg" in paper.seen
    assert paper.seen.count("table") >= 3


def test_words_are_escaped(written):
    """Panels and claims are text, whatever characters they hold."""
    html, markdown = ((written[0].parent / f"chaves-2024.{ending}").read_text() for ending in ("html", "md"))

    assert "doubles <&>" not in html
    assert "doubles &lt;&amp;&gt;" in html
    assert "Twice a number \\| and more" in markdown


@pytest.mark.parametrize(
    ("spent", "seconds", "told"),
    [
        (90.0, 50.0, "90.0 s of processor time in all, 50.0 s on the clock since the last start."),
        (5000.0, 2.0, "83.3 min of processor time in all, taken up from earlier runs."),
    ],
)
def test_the_clock_is_told_where_it_says_something(outcome, spent, seconds, told):
    """Of a run, not of results that were all there."""
    made = report.Report([replace(outcome, seconds=spent)], [], QUICK, seconds)

    assert made.how().endswith(told)


def test_every_claim_has_a_verdict(outcome):
    """Sentences first, then printed numbers; what was not measured cannot be compared."""
    rows = verdicts.rows(outcome)

    assert [
        "reproduced",
        "not comparable",
        "reproduced",
        "refuted",
        "not comparable",
        "reproduced, without privacy",
    ] == [row.verdict for row in rows]
    assert "another unit" == rows[4].why
    assert "apart by 1, allowed 0.1" == rows[3].why
    assert "allowed 1.03" in rows[5].why


def test_the_sentence_counts_and_names_the_error(outcome):
    """The verdict in one sentence is computed from the numbers."""
    assert (
        "Of 6 printed claims: 2 reproduced; 1 reproduced, without privacy; 1 refuted; 2 not comparable "
        "(standard error at most 0.01 in “2 x”; 3 points exact; tolerance 0.1)."
    ) == verdicts.sentence(outcome)


def test_the_first_page_counts_and_says_what_matters(written):
    """A line for each paper and one for all, what does not come out, and what is missing."""
    markdown = written[1].read_text()

    assert "| [Chaves 2024](chaves-2024.md): Smooth Noisy Max | 6 | 2 | 1 | 0 | 0 | 1 | 2 |" in markdown
    assert "| **all** | 7 | 2 | 1 | 0 | 0 | 1 | 3 |" in markdown
    assert "1. 3 of 7 printed claims are reproduced: 2 at the stated privacy, and 1 by a set-up" in markdown
    assert "1. 1 are not reproduced though their set-up is printed or known: 1 of Chaves 2024." in markdown
    assert "- no such dataset: Chaves 2024, Figure 0" in markdown
    assert "| Chaves 2024, Figure 0 | doubles &lt;&amp;&gt;: twice at x = 2 | 5 | 4 |" in markdown


def test_every_claim_is_a_line_of_one_file(written):
    """By authors and item, with its verdict and why, those that nobody repeats among them."""
    with (written[0].parent / "claims.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))

    assert 7 == len(rows)
    assert {"Chaves 2024", "Farias 2021"} == {row["paper"] for row in rows}
    assert "not repeated: nobody knows" == rows[-1]["why"]


def test_a_line_of_the_report_says_what_each_series_costs(tmp_path, outcome):
    """Beside its account; the first page names the largest loss."""
    series = (Series("twice", "as released", "exponential"), Series("random", "sound", "permute-and-flip"))
    experiment = replace(EXPERIMENT, series=series, losses_on="Exact, on one pair.")
    losses = [Point(PRIVACY, "twice", 1.0, 1.14), Point(PRIVACY, "twice", 2.0, 3.5), Point(PRIVACY, "random", 1.0, 0.9)]
    one = replace(outcome, experiment=experiment, results=Results([*outcome.results.points, *losses]))
    report.write(report.Report([one], [], QUICK, 1.0), tmp_path)

    paper, first = (tmp_path / "chaves-2024.md").read_text(), (tmp_path / "report.md").read_text()
    assert "| twice | as released | 3.5 |" in paper
    assert "| random | sound | 0.9 |" in paper
    assert "Exact, on one pair." in paper
    assert "the largest loss is that of twice in Chaves 2024, Figure 0: at least 3.5 epsilon" in first
    assert "Not private: twice loses at least 3.5 epsilon." in paper


def test_pictures_are_files_beside_the_markdown(written):
    """Every picture that the Markdown shows is there."""
    shown = re.findall(r"\]\((pictures/[^)]*)\)", (written[1].parent / "chaves-2024.md").read_text())

    assert ["pictures/tiny.svg"] == shown
    assert all((written[1].parent / each).read_text().startswith("<svg") for each in shown)


def test_the_markdown_refers_to_no_page_that_is_not_there(written):
    """It stands in a user's folder, and is copied into the manual: it says in words how it was made."""
    markdown = written[1].read_text()

    assert "`python -m research reproduce --help` says how to run it." in markdown
    assert [] == [each for each in re.findall(r"\]\(([^)]*)\)", markdown) if not (written[1].parent / each).exists()]


def test_the_same_results_give_the_same_picture(outcome):
    """Pictures hold no dates or random names."""
    assert pictures.svg(EXPERIMENT, outcome.results) == pictures.svg(EXPERIMENT, outcome.results)


def test_one_x_alone_is_not_a_picture():
    """A panel of single numbers is a table only."""
    assert "" == pictures.svg(EXPERIMENT, Results([Point("p", "s", 1.0, 2.0)]))


def _axes(points, **changes):
    """Return the only panel of a picture."""
    (axes,) = pictures.drawing(replace(EXPERIMENT, **{"printed": (), "series": (), **changes}), Results(points)).axes
    return axes


def _lines(axes):
    """Return the colour, marker and filling of every line and printed marker, by label or place."""
    return [(line.get_color(), line.get_marker(), line.get_fillstyle()) for line in axes.lines if line.get_marker()]


def _legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_series_that_only_the_paper_has_are_told_apart():
    """Each has a marker of its own and stands in the legend, beside one entry of several shapes for all others."""
    places = tuple(Printed("p", name, 1.0, 2.0) for name in ("twice", "theirs", "others"))
    figure = pictures.drawing(
        replace(EXPERIMENT, printed=places), Results([Point("p", "twice", x, 2 * x) for x in (1.0, 2.0)])
    )

    hollow = [each for each in _lines(figure.axes[0]) if each[2] == "none"]
    assert ["twice", "theirs, printed", "others, printed"] == _legend(figure)[:3]
    assert "printed (open markers, set side by side)" == _legend(figure)[3]
    assert 3 == len(set(hollow))
    shown = figure.legends[0].findobj(lambda each: getattr(each, "get_fillstyle", str)() == "none")
    assert ["*", "h", "o", "s", "^"] == [each.get_marker() for each in shown]


def test_printed_markers_are_open_and_ours_are_filled():
    """One colour and marker, filled or open: nobody takes ours for the printed one."""
    points = [Point("p", name, x, 0.1 * x) for name in ("twice", "random") for x in (1.0, 2.0)]
    axes = _axes(points, printed=(Printed("p", "random", 1.0, 0.3),))

    ours, printed = ([each for each in _lines(axes) if (each[2] == "none") == hollow] for hollow in (False, True))
    assert {"full"} == {filling for _, _, filling in ours}
    assert [("#d1495b", "s", "none")] == printed
    assert ("#d1495b", "s", "full") in ours


def test_a_family_has_one_colour_and_an_account_one_line():
    """As released and sound of one family are told apart by their lines."""
    series = (Series("random", "as released", "exponential"), Series("twice", "sound", "exponential"))
    points = [Point("p", name, x, x) for name in ("random", "twice") for x in (1.0, 2.0)]
    axes = _axes(points, series=series)

    assert {(FAMILIES["exponential"].colour, FAMILIES["exponential"].marker, "full")} == set(_lines(axes))
    assert 2 == len(
        {(line.get_linestyle(), line.get_linewidth()) for line in axes.lines if line.get_marker() != "None"}
    )


def test_a_picture_shows_six_series_at_most():
    """Those that the experiment names; or the printed first, then what is sound and as released."""
    names = [f"line {number}" for number in range(9)]
    points = Results([Point("p", name, x, x) for name in names for x in (1.0, 2.0)])
    series = tuple(Series(name, "sound" if n > 6 else "reference", "exponential") for n, name in enumerate(names))
    experiment = replace(EXPERIMENT, series=series, printed=(Printed("p", "line 5", 1.0, 1.0),))

    assert ["line 0", "line 1", "line 2", "line 5", "line 7", "line 8"] == pictures.shown(experiment, points, ["p"])
    assert ["line 3", "line 7"] == pictures.shown(replace(experiment, drawn=("line 3",)), points, ["p"])


def test_the_best_at_the_stated_privacy_is_in_the_picture():
    """The caption names it, so it must be seen, though other lines are printed."""
    names = [f"line {number}" for number in range(9)]
    values = [Point("p", name, x, x + n) for n, name in enumerate(names) for x in (1.0, 2.0)]
    series = tuple(Series(name, "sound", "exponential") for name in names)
    printed = tuple(Printed("p", name, 1.0, 1.0) for name in names[:7])
    experiment = replace(EXPERIMENT, series=series, printed=printed)

    assert "line 8" in pictures.shown(experiment, Results(values), ["p"])
    assert 6 == len(pictures.shown(experiment, Results(values), ["p"]))


@pytest.mark.parametrize(
    "label, values, expected",
    [("per cent", (1, 99), "linear"), ("loss", (1, 5), "linear"), ("loss", (1, 50), "log"), ("loss", (0, 5), "symlog")],
)
def test_a_logarithm_is_for_decades(label, values, expected):
    """Parts of a hundred and less than a decade are drawn on a linear axis, whatever the other panels need."""
    points = [Point("p", "twice", float(x + 1), float(value)) for x, value in enumerate(values)]
    scale = "symlog" if expected == "symlog" else "log"

    assert expected == _axes(points, y_label=label, y_scale=scale).get_yscale()


def test_a_wild_series_runs_off_the_axis_with_a_note():
    """One that would flatten the others is left outside, and where it is stands above the panel."""
    calm = [Point("p", f"calm {n}", x, 1.0 + n / 10 + x / 9, 0.01) for n in range(3) for x in (1.0, 2.0)]
    wild = [Point("p", "wild", 1.0, 7000.0, 6000.0), Point("p", "wild", 2.0, 90000.0, 6000.0)]
    axes = _axes(calm + wild, y_scale="log")

    assert ["↑ wild: 7000 to 90,000"] == [text.get_text() for text in axes.texts]
    assert 2 > axes.get_ylim()[1]
    assert 1 < axes.get_ylim()[0]


def test_what_a_log_axis_cannot_show_does_not_set_its_ends():
    """A loss of exactly 0, or none at all, is not drawn, and the others are."""
    values = (0.0, 1.0, 500.0, float("inf"))
    low, high = _axes([Point("p", "twice", x, y) for x, y in enumerate(values, 1)], y_scale="log").get_ylim()

    assert 0.1 < low < 1
    assert 500 < high < 5000


def test_one_series_that_goes_on_for_decades_is_cut():
    """The x of all the others are not squeezed into a corner."""
    points = [Point("p", name, x, x / 10) for name in ("a", "b") for x in (0.01, 1.0, 5.0)]
    axes = _axes([*points, Point("p", "a", 1e6, 0.125)], x_label="epsilon")

    assert ["→ a: 0.125 at epsilon 1,000,000"] == [text.get_text() for text in axes.texts]
    assert 10 > axes.get_xlim()[1]


@pytest.mark.parametrize(
    "label, scale, value, error, expected",
    [
        ("accuracy", "linear", 0.9, 0.1, (0.7, 1.0)),
        ("accuracy", "linear", 0.1, 0.1, (0.0, 0.3)),
        ("given a record, per cent", "linear", 99.0, 2.0, (95.0, 100.0)),
        ("loss", "linear", 1.0, 2.0, (0.0, 5.0)),
        ("loss", "log", 1.0, 2.0, (0.2, 5.0)),
        ("gain", "linear", -1.0, 2.0, (-5.0, 3.0)),
    ],
)
def test_error_bars_end_where_values_can(label, scale, value, error, expected):
    """Shares lie in [0, 1], losses above 0; on a log axis a bar is as long down as up and never falls to the axis."""
    points = [
        Point("p", "twice", 1.0, value, error, 3),
        Point("p", "twice", 2.0, 100 * value if scale == "log" else value),
    ]
    axes = _axes(points, y_label=label, y_scale=scale)

    (bars,) = (each for each in axes.collections)
    assert expected == pytest.approx(tuple(bars.get_segments()[0][:, 1]))


def test_a_picture_says_what_it_is_without_being_seen(outcome):
    """Inline pictures have a title and a role for readers of screens."""
    text = pictures.svg(EXPERIMENT, outcome.results)

    assert text.startswith('<svg role="img" aria-label="Chaves 2024, Figure 0: Twice a number | and more." ')
    assert "<title>Chaves 2024, Figure 0: Twice a number | and more.</title>" in text


def test_names_are_set_in_type_and_file_names_stay():
    """An index is an index, a minus a minus; datasets are called as their files are."""
    points = [Point("adult_2d", "beijing_taxi_s", x, x) for x in (1.0, 2.0)]
    axes = _axes(points, x_label="MO_g, epsilon", y_label="|x_p - E x|")

    assert "|x$_{\\mathrm{p}}$ − E x|" == axes.get_ylabel()
    assert "MO$_{\\mathrm{g}}$, epsilon" == axes.get_xlabel()
    assert ("adult_2d", ["beijing_taxi_s"]) == (axes.get_title(), _legend(axes.figure))


def test_printed_numbers_say_what_stands_along_x(outcome):
    """The claims table names x; what is constant and printed once has none."""
    points = [Point("p", "flat", x, 7.0) for x in (1.0, 2.0)] + [Point("p", "twice", x, 2 * x) for x in (1.0, 2.0)]
    places = tuple(Printed("p", name, 1.0, 2.0) for name in ("flat", "twice"))

    def claims(*printed):
        experiment = replace(EXPERIMENT, claims=(), printed=printed, x_label="total epsilon")
        one = replace(outcome, experiment=experiment, results=Results(points))
        return [row.claim for row in report.Report([one], [], QUICK, 1.0).rows()]

    assert ["p: flat", "p: twice at total epsilon = 1"] == claims(*places)
    assert "p: flat at total epsilon = 2" == claims(*places, Printed("p", "flat", 2.0, 3.0))[2]


def test_what_is_folded_is_printed(written):
    """On paper nobody can open what is closed."""
    html = (written[0].parent / "chaves-2024.html").read_text()

    assert "<details>" in html
    assert "@media print { details::details-content { content-visibility: visible; } }" in html


def test_tables_hold_ours_printed_and_the_difference(outcome):
    """Below every line with printed values stand those and the differences."""
    (sheet,) = tables.sheets(EXPERIMENT, outcome.results)

    assert ("x", "1", "2", "3") == sheet.head
    assert ("twice", "2", "4", "6") == sheet.rows[0]
    assert ("  printed", "2.05", "5", "6") == sheet.rows[1]
    assert ("  difference", "-0.05", "-1", "+0") == sheet.rows[2]
    assert "random (loss not measured)" == sheet.rows[3][0]


def test_the_best_is_ranked_among_private_series_only():
    """Mean ranks over all places; what is not private is never best, and ties share."""
    points = [Point("p", name, x, value) for name, values in {"a": (1, 2), "b": (1, 3), "random": (9, 9)}.items()
              for x, value in enumerate(values)]  # fmt: skip

    sound = tuple(Series(name, "sound", "exponential") for name in "ab")
    experiment = replace(EXPERIMENT, series=(*sound, *EXPERIMENT.series))
    assert [("b", 1.25), ("a", 1.75)] == verdicts.best(experiment, Results(points))


def test_lines_of_two_measures_are_not_ranked_against_each_other():
    """The best is that of the measure of most lines, of two alike that of a sound one; planted: one measure for all."""
    values = {"a": (3, 3), "b": (4, 4), "kind": (1, 1)}
    points = [Point("p", name, x, value) for name, line in values.items() for x, value in enumerate(line)]

    def ranked(measure: str, kind: str = "as released") -> list[str]:
        series = (
            *(Series(name, "sound", "exponential") for name in "ab"),
            Series("kind", kind, "exponential", measure),
        )
        experiment = replace(EXPERIMENT, better="lower", series=(*series, *EXPERIMENT.series))
        losses = [Point(PRIVACY, "kind", 1.0, 1.0)]
        return [name for name, _ in verdicts.best(experiment, Results([*points, *losses]))]

    assert ["kind", "a", "b"] == ranked("")
    assert ["a", "b"] == ranked("strictly beaten") == ranked("strictly beaten", "sound")


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


def test_a_panel_may_have_axes_of_its_own():
    """By its title, and by how its title ends."""
    points = [Point(panel, "a", x, x) for panel in ("one", "two, per cent") for x in (1.0, 2.0)]
    named = replace(
        EXPERIMENT, printed=(), series=(), x_labels={"two, per cent": "t"}, y_labels={"per cent": "per cent"}
    )

    one, two = pictures.drawing(named, Results(points)).axes

    assert ("x", "2 x") == (one.get_xlabel(), one.get_ylabel())
    assert ("t", "per cent") == (two.get_xlabel(), two.get_ylabel())

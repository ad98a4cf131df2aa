"""The page of an answer: a sentence with its unit, an interval, a bar of the budget, the question again, and a file."""

from __future__ import annotations

import csv
import io
import re
from html import unescape
from pathlib import Path

import pytest

from dpselect.certificates.answer_table import answer_shown
from tests.web.server.conftest import CONFIG
from tests.web.server.pages.browser import Browser
from tests.web.server.served import Office

FORMULA = '=HYPERLINK("http://x")'


@pytest.fixture
def ann(tmp_path: Path):
    """An analyst at a server whose file has a unit, and a value that reads as a formula."""
    config = CONFIG.replace('source = "people.csv"', 'source = "people.csv"\nunit = "years"')
    config = config.replace('["clerk", "nurse", "smith"]', f"['{FORMULA}', 'nurse', 'smith']")
    office = Office(tmp_path, config)
    office.start()
    browser = Browser(office)
    browser.log_in("ann")
    yield browser
    office.stop()


def asked(ann: Browser, question: str) -> tuple[str, str]:
    """Ask by the form, and return the address of the answer and its page."""
    path = f"/pages/datasets/survey/{question}"
    where = ann.post(path.partition("?")[0], ann.hidden(path, path.partition("?")[0])).headers["location"]
    return where, ann.get(where).body.decode()


def test_a_median_is_a_sentence_with_its_unit(ann) -> None:
    """And says what is spent of the share and of the allowance, as a bar and in words."""
    _, page = asked(ann, "median?column=age&epsilon=0.25")
    assert re.search(r"The median of age is \d+ years\.", page)
    assert "epsilon 0.25 of 6 spent, 5.75 remaining" in page
    assert "epsilon 0.25 of 10 spent, 9.75 remaining" in page
    assert re.search(r'<meter min="0" max="6.0" value="0.25" aria-label="Your share, spent">', page)


def test_every_count_has_its_interval_and_the_file_has_no_formula(ann) -> None:
    """As wide as the accuracy says; a name that begins like a formula is text, and negative counts are numbers."""
    where, page = asked(ann, "histogram?column=job&epsilon=0.5")
    within = int(re.search(r"every count is within (\d+)", page)[1])  # type: ignore[index]
    file = ann.get(f"{where}/answer.csv")
    assert file.headers["content-type"] == "text/csv; charset=utf-8"
    assert "attachment" in file.headers["content-disposition"]
    lines = [*csv.reader(io.StringIO(file.body.decode()))]
    assert lines[0] == ["job", "count", "from", "to"]
    assert [line[0] for line in lines[1:]] == [f"'{FORMULA}", "nurse", "smith"]
    for _, *numbers in lines[1:]:
        count, low, high = (int(each.replace(",", "")) for each in numbers)
        assert (low, high) == (count - within, count + within)
        assert str(count) in page


def test_the_question_is_asked_again_by_a_plan_and_nothing_is_spent(ann) -> None:
    """The address holds every field; the price is paid by the button there, not by the link."""
    question = "quantiles?column=age&q=0.25+0.75&by=job&epsilon=0.5"
    path = f"/pages/datasets/survey/{question}"
    first = ann.hidden(path, path.partition("?")[0])
    _, page = asked(ann, question)
    again = unescape(re.search(r'<a class="button" href="([^"]+)">Ask again', page)[1])  # type: ignore[index]
    second = ann.hidden(again, path.partition("?")[0])
    assert first["query"] == second["query"]
    assert first["key"] != second["key"]
    assert "epsilon 0.5 of 6 spent" in ann.get("/pages/datasets/survey").body.decode()


def test_nobody_else_gets_the_file(ann) -> None:
    """Neither another analyst nor somebody who is not logged in."""
    where, _ = asked(ann, "median?column=age&epsilon=0.01")
    bob = Browser(ann.office)
    assert bob.get(f"{where}/answer.csv").status in (303, 401, 403)
    bob.log_in("bob")
    assert 404 == bob.get(f"{where}/answer.csv").status
    assert 404 == ann.get("/pages/requests/none/answer.csv").status


@pytest.mark.parametrize(
    ("answer", "header", "rows"),
    [
        ({"counts": [{"group": "n", "value": "x", "count": 1}, {"group": "n", "value": "y", "count": -2}],
          "every_count_within": 3}, ("group", "x", "y"), (("n", "1", "-2"),)),
        ({"counts": [{"value": "x", "count": 1}, {"value": "y", "count": 2}]}, ("", ""), (("x", "1"), ("y", "2"))),
        ({"groups": [{"group": "n", "candidates": ["a"]}, {"group": "s", "candidates": ["b"]}]}, ("group", ""),
         (("n", "a"), ("s", "b"))),
        ({"counts": ["x"]}, ("group", ""), (("counts", "x"),)),
        ({"counts": [{"value": 1}]}, ("group", ""), (("counts", "value: 1"),)),
    ],
)  # fmt: skip
def test_rows_of_a_certificate_become_a_table(answer, header, rows) -> None:
    """Groups downwards and values across; what has another form is words, whatever it is."""
    shown = answer_shown(answer)
    assert (header, rows) == (shown.header, shown.rows)

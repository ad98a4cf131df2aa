"""Where only the first rows of a person count, every text says so: terminal, dry run, JSON, Python, certificate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dpselect as dps
from dpselect.cli import main

PAY = {"who": [each for each in range(60) for _ in range(2)], "pay": [10, 30] * 60, "place": [1, 2] * 60}
COUNTS = ["histogram", "pay.csv", "pay", "--domain", "30,10", "--person", "who", "--epsilon", "5"]
MEDIAN = ["median", "pay.csv", "pay", "--lower", "0", "--upper", "100", "--person", "who", "--epsilon", "5"]
SCOPE = "of the rows that count: "


@pytest.fixture(autouse=True)
def pay(folder: Path) -> None:
    """A table of persons with two rows each."""
    lines = [",".join(PAY), *(",".join(map(str, row)) for row in zip(*PAY.values(), strict=True))]
    (folder / "pay.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Return what a command prints."""
    assert main(words) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("verb", [COUNTS, MEDIAN])
def test_the_rows_that_count_are_said_everywhere(verb: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The number of rows too, where it is the default."""
    for more in ([], ["--dry-run"]):
        text = printed(capsys, *verb, *more)
        assert "epsilon = 5 per person, of whom one row counts" in text
        assert SCOPE in text
        facts = json.loads(printed(capsys, *verb, *more, "--json"))
        assert facts["accuracy_line"].startswith(SCOPE)
        assert facts["rows_per_person"] == 1

    printed(capsys, *verb, "--certificate", "c.json")
    content = dps.Certificate.read("c.json").content
    assert content["accuracy"]["in words"] == facts["accuracy_line"]
    assert content["guarantee"]["protects"] == "one person with all of their rows; only one row of each counts"
    assert content["public"]["rows per person"] == 1
    assert "rows_per_person" not in content["answer"]


def test_more_rows_are_said_too(capsys: pytest.CaptureFixture[str]) -> None:
    """As many as were asked for."""
    printed(capsys, *COUNTS, "--rows-per-person", "2", "--certificate", "c.json")

    content = dps.Certificate.read("c.json").content

    assert content["guarantee"]["protects"].endswith("; only 2 rows of each count")
    assert content["public"]["rows per person"] == 2


@pytest.mark.parametrize("verb", [COUNTS, MEDIAN])
def test_python_says_what_the_command_line_says(verb: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """In its line, its certificate, and its table in notebooks."""
    if verb is COUNTS:
        release = dps.counts(PAY, epsilon=5, column="pay", domain=[30, 10], person="who")
    else:
        release = dps.median(PAY["pay"], lower=0, upper=100, epsilon=5, person=PAY["who"])
    line = json.loads(printed(capsys, *verb, "--json"))["accuracy_line"]

    assert release.error_bound.describe() == line
    assert line in release._repr_html_()
    assert "only one row of each counts" in release._repr_html_()
    content = release.certificate().content
    assert content["accuracy"]["in words"] == line
    assert content["public"] == {"rows per person": 1}
    assert content["guarantee"]["protects"].endswith("only one row of each counts")


def test_groups_say_what_their_accuracy_is_of(capsys: pytest.CaptureFixture[str]) -> None:
    """Of each group; in JSON and in Python too."""
    groups = ["--by", "place", "--groups", "1,2"]
    line = json.loads(printed(capsys, *MEDIAN, *groups, "--json"))["accuracy_line"]
    release = dps.median(
        PAY["pay"], lower=0, upper=100, epsilon=5, person=PAY["who"], by=list(map(str, PAY["place"])), groups=["1", "2"]
    )

    assert line.startswith("each group, of the rows that count: ")
    assert release.error_bound.describe() == line


def test_a_median_of_rows_names_its_unit_in_python() -> None:
    """Records, as on the command line."""
    assert " records behind" in dps.median(PAY["pay"], lower=0, upper=100, epsilon=1).error_bound.describe()


def test_budget_show_tells_releases_apart(capsys: pytest.CaptureFixture[str]) -> None:
    """By their condition, groups, persons and rows per person; what the command says is not said twice."""
    printed(capsys, "budget", "create", "b", "--epsilon", "99", "--neighbours", "person", "--dataset", "x")
    printed(capsys, *MEDIAN, "--ledger", "b")
    printed(capsys, *MEDIAN, "--ledger", "b", "--where", "pay = 10", "--rows-per-person", "2")
    printed(capsys, *MEDIAN, "--ledger", "b", "--by", "place", "--groups", "1,2")

    one, other, grouped = (line for line in printed(capsys, "budget", "show", "b").splitlines() if "median" in line)

    assert "median pay, person who, rows per person 1  " in one
    assert "median pay, where pay = 10, person who, rows per person 2  " in other
    assert "median pay, by place, person who, rows per person 1  " in grouped
    assert not any(line.endswith("percentile") for line in (one, other, grouped))


def test_a_certificate_heads_its_answer_and_asks_its_question(capsys: pytest.CaptureFixture[str]) -> None:
    """By what was asked, also in groups, and without private facts."""
    printed(capsys, *MEDIAN, "--certificate", "m.json")
    content = dps.Certificate.read("m.json").content
    assert list(content["answer"]) == ["median"]
    assert isinstance(content["answer"]["median"], int)
    assert content["question"] == "median of pay in pay.csv, person who"

    printed(capsys, "quantiles", *MEDIAN[1:-4], "--p", "50", "--epsilon", "5", "--certificate", "p.json")
    content = dps.Certificate.read("p.json").content
    assert list(content["answer"]) == ["percentile 50"]
    assert content["question"] == "percentile 50 of pay in pay.csv"

    grouped = [*MEDIAN, "--by", "place", "--groups", "1,2", "--certificate", "g.json"]
    printed(capsys, *grouped)
    assert list(dps.Certificate.read("g.json").content["answer"]) == ["median, 1", "median, 2"]

    printed(capsys, *COUNTS, "--certificate", "n.json")
    assert dps.Certificate.read("n.json").content["question"] == "histogram of pay in pay.csv, person who"
